"""Hardware in the loop: chosen layers' products go through the driver to a device, and back.

Every accumulator, or rounded result, is compared with PyTorch's; the step goes on with the device's. Slow: for a few
steps of a real run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from cpt_model.arithmetic.affine import Quantised
from cpt_model.arithmetic.passes import Watch
from cpt_model.model_precision import layer_states
from host.compiler.layer import Conv, Pass
from host.compiler.precision import Output, Precision
from sim.common.table import as_table
from sim.contract import Build, Executor

if TYPE_CHECKING:  # with pynq behind it: who only trains does not wait for that
    from host.driver.accelerator import Accelerator


class EmulationError(AssertionError):
    """The device and PyTorch disagree; the message says where first."""


@dataclass(frozen=True)
class Check:
    """One product that went through the device."""

    layer: str
    which: Pass
    a_bits: int
    b_bits: int
    results: int
    cycles: int


@dataclass
class Report:
    """What went through the device, in order."""

    device: str
    checks: list[Check] = field(default_factory=list)

    def __str__(self) -> str:
        head = ("layer", "pass", "bits", "equal results", f"cycles ({self.device})")
        rows = [
            (each.layer, each.which.value, f"{each.a_bits}x{each.b_bits}", each.results, each.cycles)
            for each in self.checks
        ]
        return as_table(head, rows, left=(0, 1))


@contextmanager
def emulate(
    model: nn.Module, device: str | Executor | Accelerator, layers: Sequence[str] | None = None, build: str = "zc706"
) -> Iterator[Report]:
    """Sends the layers' products through the driver to a device while the context lasts.

    Args:
        model: a prepared model.
        device: "reference", "hls", "rtl" or "pynq"; or an opened device, or an executor to simulate one with.
        layers: names of prepared layers, or one; all of them by default.
        build: the accelerator's build.

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
    inexact = [states[name] for name in chosen if not states[name].quantiser.exact_input_error]
    if inexact:
        how = f"the quantiser {inexact[0].quantiser.name} multiplies errors by weights in float32"
        raise ValueError(f"layer '{inexact[0].name}': {how}, which no device does; prepare the model with sbm")
    before = {name: states[name].watch for name in chosen}
    with _opened(device, build) as accelerator:
        report = Report(accelerator.simulates or "board")
        try:
            for name in chosen:
                states[name].watch = _through(accelerator, states[name].name, report)
            yield report
        finally:
            for name in chosen:
                states[name].watch = before[name]


def _opened(device: str | Executor | Accelerator, build: str) -> AbstractContextManager[Accelerator]:
    from host.driver.accelerator import Accelerator
    from host.driver.devices import open_device, open_simulated

    if isinstance(device, str):
        return open_device(device, Build.named(build), log=_quiet)
    if isinstance(device, Accelerator):
        return nullcontext(device)
    return open_simulated(device, type(device).__name__, log=_quiet)


def _quiet(_line: str) -> None:
    """Each product has a region of its own: too many to report."""


def _through(accelerator: Accelerator, name: str, report: Report) -> Watch:
    """A watch that runs the product on the device and compares."""
    from host.driver.execute import run_pass

    def watch(layer: Conv, which: Pass, a: Quantised, b: Quantised, output: Output, results: Tensor) -> Tensor:
        precision = Precision(a.bits, b.bits, a.signed, b.signed)
        left, right = (each.contract_codes().to(torch.int32).contiguous().cpu().numpy() for each in (a, b))
        done = run_pass(accelerator, layer, which, precision, left, right, output)
        ours = results.cpu().numpy().astype(np.int64)
        wrong = np.argwhere(done.result != ours)
        if len(wrong):
            first = tuple(int(index) for index in wrong[0])
            raise EmulationError(
                f"{name}, {which.value} pass, {a.bits}x{b.bits} bits: {len(wrong)} of {ours.size} results differ, "
                f"first at {first}: {report.device} {int(done.result[first])}, PyTorch {int(ours[first])}"
            )
        report.checks.append(Check(name, which, a.bits, b.bits, ours.size, done.outcome.cycles))
        return results.copy_(torch.from_numpy(done.result))  # in the memory format of PyTorch's own

    return watch
