"""Store, its buffer and the table of addresses against a model: all formats and widths, row sums, dead lanes, sets,
tallies.

Pieces come as the epilogue writes them, pair of lanes by pair, while earlier segments are being stored.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from sim.contract import Format

WORDS = (Format.INT16, Format.INT32, Format.INT64)
PIECES = 64  # of a lane
ROWS, SETS = 32, 8  # of the table of addresses
PATIENCE = 60_000  # cycles
ROOM = 1 << 16  # bytes from row to row: more than any row has
TALLY = 1 << 30  # where a tally lies


@dataclass
class Segment:
    slot: int
    row: int
    address: int
    sums: int
    pixels: int
    with_sums: bool
    with_tally: bool = False
    block: int = 0
    writes: list[dict[str, int]] = field(default_factory=list)


@dataclass
class Lane:
    """Where a lane's row goes."""

    live: bool
    address: int
    sums: int


class Command:
    """One command's results, piece by piece, and the memory they must produce."""

    def __init__(
        self, random: Random, lanes: int, out_format: Format, width: int, wgrad: bool, kernel_w: int = 3
    ) -> None:
        self.random, self.lanes, self.out_format, self.width, self.wgrad = random, lanes, out_format, width, wgrad
        self.kernel_w = kernel_w
        self.tallies = out_format in (Format.INT16, Format.PLANES) and not wgrad and random.random() < 0.6
        self.out_bits = random.choice([1, 2, 8, 16, random.randint(1, 16)]) if out_format == Format.PLANES else 0
        self.expected: dict[int, int] = {}
        self.image_stride = self.image_sums = 1 << 20
        self.pieces = {Format.INT32: 2, Format.INT64: 4}.get(out_format, 1)  # of a pixel
        row = width * self.pieces
        self.segment_log = 3 if wgrad or row <= 8 else 4 if row <= 16 else 5
        self.slots = PIECES >> self.segment_log

    def put(self, address: int, value: int, size: int) -> None:
        self.expected.update(zip(range(address, address + size), value.to_bytes(size, "little"), strict=True))

    def pixel(self, segment: Segment, x: int, lanes: list[Lane], last: bool) -> None:
        """Draws one pixel of all lanes: how it is written to the buffer, and what must be in memory."""
        place = (segment.slot << self.segment_log) + x * self.pieces
        values = [self.random.randbytes(32 * self.pieces) for _ in lanes]
        sums = [self.random.getrandbits(32) for _ in lanes]
        for lane, value, row_sum in zip(lanes, values, sums, strict=True):
            if not lane.live:
                continue
            start = lane.address + segment.address
            if self.out_format == Format.PLANES:
                for plane in range(self.out_bits):
                    word = int.from_bytes(value[2 * plane : 2 * plane + 2], "little")
                    self.put(start + 2 * (plane * self.width + x), word, 2)
            else:
                self.put(start + x * len(value), int.from_bytes(value, "little"), len(value))
            if segment.with_sums:
                self.put(lane.sums + segment.sums + 4 * x, row_sum, 4)
        for pair in range(self.lanes // 2):
            for part in range(self.pieces):
                first, second = 2 * pair, 2 * pair + 1
                if self.pieces == 1:
                    where = ((first, place, 0), (second, place, 0))
                else:
                    own, piece = first + 2 * part // self.pieces, 2 * part % self.pieces
                    where = ((own, place + piece, piece), (own, place + piece + 1, piece + 1))
                data = [int.from_bytes(values[which][32 * at : 32 * at + 32], "little") for which, _, at in where]
                segment.writes.append(
                    {
                        "write": 1,
                        "write_lanes": where[0][0] | where[1][0] << 8,
                        "write_pieces": where[0][1] | where[1][1] << 6,
                        "write_data": data[0] | data[1] << 256,
                        "sums_write": part == 0,
                        "sums_piece": (segment.slot << self.segment_log) + x,
                        "sums_pair": pair,
                        "sums": sums[first] | sums[second] << 32,
                        "last": last and pair == self.lanes // 2 - 1 and part == self.pieces - 1,
                    }
                )

    def tally(self, block: int) -> None:
        """The words that the bench's top gives for a tally, which tell where they were read."""
        reads = [(1, 7), *((0, pair) for pair in range(8))] if block == 0 else [(0, pair) for pair in range(8)]
        start = TALLY if block == 0 else TALLY + 64 + 512 * block
        for number, (header, pair) in enumerate(reads):
            for word in range(32):
                value = 1 << 15 | word << 10 | header << 9 | block % 64 << 3 | pair
                self.put(start + 64 * number + 2 * word, value, 2)

    def rows(self, count: int) -> Iterator[tuple[list[Lane], list[Segment], int]]:
        """Rows of a CONV: where each lane's goes, and its segments, sometimes of several blocks."""
        slot = 0
        for number in range(count):
            base = number * self.lanes * ROOM
            lanes = [
                Lane(self.random.random() < 0.8, base + lane * ROOM + 2 * self.random.randrange(99), base + lane * ROOM)
                for lane in range(self.lanes)
            ]
            for lane in lanes:
                lane.sums += ROOM - 4 * self.width - 4
            segments = []
            most = (1 << self.segment_log) // self.pieces
            first = self.random.choice([0, 0, 62, 4093])
            for block in range(self.random.choice([1, 2])):
                for column in range(0, self.width, most):
                    pixels = min(most, self.width - column)
                    scale = 2 if self.out_format == Format.PLANES else 32 * self.pieces
                    address = block * ROOM // 4 + column * scale
                    tallies = self.tallies and number == count - 1 and column + pixels == self.width
                    segment = Segment(
                        slot, number % ROWS, address, 4 * column, pixels, block == 0, tallies, first + block
                    )
                    if tallies:
                        self.tally(first + block)
                    slot = (slot + 1) % self.slots
                    for x in range(pixels):
                        self.pixel(segment, x, lanes, x == pixels - 1)
                    segments.append(segment)
            yield lanes, segments, 0

    def sets(self, count: int) -> Iterator[tuple[list[Lane], list[Segment], int]]:
        """Sets of a WGRAD: lane kx * 16 + ci has kernel column kx, channel ci; each is a segment of one pixel."""
        for number in range(count):
            base, taps = number * ROOM, self.kernel_w if self.kernel_w <= 3 else self.random.randint(1, 5)
            lanes = [
                Lane(
                    lane // 16 < taps,
                    base + lane // 16 * 32 * self.pieces + lane % 16 * self.image_stride,
                    base + ROOM // 2 + lane // 16 * 4 + lane % 16 * self.image_sums,
                )
                for lane in range(self.lanes)
            ]
            segment = Segment(number % SETS, ROWS + number % SETS, 0, 0, 1, self.random.random() < 0.5)
            self.pixel(segment, 0, lanes, True)
            yield lanes, [segment], taps


class Bench:
    """Drives one command after another; all waits are bounded."""

    def __init__(self, dut: Any, random: Random) -> None:
        self.dut, self.random, self.pause = dut, random, 0.0
        self.sizes: set[int] = set()  # of the command's requests
        self.beat = len(dut.data) // 8
        self.memory: dict[int, int] = {}
        self.requests: deque[tuple[int, int]] = deque()
        self.data = bytearray()
        self.freed = self.cycles = self.beats = 0

    async def cycle(self, **pins: int) -> None:
        """One cycle with these pins; takes what comes out of it."""
        for name, value in pins.items():
            getattr(self.dut, name).value = value
        asked, given = (self.random.random() >= self.pause for _ in range(2))
        self.dut.req_ready.value, self.dut.data_ready.value = asked, given
        await FallingEdge(self.dut.clk)
        self.cycles += 1
        assert self.cycles < PATIENCE, "the store hangs"
        self.note()
        for name in pins.keys() & {"row_valid", "set_valid", "open_valid", "write", "sums_write", "last"}:
            getattr(self.dut, name).value = 0

    def note(self) -> None:
        """What the last rising edge took, as the bench top's registers of the handshakes have it."""
        if int(self.dut.freed.value):
            self.freed += 1
        if int(self.dut.asked.value):
            self.requests.append((int(self.dut.asked_addr.value), int(self.dut.asked_bytes.value)))
            self.sizes.add(self.requests[-1][1])
        if int(self.dut.given.value):
            self.beats += 1
            self.data += int(self.dut.given_data.value).to_bytes(self.beat, "little")
        while self.requests and len(self.data) >= -(-self.requests[0][1] // self.beat) * self.beat:
            address, size = self.requests.popleft()
            for place, byte in enumerate(self.data[:size], start=address):
                assert place not in self.memory, f"byte {place:#x} is written twice"
                self.memory[place] = byte
            del self.data[: -(-size // self.beat) * self.beat]

    async def run(self, command: Command, count: int) -> None:
        dut = self.dut
        self.sizes.clear()
        self.memory, self.freed, self.cycles, self.beats = {}, 0, 0, 0
        dut.out_format.value, dut.out_bits.value = command.out_format, command.out_bits
        dut.y_width.value = command.width
        dut.wgrad.value, dut.kernel_w.value = command.wgrad, command.kernel_w
        dut.segment_log.value, dut.image_stride.value = command.segment_log, command.image_stride
        dut.image_sums.value = command.image_sums
        dut.tally_addr.value = TALLY
        opened = 0
        await self.cycle()
        await self.cycle()
        for lanes, segments, taps in command.sets(count) if command.wgrad else command.rows(count):
            if not command.wgrad:
                for number, lane in enumerate(lanes):
                    row = {"row_lane": number, "row_number": segments[0].row, "row_live": lane.live}
                    await self.cycle(row_valid=1, **row, row_address=lane.address, row_sums=lane.sums)
            for segment in segments:
                while opened - self.freed == command.slots:
                    await self.cycle()
                pins = {f"open_{name}": int(value) for name, value in vars(segment).items() if name != "writes"}
                if command.wgrad:
                    first = lanes[0]
                    pins |= {"set_valid": 1, "set_taps": taps, "row_address": first.address, "row_sums": first.sums}
                await self.cycle(open_valid=1, **pins)
                opened += 1
                for _ in range(command.lanes // 2 + 2 if command.wgrad else 0):  # the table is written
                    await self.cycle()
                for write in segment.writes:
                    await self.cycle(**write)
        while not int(dut.idle.value) or self.requests:
            await self.cycle()
        for _ in range(4):
            await self.cycle()
        assert opened == self.freed
        assert not self.data
        assert self.memory == command.expected, (
            f"{command.out_format.name}, {command.width} wide, {command.out_bits} bits"
        )


async def begin(dut: Any) -> Bench:
    bench = Bench(dut, Random(os.environ["CPT_SEED"]))
    Clock(dut.clk, 2, "ns").start()
    for pin in ("row_valid", "set_valid", "open_valid", "write", "last", "sums_write"):
        getattr(dut, pin).value = 0
    dut.rst_n.value = 0
    for _ in range(3):
        await bench.cycle()
    dut.rst_n.value = 1
    return bench


@cocotb.test()
async def rows_of_every_width_and_format(dut: Any) -> None:
    """Commands back to back, requests and data taken at once or in half of the cycles."""
    bench = await begin(dut)
    lanes = int(os.environ["CPT_LANES"])
    for width in range(1, 41) if lanes == 16 else (1, 7, 8, 16, 31, 32, 33):
        for out_format in (Format.PLANES, WORDS[width % 3]):
            bench.pause = bench.random.choice([0.0, 0.5])
            await bench.run(Command(bench.random, lanes, out_format, width, wgrad=False), 1)


@cocotb.test()
async def sets_of_a_wgrad(dut: Any) -> None:
    bench = await begin(dut)
    """With a kernel of three columns and 48 lanes, those of a row are one write: a third of the requests."""
    lanes = int(os.environ["CPT_LANES"])
    for out_format, kernel_w in product(WORDS, (1, 2, 3, 5)):
        bench.pause = bench.random.choice([0.0, 0.5])
        command = Command(bench.random, lanes, out_format, 3, wgrad=True, kernel_w=kernel_w)
        await bench.run(command, 12)
        joined = lanes == 48 and kernel_w == 3 and out_format != Format.INT64
        assert (3 * 32 * command.pieces in bench.sizes) == joined


@cocotb.test()
@cocotb.parametrize(width=[8, 16, 32])
async def planes_at_the_pace_of_the_bus(dut: Any, width: int) -> None:
    """A plane of a row is read in a cycle: that is the bus's pace where the row fills a beat, else as much slower."""
    bench = await begin(dut)
    lanes = int(os.environ["CPT_LANES"])
    command = Command(bench.random, lanes, Format.PLANES, width, wgrad=False)
    command.out_bits = 16
    await bench.run(command, 3)
    produced = 3 * 2 * lanes // 2 * width  # cycles in which pieces come, at most
    reads = bench.beats * max(1, bench.beat // (2 * width))
    assert bench.cycles <= 1.05 * reads + produced + 300, f"{bench.cycles} cycles for {bench.beats} beats"
