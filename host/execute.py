"""Runs one pass on anything that executes command lists, from codes to results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from host.command_list import CommandList
from host.layer import Conv, Pass
from host.lower import lower
from host.plan import Plan
from host.precision import EXACT, Output, Precision
from sim.executor import Executor
from sim.reference import Outcome

Codes = npt.NDArray[np.integer]


class ExecutionError(RuntimeError):
    """The accelerator ended a list with an error; the message names the error and the command."""


@dataclass(frozen=True)
class PassResult:
    """What one pass gave: results in PyTorch's shape, row sums if asked for, and what it took."""

    result: Codes
    row_sums: Codes | None
    outcome: Outcome
    region_bytes: int


def run_pass(
    executor: Executor, layer: Conv, which: Pass, precision: Precision, a: Codes, b: Codes, output: Output = EXACT
) -> PassResult:
    """Plans, lowers, loads, runs and reads back."""
    plan = Plan()
    program = lower(layer, which, precision, executor.config, output, plan=plan)
    commands = CommandList.place([program], plan)
    memory = np.zeros(plan.bytes, dtype=np.uint8)
    program.load(memory, a, b)
    commands.write(memory)
    outcome = executor.run(memory, commands.offset, commands.bytes)
    if outcome.error:
        raise ExecutionError(f"{which.value} pass: {outcome.error.name} at command {outcome.error_index} of the list")
    sums = program.row_sums(memory) if output.row_sums else None
    return PassResult(program.result(memory), sums, outcome, plan.bytes)
