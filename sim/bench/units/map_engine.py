"""The MAP engine against the reference: random commands and corners, on a memory port that pauses at random."""

from __future__ import annotations

import os
from collections import deque
from random import Random
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge

from sim.bench.runner import PERIOD_NS
from sim.contract import COMMAND_BYTES, Block, Build, Error, MapCommand
from sim.contract.noise import random_codes
from sim.vectors.build import extreme_codes
from sim.vectors.step.maps import add_map, coefficients, map_ends, map_operands, map_rounding, map_shapes, map_widths
from sim.vectors.step.region import Region, Shape
from sim.vectors.vector import Vector

PATIENCE = 60_000  # cycles of a command
USED_WORDS = 23
SHAPES: tuple[Shape, ...] = (
    *((1, 16, 1, 1), (3, 48, 1, 1), (2, 32, 5, 2), (2, 16, 3, 4), (2, 32, 9, 8), (1, 16, 5, 16), (2, 16, 3, 32)),
    *((1, 16, 3, 64), (1, 16, 2, 65), (1, 16, 2, 31), (1, 32, 7, 7), (2, 16, 9, 14), (1, 16, 3, 28), (1, 16, 2, 56)),
    *((1, 16, 2, 130), (5, 64, 2, 2), (1, 16, 33, 3), (2, 16, 17, 1)),
)


class Port:
    """What the vector unit lends an engine: byte ranges as full beats, in the order of the requests."""

    def __init__(self, dut: Any, random: Random, pause: float, latency: int) -> None:
        self.dut, self.random, self.pause, self.latency = dut, random, pause, latency
        self.memory = np.zeros(0, dtype=np.uint8)
        self.reads: deque[tuple[int, bytes, bool]] = deque()  # when it is there at the earliest, beat, last
        self.writes: deque[tuple[int, int]] = deque()  # address, bytes left
        self.beat = len(dut.rd_data_i) // 8
        self.cycle = 0

    def willing(self) -> bool:
        return self.random.random() >= self.pause

    def asked_for(self, request: int) -> tuple[int, int] | None:
        """Address and bytes of a request_t, if there is one."""
        if not request >> 50:
            return None
        address, size = request >> 18 & 0xFFFFFFFF, request & 0x3FFFF
        assert address % 2 == 0
        assert 0 < size <= 262000
        assert address + size <= self.memory.size
        return address, size

    def take_read(self) -> None:
        if asked := self.asked_for(int(self.dut.rd_req_o.value)):
            address, size = asked
            for first in range(0, size, self.beat):
                data = self.memory[address + first : address + min(first + self.beat, size)].tobytes()
                filled = data + self.random.randbytes(self.beat - len(data))
                self.reads.append((self.cycle + self.latency, filled, first + self.beat >= size))

    def take_write(self) -> None:
        if asked := self.asked_for(int(self.dut.wr_req_o.value)):
            self.writes.append(asked)

    def take_beat(self) -> None:
        address, size = self.writes.popleft()
        data = int(self.dut.wr_data_o.value).to_bytes(self.beat, "little")[:size]
        self.memory[address : address + len(data)] = np.frombuffer(data, dtype=np.uint8)
        if size > self.beat:
            self.writes.appendleft((address + self.beat, size - self.beat))

    async def run(self) -> None:
        dut = self.dut
        offered = False
        while True:
            self.cycle += 1
            ask, write, beat = self.willing(), self.willing(), self.willing() and bool(self.writes)
            offered = bool(self.reads) and self.reads[0][0] <= self.cycle and (offered or self.willing())
            dut.rd_req_ready_i.value, dut.wr_req_ready_i.value, dut.wr_ready_i.value = ask, write, beat
            dut.rd_valid_i.value, dut.wr_idle_i.value = offered, not self.writes
            if offered:
                dut.rd_data_i.value = int.from_bytes(self.reads[0][1], "little")
                dut.rd_last_i.value = self.reads[0][2]
            await FallingEdge(dut.clk_i)  # what the engine says is settled; it is taken at the next rising edge
            if ask:
                self.take_read()
            if beat and int(dut.wr_valid_o.value):
                self.take_beat()
            if write:
                self.take_write()
            if offered and int(dut.rd_ready_o.value):
                self.reads.popleft()
                offered = False
            await ClockCycles(dut.clk_i, 1)


async def begin(dut: Any, random: Random, pause: float, latency: int) -> Port:
    Clock(dut.clk_i, PERIOD_NS, "ns").start()
    dut.rst_ni.value = dut.start_i.value = dut.rd_valid_i.value = 0
    await ClockCycles(dut.clk_i, 3)
    dut.rst_ni.value = 1
    port = Port(dut, random, pause, latency)
    cocotb.start_soon(port.run())
    return port


async def execute(dut: Any, port: Port, command: MapCommand) -> Error:
    """Runs a command to its end."""
    data = command.encode()
    dut.words_i.value = int.from_bytes(data[: 4 * USED_WORDS], "little")
    dut.count_i.value = command.images * command.height * command.width
    dut.start_i.value = 1
    await ClockCycles(dut.clk_i, 1)
    dut.start_i.value = 0
    for _ in range(PATIENCE):
        await FallingEdge(dut.clk_i)
        if int(dut.done_o.value):
            assert not port.writes, f"{command} is done before its last write"
            assert not port.reads, f"{command} is done before its last read"
            error = Error(int(dut.error_o.value))
            await ClockCycles(dut.clk_i, 1)
            return error
        await ClockCycles(dut.clk_i, 1)
    raise AssertionError(f"{command} does not end")


async def check(dut: Any, port: Port, vector: Vector) -> None:
    """All commands of a vector, then its memory."""
    port.memory = vector.before.copy()
    for place in range(vector.list_offset, vector.list_offset + vector.list_bytes, COMMAND_BYTES):
        command = MapCommand.decode(vector.before[place : place + COMMAND_BYTES].tobytes())
        error = await execute(dut, port, command)
        assert error == Error.OK, f"{vector.name}: {error.name} of {command}"
    wrong = np.flatnonzero(port.memory != vector.after)
    assert not wrong.size, f"{vector.name}: {wrong.size} bytes differ, from {wrong[0]:#x} on, after {command}"


def random_map(region: Region, random: Random, shape: Shape) -> None:
    """A command of any legal kind."""
    signed, tally, k = random.random() < 0.5, random.random() < 0.6, random.randint(0, 30)
    sums = tally and random.random() < 0.2
    x1 = (random.randint(1, 16), random.random() < 0.5) if random.random() < 0.5 and not sums else None
    shifts: dict[str, Any] = {"k": k, "j": random.randint(-47, 47), "scale_shift": random.randint(0, 47)}
    add_map(
        region,
        (random.randint(1, 16), random.random() < 0.5),
        x1,
        x2=random.randint(1, 16) if tally and random.random() < 0.6 else 0,
        out0=0 if sums else random.randint(2, 16) if signed else random.randint(1, 16),
        out1=0 if sums or random.random() < 0.5 else random.randint(2, 16),
        signed=signed,
        mask=random.choice(("", "x0") if sums else ("", "x0", "out", "write")),
        tally=tally,
        broadcast=random.random() < 0.2,
        seed=random.getrandbits(64) if random.random() < 0.5 and not sums else None,
        shape=shape,
        fill=random.choice((random_codes, random_codes, extreme_codes)),
        **({} if sums else shifts),
    )


@cocotb.test()
async def agrees_with_the_reference(dut: Any) -> None:
    random = Random(os.environ["CPT_SEED"])
    port = await begin(dut, random, 0.0, 0)
    for number, shape in enumerate((*SHAPES, *SHAPES)):
        port.pause, port.latency = random.choice(((0.0, 0), (0.1, 30), (0.4, 5), (0.05, 100)))
        region = Region(f"random-{os.environ['CPT_SEED']}-{number}", Build.named("tiny"))
        random_map(region, random, shape)
        await check(dut, port, region.vector())


@cocotb.test()
async def executes_the_vectors(dut: Any) -> None:
    port = await begin(dut, Random(os.environ["CPT_SEED"]), 0.1, 20)
    for family in (map_widths, map_operands, map_shapes, map_ends, map_rounding):
        for vector in family(Build.named("tiny")):
            await check(dut, port, vector)


@cocotb.test()
async def refuses_headers(dut: Any) -> None:
    """And writes nothing; the next command is right."""
    random = Random(os.environ["CPT_SEED"])
    port = await begin(dut, random, 0.2, 10)
    shifts: list[dict[str, Any]] = [{"k": -1}, {"k": 31}, {"j": 48}, {"j": -48}, {"scale_shift": 48}]
    for case in (*shifts, {"scale_shift": -1}, "kind", "channels", "step"):
        region = Region(f"refused-{case}", Build.named("tiny"))
        change = case if isinstance(case, dict) else {}
        places = {"coefficients": coefficients(region, 2 if case == "channels" else 1, **change)}
        if case == "kind":
            places["coefficients"] = region.absent(Block.COEFFICIENTS, 16)
        if case == "step":
            places["step"] = region.absent(Block.STEP)
        add_map(region, tally=True, seed=1, places=places)
        vector = region.vector((Error.COEFFICIENTS, 0))
        port.memory = vector.before.copy()
        command = region.commands[0]
        assert isinstance(command, MapCommand)
        error = await execute(dut, port, command)
        assert error == Error.COEFFICIENTS, f"{case}: {error.name}"
        assert np.array_equal(port.memory, vector.before)
    region = Region("after", Build.named("tiny"))
    random_map(region, random, SHAPES[2])
    await check(dut, port, region.vector())
