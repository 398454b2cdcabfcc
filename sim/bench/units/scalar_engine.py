"""The scalar engine against the reference: every scalar command of the vectors, and blocks that hold random bits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from sim.bench.units.commands import words_of
from sim.bench.units.engine_port import EnginePort
from sim.contract import CLASSES, COMMAND_BYTES, Build, Error, Memory, ScalarCommand
from sim.contract.operands import scalar_operands
from sim.reference import Reference
from sim.vectors.catalogue import families
from sim.vectors.step import backward, norms, refusals, scales

BUILD = Build.named("tiny")
PATIENCE = 60_000  # cycles of a command, at most


@dataclass
class Case:
    name: str
    data: bytes
    memory: Memory

    @property
    def command(self) -> ScalarCommand:
        command = CLASSES[self.data[0]].decode(self.data)
        assert isinstance(command, ScalarCommand)
        return command


def cases() -> Iterator[Case]:
    """The scalar commands of vectors that the checks let pass, with memory as they find it."""
    reference = Reference(BUILD)
    for family in families(norms, scales, backward, refusals):
        for vector in family(BUILD):
            memory = vector.before.copy()
            span = (vector.list_offset, vector.list_offset + vector.list_bytes)
            for place in range(*span, COMMAND_BYTES):
                data = memory[place : place + COMMAND_BYTES].tobytes()
                before = memory.copy()
                error = reference.step(data, memory, vector.mem_bytes, span)
                if error in (Error.OK, Error.COEFFICIENTS) and CLASSES[data[0]] is ScalarCommand:
                    yield Case(vector.name, data, before)
                if error:
                    break


def spoiled(case: Case, random: Random) -> Case:
    """Random bits in records and headers, but for the words that are judged; most of them small changes."""
    memory = case.memory.copy()
    for place in scalar_operands(case.command).all.values():
        words = memory[place.address : place.end].view("<u4")
        for _ in range(random.randint(0, 6)):
            index = random.randrange(3, words.size)
            words[index] = random.choice((0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, random.getrandbits(32)))
    return Case(f"{case.name}, spoiled", case.data, memory)


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.random = Random(os.environ["CPT_SEED"])
        self.bus_bytes = int(os.environ["CPT_BUS_BYTES"])

    async def begin(self) -> None:
        dut = self.dut
        Clock(dut.clk_i, 2, "ns").start()
        dut.rst_ni.value = dut.start_i.value = dut.rd_valid_i.value = 0
        for _ in range(2):
            await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1

    async def run(self, case: Case, stall: float, latency: int) -> tuple[Error, Memory, int]:
        """What the engine makes of a command, and its cycles."""
        dut, memory = self.dut, case.memory.copy()
        dut.words_i.value, _ = words_of(case.data)
        dut.count_i.value = case.command.count
        port = EnginePort(dut, memory, self.bus_bytes, self.random, stall, latency)
        dut.start_i.value = 1
        await port.step()
        dut.start_i.value = 0
        error = None
        for _ in range(PATIENCE):
            if int(dut.done_o.value):
                error = Error(int(dut.error_o.value))
            await port.step()
            if error is not None:
                break
        assert error is not None, f"{case.name} does not end"
        while port.writes:
            await port.step()
            assert port.cycle < PATIENCE
        return error, memory, port.cycle

    async def check(self, case: Case, stall: float, latency: int) -> int:
        expected = case.memory.copy()
        wanted = Reference(BUILD).step(case.data, expected, 1 << 31, (0, 0))
        error, memory, cycles = await self.run(case, stall, latency)
        assert error == wanted, f"{case.name}: {error.name} instead of {wanted.name}"
        if not np.array_equal(memory, expected):
            raise AssertionError(f"{case.name}: {difference(case, memory, expected)}")
        return cycles


def difference(case: Case, memory: Memory, expected: Memory) -> str:
    """The first byte that is wrong, and in which block."""
    byte = int(np.flatnonzero(memory != expected)[0])
    places = scalar_operands(case.command).all
    names = [f"{name} + {byte - place.address}" for name, place in places.items() if place.address <= byte < place.end]
    word = byte & ~7
    found, wanted = (int.from_bytes(each[word : word + 8].tobytes(), "little") for each in (memory, expected))
    return f"{names} is {found:#018x} instead of {wanted:#018x}; {case.command}"


@cocotb.test()
async def agrees_with_the_reference(dut: Any) -> None:
    bench = Bench(dut)
    await bench.begin()
    every = int(os.environ.get("CPT_EVERY", "1"))
    for number, case in enumerate(cases()):
        stall = bench.random.choice((0.0, 0.1, 0.6))
        if number % every == 0:
            await bench.check(case, stall, bench.random.choice((1, 5, 60)))
            await bench.check(spoiled(case, bench.random), stall, 3)
