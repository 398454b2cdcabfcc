"""NORM, SCALE, JOIN and ERROR on a memory; without C++ by the reference's own functions."""

from __future__ import annotations

from functools import partial

from cpt_model.step.memory import Memory
from cpt_model.step.native import Run, native_run
from sim.contract import Opcode, ScalarCommand, ScalarFlag
from sim.reference.reference import RUN

# In the order of the C++ struct.
FLAGS = ("EVALUATE", "RELU", "NODE", "STREAM", "BRANCH", "POWER")
BLOCKS = (
    "tally",
    "tally1",
    "norm",
    "norm1",
    "parameters",
    "units",
    "units1",
    "in",
    "in1",
    "out",
    "coefficients",
    "step",
)


def bind_scalar(command: ScalarCommand, memory: Memory) -> Run:
    """All that it touches are blocks, which stay where they are."""
    numbers = (command.bits, command.wide_bits, command.shift, command.shift1, command.channels, command.count)
    run = native_run(
        Opcode(command.opcode).name.lower(),
        *numbers,
        *(command.flag(ScalarFlag[name]) for name in FLAGS),
        *(memory.pointer(getattr(command, f"{name}_addr")) for name in BLOCKS),
    )
    return run or partial(RUN[Opcode(command.opcode)], command, memory.raw)
