"""Cycles of NORM, SCALE, JOIN and ERROR: programs on 16 channels at a time.

The constants were fitted on `vivado/steps-*.json`, draw "fitted on" (`cpt latency`).
"""

from __future__ import annotations

from typing import NamedTuple

from sim.contract import Opcode, ScalarCommand, ScalarFlag, blocks_of
from sim.latency.time import CommandTime, Memory


class Program(NamedTuple):
    """Cycles, and times that it waits for memory, apart from its channels and for 16 of them."""

    begins: float
    waits: float
    each: float
    each_waits: float = 0.0


PROGRAMS = {
    Opcode.NORM: Program(266, 3, 1542),
    Opcode.SCALE: Program(474, 2, 532, 1),
    Opcode.JOIN: Program(716, 3.5, 328),
    Opcode.ERROR: Program(790, 3.5, 1750),
}
# What a flag adds.
FLAGS = {
    (Opcode.SCALE, ScalarFlag.NODE): Program(467, 1, -103, -1),
    (Opcode.SCALE, ScalarFlag.STREAM): Program(105, 0, 31, 0.5),
    (Opcode.SCALE, ScalarFlag.BRANCH): Program(31, 0, 186, 0.5),
    (Opcode.JOIN, ScalarFlag.STREAM): Program(42, 0, 0),
    (Opcode.JOIN, ScalarFlag.BRANCH): Program(0, 0, 113),
}
HISTORY = Program(34, 0, 71, 1)  # and the history of a node, which the first iteration does not have
UNITS_BY_CHANNEL = {Opcode.JOIN: Program(-66, 0, 93), Opcode.ERROR: Program(40, 0, 24)}  # and no POWER


def scalar_time(command: ScalarCommand, memory: Memory, load: float, store: float, history: bool) -> CommandTime:
    opcode = Opcode(command.opcode)
    parts = [PROGRAMS[opcode], *(more for (of, flag), more in FLAGS.items() if of == opcode and command.flag(flag))]
    if opcode == Opcode.SCALE and command.flag(ScalarFlag.NODE) and history:
        parts.append(HISTORY)
    if opcode in UNITS_BY_CHANNEL and not command.flag(ScalarFlag.POWER):
        parts.append(UNITS_BY_CHANNEL[opcode])
    begins, waits, each, each_waits = map(sum, zip(*parts, strict=True))
    compute = (each + each_waits * memory.latency) * blocks_of(command.channels)
    return CommandTime(begins + waits * memory.latency + compute, compute, load, store)
