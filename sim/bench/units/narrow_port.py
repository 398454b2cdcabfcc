"""A narrow port between an engine that reads and writes random ranges and a memory that pauses."""

from __future__ import annotations

import os
from collections import deque
from random import Random
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from sim.bench.units.engine_port import ADDRESS_BITS, BYTES_BITS, EnginePort

WIDE, NARROW = int(os.environ.get("CPT_WIDE", "64")), int(os.environ.get("CPT_NARROW", "16"))
REGION = 1 << 14  # bytes; the upper half is written
RANGES = 300
PATIENCE = 60_000  # cycles


class Engine(EnginePort):
    """The memory, and the engine before the port: ranges of each side in order, and the pieces that they have."""

    def __init__(self, dut: Any, random: Random, stall: float, latency: int) -> None:
        memory = np.frombuffer(random.randbytes(REGION), dtype=np.uint8).copy()
        super().__init__(dut, memory, WIDE, random, stall, latency)
        self.expected = memory.copy()
        self.to_read = deque(self.range_of(0) for _ in range(RANGES))
        self.to_write = deque(self.range_of(REGION // 2) for _ in range(RANGES))
        self.read_pieces: deque[tuple[bytes, bool]] = deque()
        self.write_pieces: deque[bytes] = deque()
        self.asks_read = self.asks_write = self.takes = self.gives = False

    def range_of(self, base: int) -> tuple[int, int]:
        size = self.random.choice((1, 4, 8, 16, 18, 32, 64, 130, self.random.randint(1, 700)))
        return base + 2 * self.random.randrange((REGION // 2 - size) // 2), size

    def drive(self) -> None:
        """What the engine asks for, takes and gives in the cycle that begins."""
        self.asks_read = self.asks_read or (bool(self.to_read) and self.moves())
        self.asks_write = self.asks_write or (bool(self.to_write) and self.moves())
        self.takes = self.moves()
        self.gives = bool(self.write_pieces) and (self.gives or self.moves())
        dut = self.dut
        for pins, asks, ranges in (
            (dut.rd_req_i, self.asks_read, self.to_read),
            (dut.wr_req_i, self.asks_write, self.to_write),
        ):
            address, size = ranges[0] if asks else (0, 0)
            pins.value = int(asks) << ADDRESS_BITS + BYTES_BITS | address << BYTES_BITS | size
        dut.rd_ready_i.value, dut.wr_valid_i.value = int(self.takes), int(self.gives)
        if self.gives:
            dut.wr_data_i.value = int.from_bytes(self.write_pieces[0].ljust(NARROW, b"\x5a"), "little")

    def _take(self, shown: bool) -> None:
        dut = self.dut
        assert not (int(dut.wr_idle_o.value) and self.writes), "idle before all was written"
        super()._take(shown)
        if self.gives and int(dut.wr_ready_o.value):
            self.write_pieces.popleft()
            self.gives = False
        if self.takes and int(dut.rd_valid_o.value):
            data, last = self.read_pieces.popleft()
            assert int(dut.rd_data_o.value).to_bytes(NARROW, "little")[: len(data)] == data
            assert bool(int(dut.rd_last_o.value)) == last
        if self.asks_read and int(dut.rd_req_ready_o.value):
            data = self.expected[slice(*_ends(self.to_read.popleft()))].tobytes()
            self.read_pieces.extend((part, at + NARROW >= len(data)) for at, part in _parts(data))
            self.asks_read = False
        if self.asks_write and int(dut.wr_req_ready_o.value):
            place = self.to_write.popleft()
            data = self.random.randbytes(place[1])
            self.expected[slice(*_ends(place))] = list(data)
            self.write_pieces.extend(part for _, part in _parts(data))
            self.asks_write = False


def _ends(place: tuple[int, int]) -> tuple[int, int]:
    return place[0], place[0] + place[1]


def _parts(data: bytes) -> list[tuple[int, bytes]]:
    return [(at, data[at : at + NARROW]) for at in range(0, len(data), NARROW)]


@cocotb.test()
async def ranges_in_both_directions(dut: Any) -> None:
    random = Random(os.environ["CPT_SEED"])
    Clock(dut.clk_i, 2, "ns").start()
    dut.rst_ni.value = 0
    for pins in (dut.rd_req_i, dut.wr_req_i, dut.rd_ready_i, dut.wr_valid_i, dut.wr_data_i, dut.rd_data_i):
        pins.value = 0
    for pins in (dut.rd_req_ready_i, dut.rd_valid_i, dut.rd_last_i, dut.wr_req_ready_i, dut.wr_ready_i, dut.wr_idle_i):
        pins.value = 0
    for _ in range(3):
        await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    for stall, latency in ((0.0, 0), (0.3, 5), (0.7, 60)):
        engine = Engine(dut, random, stall, latency)
        for _ in range(PATIENCE):
            engine.drive()
            await engine.step()
            if not (engine.to_read or engine.to_write or engine.read_pieces or engine.write_pieces or engine.writes):
                break
        else:
            raise AssertionError("the port does not end")
        assert (engine.memory == engine.expected).all()
