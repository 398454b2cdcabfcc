"""Reader and writer against an AXI memory with delays, pauses and bad beats; the rules are asserted in the RTL."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiBus, AxiSlave

from sim.bench.memory import BusError, SlowMemory, hold_back
from sim.bench.runner import PERIOD_NS
from sim.bench.units.streams import Sink, Source

BASE = 0x1000
SIZE = 0x8000
PATIENCE = 200_000  # cycles
Range = tuple[int, int]  # bus address, bytes


class SpottedMemory(SlowMemory):
    """A memory that answers some of its beats with an error."""

    bad: frozenset[int] = frozenset()  # beats, by number

    def _place(self, address: int, length: int, error: int) -> int:
        if address // self.beat in self.bad:
            raise BusError(f"the beat at {address:#x} is bad")
        return super()._place(address, length, error)

    beat = 8


class Bench:
    """The engines with a memory on one side and streams on the other."""

    def __init__(self, dut: Any, pause: float, delay: int) -> None:
        self.dut = dut
        self.random = Random(f"{os.environ['CPT_SEED']} {pause} {delay}")
        self.beat = len(dut.m_axi_wstrb)
        self.memory = SpottedMemory(BASE, self.random, delay)
        self.memory.beat = self.beat
        self.memory.image = bytearray(self.random.randbytes(SIZE))
        slave = AxiSlave(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst_n, self.memory, reset_active_level=False)
        write, read = slave.write_if, slave.read_if
        channels = (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel)
        if pause:
            cocotb.start_soon(hold_back(dut.clk, channels, self.random, pause))

        def put_range(prefix: str) -> Any:
            def put(request: Range) -> None:
                getattr(dut, f"{prefix}_addr").value, getattr(dut, f"{prefix}_bytes").value = request

            return put

        def put_data(data: bytes) -> None:
            dut.wdata_data.value = int.from_bytes(data, "little")

        def get_data() -> tuple[bytes, bool, bool]:
            data = int(dut.rdata_data.value).to_bytes(self.beat, "little")
            return data, bool(int(dut.rdata_last.value)), bool(int(dut.rdata_error.value))

        self.reads = Source(dut, "rreq", put_range("rreq"), self.random, pause)
        self.data = Sink(dut, "rdata", get_data, self.random, pause)
        self.writes = Source(dut, "wreq", put_range("wreq"), self.random, pause)
        self.stream = Source(dut, "wdata", put_data, self.random, pause)

    async def reset(self) -> None:
        Clock(self.dut.clk, PERIOD_NS, "ns").start()
        self.dut.flush.value = 0
        self.dut.rst_n.value = 0
        await ClockCycles(self.dut.clk, 3)
        self.dut.rst_n.value = 1
        for process in (self.reads, self.data, self.writes, self.stream):
            cocotb.start_soon(process.run())

    def ranges(self, count: int) -> list[Range]:
        """Random byte ranges from even addresses: short and long, at 4 KB boundaries, single bytes, whole beats."""
        drawn = []
        for _ in range(count):
            most = self.random.choice([1, 2, 4 * self.beat, 40 * self.beat])
            size = self.random.choice([self.beat, self.random.randint(1, most)])
            corner = self.random.choice([0x1000, 0x2000]) - self.random.choice([0, 2, self.beat, size])
            start = self.random.choice([max(0, corner), self.random.randrange(SIZE - size)])
            drawn.append((BASE + min(start, SIZE - size) // 2 * 2, size))
        return drawn

    def beats(self, request: Range) -> int:
        return -(-request[1] // self.beat)

    async def until(self, done: Any) -> int:
        """Waits; returns the cycles it took."""
        for cycle in range(PATIENCE):
            if done():
                return cycle
            await RisingEdge(self.dut.clk)
        raise AssertionError("the engines hang")

    def check_read(self, request: Range, answer: list[tuple[bytes, bool, bool]]) -> None:
        start, size = request[0] - BASE, request[1]
        data = b"".join(beat for beat, _, _ in answer)[:size]
        marks = [last for _, last, _ in answer]
        assert marks == [False] * (len(answer) - 1) + [True], f"{request}: last at {marks}"
        errors = [error for _, _, error in answer]
        if not any(errors):
            assert data == self.memory.image[start : start + size], f"{request}: wrong bytes"
        for number, error in enumerate(errors):
            first = request[0] + number * self.beat
            last = min(first + self.beat, request[0] + size) - 1
            bad = any(beat in self.memory.bad for beat in range(first // self.beat, last // self.beat + 1))
            assert error == bad, f"{request}: error of beat {number} is {error}"


async def read_ranges(bench: Bench, ranges: list[Range]) -> int:
    """Reads ranges, compares; returns the cycles."""
    bench.data.taken.clear()
    bench.reads.add(ranges)
    total = sum(map(bench.beats, ranges))
    cycles = await bench.until(lambda: len(bench.data.taken) >= total)
    taken = iter(list(bench.data.taken))
    for request in ranges:
        bench.check_read(request, [next(taken) for _ in range(bench.beats(request))])
    await ClockCycles(bench.dut.clk, 3)
    assert int(bench.dut.read_idle.value)
    assert len(bench.data.taken) == total
    return cycles


async def write_ranges(bench: Bench, ranges: list[Range]) -> int:
    """Writes random bytes, compares the whole memory; returns the cycles."""
    expected = bytearray(bench.memory.image)
    for start, size in ranges:
        data = bench.random.randbytes(size)
        expected[start - BASE : start - BASE + size] = data
        padded = data + bench.random.randbytes(-size % bench.beat)
        bench.stream.add(padded[i : i + bench.beat] for i in range(0, size, bench.beat))
    bench.writes.add(ranges)
    cycles = await bench.until(lambda: not bench.stream.items and not bench.writes.items)
    await ClockCycles(bench.dut.clk, 3)
    cycles += await bench.until(lambda: int(bench.dut.write_idle.value))
    assert bench.memory.image == expected, "the memory differs"
    return cycles


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.3, 0.7], delay=[0, 5])
async def ranges_come_and_go(dut: Any, pause: float, delay: int) -> None:
    """Reads and writes of all shapes, each alone and both at once."""
    bench = Bench(dut, pause, delay)
    await bench.reset()
    for _ in range(3):
        await write_ranges(bench, bench.ranges(12))
        await read_ranges(bench, bench.ranges(12))
    half = SIZE // 2
    low = [(BASE + (start - BASE) % (half - 3000), size) for start, size in bench.ranges(20)]
    high = [(BASE + half + (start - BASE) % (half - 3000), size) for start, size in bench.ranges(20)]
    writing = cocotb.start_soon(write_ranges(bench, high))
    await read_ranges(bench, low)
    await writing
    assert not int(dut.write_error.value)


@cocotb.test()
async def a_beat_a_cycle(dut: Any) -> None:
    """Back-to-back requests keep the bus busy, whatever their alignment."""
    bench = Bench(dut, pause=0, delay=0)
    await bench.reset()
    for offset in (0, 2):
        ranges = [(BASE + offset + 20 * bench.beat * i, 20 * bench.beat) for i in range(20)]
        on_bus = 20 * (20 + (offset > 0))
        # The model of the memory itself pauses a cycle or two between bursts, two or three to a request.
        for cycles in (await read_ranges(bench, ranges), await write_ranges(bench, ranges)):
            assert cycles <= on_bus + 20 * 3 * 2 + 20, f"offset {offset}: {cycles} cycles for {on_bus} beats"


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.4])
async def errors_are_where_they_belong(dut: Any, pause: float) -> None:
    """A bad beat marks exactly the beats of the stream that hold bytes of it; a bad write is remembered."""
    bench = Bench(dut, pause, delay=3)
    await bench.reset()
    first = BASE // bench.beat
    bench.memory.bad = frozenset(bench.random.sample(range(first, first + SIZE // bench.beat), SIZE // bench.beat // 9))
    await read_ranges(bench, bench.ranges(30))
    spot = next(beat for beat in range(first, first + 1000) if beat in bench.memory.bad) * bench.beat
    assert not int(dut.write_error.value)
    bench.stream.add([bytes(bench.beat)])
    bench.writes.add([(spot, bench.beat)])
    await bench.until(lambda: int(dut.write_error.value))
    bench.memory.bad = frozenset()
    await write_ranges(bench, bench.ranges(5))
    assert int(dut.write_error.value), "the error was lost"
    dut.flush.value = 1
    await ClockCycles(dut.clk, 2)
    dut.flush.value = 0
    await ClockCycles(dut.clk, 1)
    assert not int(dut.write_error.value)


@cocotb.test()
@cocotb.parametrize(cycles=[1, 4, 9, 23, 61])
async def a_flush_in_mid_flight(dut: Any, cycles: int) -> None:
    """A flush ends whatever is in flight; nothing outside the ranges is written; the next requests are right."""
    bench = Bench(dut, pause=0.3, delay=4)
    await bench.reset()
    for _ in range(4):
        before = bytes(bench.memory.image)
        lower, upper = (BASE, 3000), (BASE + 0x4002, 3000)
        bench.reads.add([lower] * 3)
        bench.writes.add([upper])
        bench.stream.add([bench.random.randbytes(bench.beat)] * 40)
        await ClockCycles(dut.clk, cycles + bench.random.randrange(5))
        dut.flush.value = 1
        for source in (bench.reads, bench.writes, bench.stream):
            source.drop()
        await ClockCycles(dut.clk, 2)
        await bench.until(lambda: int(dut.read_idle.value) and int(dut.write_idle.value))
        dut.flush.value = 0
        assert bench.memory.image[:0x4002] == before[:0x4002]
        assert bench.memory.image[0x4002 + 3000 :] == before[0x4002 + 3000 :]
        await write_ranges(bench, bench.ranges(4))
        await read_ranges(bench, bench.ranges(4))
