"""A core that stays, for tests that run one list after the other on it, and what its lists may leave in memory."""

from __future__ import annotations

import numpy as np

from sim.contract import COMMAND_BYTES, Command, Memory, Outcome, encode_list
from sim.devices.native import arguments
from sim.devices.rtl_executor import Ddr, RtlExecutor
from sim.devices.rtl_pins import RtlPins
from sim.reference import Reference
from sim.vectors import Vector
from tests.tools import TINY

WATCHDOG = 300_000  # cycles a list may take
DRAIN = 5_000  # cycles a reset may take


class Bench:
    """One core for a whole test."""

    def __init__(self, ddr: Ddr) -> None:
        self.ddr = ddr
        self.executor = RtlExecutor(TINY, ddr, WATCHDOG)
        self.pins = RtlPins(TINY, ddr)

    def start(self, vector: Vector, memory: Memory) -> None:
        self.pins.place(memory, vector.mem_base, self.ddr)
        place = (vector.list_offset, vector.list_bytes, vector.mem_base, vector.mem_bytes)
        self.pins.start(arguments(*place))

    def run(self, vector: Vector, memory: Memory, ddr: Ddr | None = None) -> Outcome:
        self.executor.ddr = ddr or self.ddr
        place = (vector.list_offset, vector.list_bytes, vector.mem_base, vector.mem_bytes)
        return self.executor.run_on(self.pins, memory, *place)

    def agrees(self, vector: Vector, ddr: Ddr | None = None) -> bool:
        memory = vector.before.copy()
        return vector.agrees(memory, self.run(vector, memory, ddr))


def vector_of(before: Memory, list_offset: int, commands: list[Command]) -> Vector:
    """A region with a list put into it, and what the reference makes of it."""
    data = encode_list(commands)
    before[list_offset : list_offset + len(data)] = np.frombuffer(data, dtype=np.uint8)
    after = before.copy()
    outcome = Reference(TINY, features=0).run(after, list_offset, len(data))
    ends = (outcome.error, outcome.error_index, outcome.commands_done)
    return Vector("small", before, after, before.size, list_offset, len(data), *ends)


def untouched(vector: Vector, memory: Memory) -> bool:
    """Every byte is as before the list or as one of its commands leaves it: nothing else, nothing wrong is written."""
    right = memory == vector.before
    for size in range(COMMAND_BYTES, vector.list_bytes + 1, COMMAND_BYTES):
        after = vector.before.copy()
        Reference(TINY, features=0).run(after, vector.list_offset, size, vector.mem_base, vector.mem_bytes)
        right |= memory == after
    return bool(right.all())
