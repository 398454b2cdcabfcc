"""Passes on the Verilated core in one list, as a host starts them: each one's share of the list's cycles.

A pass that occurs several times is lowered once and keeps its tensors, so long lists need little memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from host.compiler.command_list import CommandList
from host.compiler.jobs import random_operands
from host.compiler.layer import Conv, Pass
from host.compiler.lower import lower
from host.compiler.plan import Plan
from host.compiler.precision import Output, Precision
from host.compiler.program import Program
from sim.contract import NOTHING, Build, Counters
from sim.reference import Reference

if TYPE_CHECKING:
    from sim.devices.rtl_executor import RtlExecutor


class AskedPass(NamedTuple):
    """What is run: a layer's pass, its widths, and the form of its results."""

    layer: Conv
    which: Pass
    precision: Precision
    stored: Output

    def lower(self, build: Build, plan: Plan, name: str = "") -> Program:
        return lower(self.layer, self.which, self.precision, build, self.stored, plan=plan, name=name)

    def __str__(self) -> str:
        return f"{self.layer}, {self.which.value} pass, {self.precision}"


def simulate_list(executor: RtlExecutor, passes: Sequence[AskedPass], verify: bool) -> list[Counters]:
    """Counters of each pass, from the end of the one before to its own; on request all results are compared."""
    plan = Plan()
    programs = {each: each.lower(executor.build, plan, str(i)) for i, each in enumerate(dict.fromkeys(passes))}
    commands = CommandList.place([programs[each] for each in passes], plan)
    once = CommandList.place(list(programs.values()), plan, "once")
    memory = np.zeros(plan.bytes, dtype=np.uint8)
    for each, program in programs.items():
        program.load(memory, *random_operands(each.layer, each.which, each.precision, seed=1))
    commands.write(memory)
    once.write(memory)
    expected = memory.copy() if verify else None
    outcome = executor.run(memory, commands.offset, commands.bytes)
    what = f"a list of {len(passes)} passes, {passes[0]} the first"
    if outcome.error:
        raise RuntimeError(f"{what}: {outcome}")
    if expected is not None:
        Reference(executor.build).run(expected, once.offset, once.bytes)
        if not np.array_equal(memory, expected):
            raise RuntimeError(f"{what}: results differ from the reference")
    counted = iter(executor.commands)
    return [sum(islice(counted, len(programs[each].commands)), start=NOTHING) for each in passes]


def as_row(counted: Counters) -> dict[str, int]:
    """Counters as files of measurements have them."""
    return {"cycles": counted.total, **{name: value for name, value in asdict(counted).items() if name != "total"}}
