"""NORM, SCALE, JOIN and ERROR on a memory; without C++ by the reference's own functions."""

from __future__ import annotations

from functools import partial

from cpt_model.step.memory import Memory
from cpt_model.step.native import Run, native_run
from sim.contract import Opcode, ScalarCommand, ScalarFlag
from sim.reference.reference import RUN

ADDRESSES = [name for name in ScalarCommand.TABLE if name.endswith("_addr")]


def bind_scalar(command: ScalarCommand, memory: Memory) -> Run:
    """All that it touches are blocks, which stay where they are. Flags and addresses go in the contract's order."""
    numbers = (command.bits, command.wide_bits, command.shift, command.shift1, command.channels, command.count)
    run = native_run(
        Opcode(command.opcode).name.lower(),
        *numbers,
        *map(command.flag, ScalarFlag),
        *(memory.pointer(getattr(command, name)) for name in ADDRESSES),
    )
    return run or partial(RUN[Opcode(command.opcode)], command, memory.raw)
