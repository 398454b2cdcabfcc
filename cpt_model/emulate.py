"""Hardware in the loop: chosen layers' products go through the driver to an executor of the accelerator, and back.

Every accumulator is compared with PyTorch's; the step goes on with the executor's. Slow: for a few steps of a real run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

from cpt_model.arithmetic.affine import Quantised
from cpt_model.arithmetic.passes import Watch
from cpt_model.precision import layer_states
from host.execute import run_pass
from host.layer import Conv, Pass
from host.precision import Precision
from sim.config import Config
from sim.devices import open_device
from sim.executor import Executor


class EmulationError(AssertionError):
    """The executor and PyTorch disagree; the message says where first."""


@dataclass(frozen=True)
class Check:
    """One product that went through the executor."""

    layer: str
    which: Pass
    a_bits: int
    b_bits: int
    results: int
    cycles: int


@dataclass
class Report:
    """What went through the executor, in order."""

    device: str
    checks: list[Check] = field(default_factory=list)

    def __str__(self) -> str:
        rows = [
            f"{check.layer:30} {check.which.value:16} {check.a_bits}x{check.b_bits:<3} "
            f"{check.results:10,} equal {check.cycles:12,}"
            for check in self.checks
        ]
        return "\n".join(
            [f"{'layer':30} {'pass':16} {'bits':4} {'results':>10} {'cycles':>18}  ({self.device})", *rows]
        )


@contextmanager
def emulate(
    model: nn.Module, device: str | Executor, layers: Sequence[str] | None = None, config: str = "zc706"
) -> Iterator[Report]:
    """Sends the layers' products through the executor while the context lasts.

    Args:
        model: a prepared model.
        device: "reference", "hls" or "rtl"; or an executor.
        layers: names of prepared layers, or one; all of them by default.
        config: the accelerator's build.

    >>> from cpt_model import prepare_
    >>> layer = prepare_(nn.Linear(20, 4))
    >>> with emulate(layer, "reference") as report:
    ...     layer(torch.rand(3, 20)).sum().backward()
    >>> [check.which.value for check in report.checks]
    ['forward', 'weight-gradient']
    """
    states = layer_states(model)
    chosen = list(states) if layers is None else [layers] if isinstance(layers, str) else list(layers)
    unknown = sorted(set(chosen) - states.keys())
    if unknown:
        raise ValueError(f"no prepared layer '{unknown[0]}'; there are: {', '.join(states)}")
    executor = open_device(device, Config.named(config)) if isinstance(device, str) else device
    report = Report(device if isinstance(device, str) else type(device).__name__)
    before = {name: states[name].watch for name in chosen}
    try:
        for name in chosen:
            states[name].watch = _through(executor, states[name].name, report)
        yield report
    finally:
        for name in chosen:
            states[name].watch = before[name]


def _through(executor: Executor, name: str, report: Report) -> Watch:
    """A watch that runs the product on the executor and compares."""

    def watch(layer: Conv, which: Pass, a: Quantised, b: Quantised, acc: Tensor) -> Tensor:
        precision = Precision(a.bits, b.bits, a.signed, b.signed)
        left, right = (each.contract_codes().to(torch.int32).contiguous().numpy() for each in (a, b))
        done = run_pass(executor, layer, which, precision, left, right)
        ours = acc.numpy().astype(np.int64)
        wrong = np.argwhere(done.result != ours)
        if len(wrong):
            first = tuple(int(index) for index in wrong[0])
            raise EmulationError(
                f"{name}, {which.value} pass, {a.bits}x{b.bits} bits: {len(wrong)} of {ours.size} accumulators differ, "
                f"first at {first}: {report.device} {int(done.result[first])}, PyTorch {int(ours[first])}"
            )
        report.checks.append(Check(name, which, a.bits, b.bits, ours.size, done.outcome.cycles))
        return acc.copy_(torch.from_numpy(done.result))  # in the memory format of PyTorch's own

    return watch
