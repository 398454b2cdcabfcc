"""A training step (forward, backward, SGD) of CIFAR ResNet-20, batch 128, two threads: ours and its baselines.

Contestants take turns, step by step, in one process. Seconds are those of the best step of each: what the machine does
when nothing else disturbs it. Ratios called median are of medians, after a cycle of widths to warm up; what switching
costs is one of them. Integer steps are timed once their widths have settled: until then a step may also have to make
its lists again, and a network that switches has six times as many to settle.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

from cpt_model import Bits, prepare_, set_precision
from cpt_model.benchmarks.fake_quantised import fake_quantise_
from cpt_model.benchmarks.timing import threads
from cpt_model.models import CifarResNet
from cpt_model.step import IntegerNetwork

THREADS = 2
BATCH = 128
WIDTHS = 6  # 3, 4, ..., 8 bits
SETTLING = 20  # cycles at most
STEPS = WIDTHS  # of each contestant for each repetition asked for, and once more to warm up


class Contestant:
    """A network with its optimiser and one batch, in a memory format."""

    def __init__(self, convert: Callable[[nn.Module], object], layout: torch.memory_format) -> None:
        torch.manual_seed(0)
        self.model = CifarResNet(20)
        self.model.to(memory_format=layout)  # type: ignore[call-overload]
        convert(self.model)
        self.optimiser = torch.optim.SGD(self.model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
        self.images = torch.randn(BATCH, 3, 32, 32).to(memory_format=layout)
        self.labels = torch.randint(0, 10, (BATCH,))
        self.before_step: Callable[[], object] = lambda: None
        self.seconds: list[float] = []

    def step(self) -> None:
        start = time.perf_counter()
        self.before_step()
        self.optimiser.zero_grad()
        nn.functional.cross_entropy(self.model(self.images), self.labels).backward()
        self.optimiser.step()
        self.seconds.append(time.perf_counter() - start)


class IntegerContestant:
    """The same network and batch, in whole integer steps; `widths` are those of its steps, again and again."""

    def __init__(self, widths: Sequence[int]) -> None:
        torch.manual_seed(0)
        self.network = IntegerNetwork(CifarResNet(20), (3, 32, 32), BATCH)
        self.images, self.labels = torch.randn(BATCH, 3, 32, 32), torch.randint(0, 10, (BATCH,))
        self.cycle = [Bits(width, 8) for width in widths]
        self.bits = itertools.cycle(self.cycle)
        self.seconds: list[float] = []

    def settle(self) -> None:
        """Steps until a whole cycle has needed no new lists."""
        for _ in range(SETTLING):
            before = [self.network.integers.lists(bits) for bits in self.cycle]
            for bits in self.cycle:
                self.network.learn(self.images, self.labels, bits, lr=0.1)
            if all(self.network.integers.lists(bits) is old for bits, old in zip(self.cycle, before, strict=True)):
                return

    def step(self) -> None:
        start = time.perf_counter()
        self.network.learn(self.images, self.labels, next(self.bits), lr=0.1)
        self.seconds.append(time.perf_counter() - start)


def _switch_precision(contestant: Contestant) -> None:
    """Another forward width before each step: 3, 4, ..., 8, 3, ..."""
    widths = itertools.cycle(range(3, 3 + WIDTHS))
    contestant.before_step = lambda: set_precision(contestant.model, Bits(next(widths), 8))


def measure(repeat: int) -> dict[str, float]:
    """Seconds a step of each contestant, and what they are to each other."""
    nchw, channels_last = torch.contiguous_format, torch.channels_last
    contestants = {
        "float32_nchw": Contestant(lambda model: None, nchw),
        "float32_channels_last": Contestant(lambda model: None, channels_last),
        "fake_quantised_nchw": Contestant(fake_quantise_, nchw),
        "bit_exact": Contestant(prepare_, channels_last),
        "bit_exact_switching": Contestant(prepare_, channels_last),
    }
    _switch_precision(contestants["bit_exact_switching"])
    integer = {"integer": IntegerContestant([8]), "integer_switching": IntegerContestant(range(3, 3 + WIDTHS))}
    every: dict[str, Contestant | IntegerContestant] = {**contestants, **integer}
    with threads(THREADS):
        for settling in integer.values():
            settling.settle()
        for _ in tqdm(range(STEPS * (repeat + 1)), desc="steps", leave=False):
            for contestant in every.values():
                contestant.step()
    results = {f"{name}_seconds": min(contestant.seconds) for name, contestant in every.items()}
    best_float = min(results["float32_nchw_seconds"], results["float32_channels_last_seconds"])
    results["bit_exact_to_best_float32"] = results["bit_exact_seconds"] / best_float
    results["integer_to_best_float32"] = results["integer_seconds"] / best_float
    results["fake_quantised_to_bit_exact"] = results["fake_quantised_nchw_seconds"] / results["bit_exact_seconds"]
    medians = {name: float(np.median(each.seconds[WIDTHS:])) for name, each in every.items()}
    best_median = min(medians["float32_nchw"], medians["float32_channels_last"])
    results["bit_exact_to_best_float32_median"] = medians["bit_exact"] / best_median
    results["integer_to_best_float32_median"] = medians["integer"] / best_median
    results["integer_switching_to_best_float32_median"] = medians["integer_switching"] / best_median
    results["switching_to_static_median"] = medians["bit_exact_switching"] / medians["bit_exact"]
    slowest = max(contestants["bit_exact_switching"].seconds[WIDTHS:])
    results["slowest_switching_step_to_static_median"] = slowest / medians["bit_exact"]
    return results
