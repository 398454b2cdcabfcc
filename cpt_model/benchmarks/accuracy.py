"""Does the hardware's arithmetic train as well? A small convolutional net on real digits, several seeds, side by side.

For each precision: the CPT authors' fake quantisation, and ours (exact integers, padding off the grid, weights of the
input-error pass quantised by input channel), with exact results and with rounded ones; float32 to compare. Same data,
same initial weights, same batches, same steps. A row is the mean over the seeds of the test accuracy in per cent, or
of the training loss at the end, and its standard deviation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from cpt_model import Bits, Config, prepare_, scheduler, set_precision
from cpt_model.benchmarks.fake_quantised import fake_quantise_, set_fake_bits
from cpt_model.benchmarks.timing import threads
from cpt_model.data import Split, digits
from cpt_model.schedules import CPT, PrecisionScheduler, Schedule, Static
from host.compiler.results import Results

STEPS = 300
BATCH = 64
# Forward schedule and backward bits of each precision.
PRECISIONS: dict[str, tuple[Schedule, int]] = {
    "8/8": (Static(8), 8),
    "cpt 3-8/8": (CPT(3, 8, cycles=8), 8),
    "cpt 3-6/6": (CPT(3, 6, cycles=8), 6),
    "4/8": (Static(4), 8),
    "3/8": (Static(3), 8),
}


@dataclass(frozen=True)
class Run:
    """How a training run ended."""

    accuracy: float
    first_loss: float
    last_loss: float


def small_net() -> nn.Sequential:
    """Three 3 × 3 convolutions for 8 × 8 images, 24 thousand parameters."""
    widths = ((1, 16, 1), (16, 32, 2), (32, 64, 1))
    layers = [
        layer
        for channels, out, stride in widths
        for layer in (nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU())
    ]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


def train(
    convert: Callable[[nn.Module], object],
    schedule: Callable[[nn.Module], PrecisionScheduler | None],
    evaluate_at: Callable[[nn.Module], object],
    seed: int,
    steps: int = STEPS,
) -> Run:
    """One run, all of it determined by the seed; evaluated at the schedule's highest precision."""
    torch.manual_seed(seed)
    model = small_net()
    convert(model)
    data, test = digits(seed)
    bits = schedule(model)
    optimiser = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9, weight_decay=1e-4)
    rate = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    batches = torch.Generator().manual_seed(seed)
    losses = []
    for _ in range(steps):
        chosen = torch.randint(0, len(data.images), (BATCH,), generator=batches)
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(model(data.images[chosen]), data.labels[chosen])
        loss.backward()
        optimiser.step()
        rate.step()
        if bits is not None:
            bits.step()
        losses.append(loss.item())
    evaluate_at(model)
    return Run(100 * _accuracy(model, test), float(np.mean(losses[:10])), float(np.mean(losses[-10:])))


def _accuracy(model: nn.Module, test: Split) -> float:
    model.eval()
    with torch.no_grad():
        guesses: Tensor = model(test.images).argmax(1)
    return (guesses == test.labels).double().mean().item()


def float_run(seed: int, steps: int = STEPS) -> Run:
    return train(lambda model: None, lambda model: None, lambda model: None, seed, steps)


def bit_exact_run(forward: Schedule, backward: int, seed: int, steps: int = STEPS, config: Config | None = None) -> Run:
    highest = _highest(forward, backward, steps)
    chosen = config or Config(seed=seed, results=Results.EXACT)
    return train(
        lambda model: prepare_(model, chosen),
        lambda model: scheduler(model, forward, backward, steps),
        lambda model: set_precision(model, highest),
        seed,
        steps,
    )


def fake_run(forward: Schedule, backward: int, seed: int, steps: int = STEPS) -> Run:
    highest = _highest(forward, backward, steps)
    return train(
        fake_quantise_,
        lambda model: PrecisionScheduler(partial(set_fake_bits, model), forward, backward, steps),
        lambda model: set_fake_bits(model, highest),
        seed,
        steps,
    )


def _highest(forward: Schedule, backward: int, steps: int) -> Bits:
    return Bits(int(forward.bits(range(steps), steps).max()), backward)


def measure(repeat: int) -> dict[str, float]:
    """Mean and spread of test accuracy and last loss for each precision and arithmetic; a repetition is a seed."""
    results: dict[str, float] = {}
    seeds = range(repeat)
    with threads(1):  # the net is too small to share
        results |= _spread("float32", [float_run(seed).accuracy for seed in seeds])
        for name, (forward, backward) in tqdm(PRECISIONS.items(), desc=f"{repeat} seeds each", leave=False):
            fake = [fake_run(forward, backward, seed).accuracy for seed in seeds]
            exact, rounded = (
                [bit_exact_run(forward, backward, seed, config=Config(seed=seed, results=kind)) for seed in seeds]
                for kind in (Results.EXACT, Results.ROUNDED)
            )
            ours, narrow = ([run.accuracy for run in runs] for runs in (exact, rounded))
            results |= _spread(f"{name} fake", fake) | _spread(f"{name} bit-exact", ours)
            results |= _paired(f"{name} bit-exact - fake", ours, fake)
            results |= _spread(f"{name} rounded", narrow) | _paired(f"{name} rounded - bit-exact", narrow, ours)
            for kind, runs in (("bit-exact", exact), ("rounded", rounded)):
                results |= _spread(f"{name} {kind}, last loss", [run.last_loss for run in runs])
    return results


def _paired(name: str, ours: list[float], theirs: list[float]) -> dict[str, float]:
    return _spread(f"{name}, paired", [one - other for one, other in zip(ours, theirs, strict=True)])


def _spread(name: str, values: list[float]) -> dict[str, float]:
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return {f"{name}, mean": float(np.mean(values)), f"{name}, std": deviation}
