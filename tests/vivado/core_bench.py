"""A core that stays, for tests that run one list after the other on it, and what its lists may leave in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.contract import (
    ALL_FEATURES,
    COMMAND_BYTES,
    TENSOR_ALIGNMENT,
    Command,
    Memory,
    Outcome,
    encode_list,
    operand_a,
    operand_b,
    output,
    row_sums,
    tally_of,
)
from sim.devices.native import arguments
from sim.devices.rtl_executor import Ddr, RtlExecutor
from sim.devices.rtl_library import with_vector_unit
from sim.devices.rtl_pins import RtlPins
from sim.reference import Reference
from sim.vectors import Vector
from tests.hls.random_lists import place
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


def reference() -> Reference:
    """Of the core that the environment asks for, with a vector unit or without."""
    return Reference(TINY, features=ALL_FEATURES if with_vector_unit() else 0)


def vector_of(before: Memory, list_offset: int, commands: list[Command]) -> Vector:
    """A region with a list put into it, and what the reference makes of it."""
    data = encode_list(commands)
    before[list_offset : list_offset + len(data)] = np.frombuffer(data, dtype=np.uint8)
    after = before.copy()
    outcome = reference().run(after, list_offset, len(data))
    ends = (outcome.error, outcome.error_index, outcome.commands_done)
    return Vector("small", before, after, before.size, list_offset, len(data), *ends)


def placed(*commands: Command, reads_result: bool = False) -> Vector:
    """A list at the region's begin, all it uses apart; or each command's map is the result before it, if that is so."""
    draw, end = np.random.default_rng(3), COMMAND_BYTES * len(commands)
    own: list[Command] = []
    for number, command in enumerate(commands):
        command = replace(command, seed_lo=1000 + number, seed_hi=number)
        for name, of in (("a", operand_a), ("b", operand_b), ("out", output)):
            end = place(draw, command, name, of(command), end)
        if reads_result and own:
            command.a_addr = own[-1].out_addr
        command.sums_addr = -(-end // 4) * 4
        sums = row_sums(command)
        end = end if sums is None else sums.end
        command.tally_addr = -(-end // TENSOR_ALIGNMENT) * TENSOR_ALIGNMENT
        tally = tally_of(command)
        end = end if tally is None else tally.end
        own.append(command)
    size = -(-(end + 4096) // 64) * 64
    vector = vector_of(np.random.default_rng(5).integers(0, 256, size=size, dtype=np.uint8), 0, own)
    for command in own:  # a result that is saturated everywhere would not show a wrong sum
        assert len(np.unique(output(command).read(vector.after))) > 1
    return vector


def untouched(vector: Vector, memory: Memory) -> bool:
    """Every byte is as before the list or as one of its commands leaves it: nothing else, nothing wrong is written."""
    right = memory == vector.before
    for size in range(COMMAND_BYTES, vector.list_bytes + 1, COMMAND_BYTES):
        after = vector.before.copy()
        reference().run(after, vector.list_offset, size, vector.mem_base, vector.mem_bytes)
        right |= memory == after
    return bool(right.all())
