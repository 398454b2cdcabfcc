"""Runs one pass through the driver, from codes to results."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from host.compiler.command_list import CommandList
from host.compiler.layer import Conv, Pass
from host.compiler.lower import lower
from host.compiler.plan import Plan
from host.compiler.precision import EXACT, Output, Precision
from host.driver.errors import ExecutionError
from host.driver.outcome import ListOutcome
from sim.contract import Executor

if TYPE_CHECKING:  # pynq takes a second to import: only those who run something wait for it
    from host.driver.accelerator import Accelerator

__all__ = ["ExecutionError", "PassResult", "run_pass"]

Codes = npt.NDArray[np.integer]


@dataclass(frozen=True)
class PassResult:
    """What one pass gave: results in PyTorch's shape, row sums if asked for, and what it took."""

    result: Codes
    row_sums: Codes | None
    outcome: ListOutcome
    region_bytes: int


def run_pass(
    device: Accelerator | Executor,
    layer: Conv,
    which: Pass | str,
    precision: Precision,
    a: Codes,
    b: Codes,
    output: Output = EXACT,
) -> PassResult:
    """Plans, lowers, loads, runs and reads back. An executor gets a simulated device around it for this one pass."""
    which = Pass(which)
    with _opened(device) as accelerator:
        plan = Plan()
        program = lower(layer, which, precision, accelerator.build, output, plan=plan)
        commands = CommandList.place([program], plan)
        with accelerator.allocate(plan) as region:
            region.upload(program, np.asarray(a), np.asarray(b))
            region.upload_list(commands)
            outcome = accelerator.run(region, commands, f"{which.value} pass")
            sums = region.row_sums(program) if output.row_sums else None
            return PassResult(region.result(program), sums, outcome, plan.bytes)


def _opened(device: Accelerator | Executor) -> AbstractContextManager[Accelerator]:
    from host.driver.accelerator import Accelerator
    from host.driver.devices import open_simulated

    if isinstance(device, Accelerator):
        return nullcontext(device)
    if not hasattr(device, "run"):
        raise TypeError(f"{device!r} is neither an opened device nor an executor: take open_device(...)")
    return open_simulated(device, type(device).__name__, log=lambda _: None)
