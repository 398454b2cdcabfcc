"""UPDATE and WEIGHTS on the weight engine against the reference: random layers and corners, with a memory that pauses.

The engine is given commands that have passed the checks, and a port of byte ranges as vector_unit gives it.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from random import Random
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from sim.bench.units.commands import words_of
from sim.contract import COMMAND_BYTES, Build, Error, Format, Memory
from sim.reference.scalar import scalar
from sim.vectors import Vector
from sim.vectors.step.masters import add_update, add_weights
from sim.vectors.step.region import Region

BUS_BYTES = int(os.environ.get("CPT_BUS_BYTES", "8"))
FENCE = 6  # state of weight_update between two passes over the weights
PATIENCE = 400_000  # cycles of a command, at most
ALL_32, ALL_64 = (-(1 << 31), (1 << 31) - 1), (-(1 << 63), (1 << 63) - 1)
BUILD = Build.named("tiny")


class Port:
    """Byte ranges of a region, read and written in the order of their requests."""

    def __init__(self, dut: Any, memory: np.ndarray, random: Random, pause: float) -> None:
        self.dut, self.memory, self.random, self.pause = dut, memory, random, pause
        self.beats: deque[tuple[bytes, bool]] = deque()
        self.writes: deque[tuple[int, int]] = deque()
        self.quiet = 0  # cycles since the last write

    def willing(self) -> bool:
        return self.random.random() >= self.pause

    def drive(self) -> None:
        """What the engine sees in the next cycle."""
        dut = self.dut
        dut.rd_req_ready_i.value, dut.wr_req_ready_i.value = self.willing(), self.willing()
        offered = bool(self.beats) and self.willing()
        dut.rd_valid_i.value = offered
        if offered:
            dut.rd_data_i.value = int.from_bytes(self.beats[0][0], "little")
            dut.rd_last_i.value = self.beats[0][1]
        dut.wr_ready_i.value = bool(self.writes) and self.willing()
        self.quiet = 0 if self.writes else self.quiet + 1
        dut.wr_idle_i.value = self.quiet > 5

    def take(self) -> None:
        """What the engine did in the cycle that ends."""
        dut = self.dut
        if dut.rd_valid_i.value and int(dut.rd_ready_o.value):
            self.beats.popleft()
        if dut.wr_ready_i.value and int(dut.wr_valid_o.value):
            address, size = self.writes[0]
            data = int(dut.wr_data_o.value).to_bytes(BUS_BYTES, "little")[:size]
            self.memory[address : address + len(data)] = np.frombuffer(data, dtype=np.uint8)
            self.writes[0] = (address + len(data), size - len(data))
            if self.writes[0][1] == 0:
                self.writes.popleft()
        for pins, ready in ((dut.rd_req_o, dut.rd_req_ready_i), (dut.wr_req_o, dut.wr_req_ready_i)):
            request = int(pins.value)
            if not request >> 50 or not ready.value:
                continue
            address, size = request >> 18 & 0xFFFFFFFF, request & 0x3FFFF
            assert size > 0
            assert address + size <= self.memory.size, f"{size} bytes at {address} are outside the region"
            if pins is dut.wr_req_o:
                self.writes.append((address, size))
                continue
            data = self.memory[address : address + size].tobytes().ljust(-(-size // BUS_BYTES) * BUS_BYTES, b"\xa5")
            parts = [data[at : at + BUS_BYTES] for at in range(0, len(data), BUS_BYTES)]
            self.beats.extend((part, number + 1 == len(parts)) for number, part in enumerate(parts))


async def begin(dut: Any) -> None:
    Clock(dut.clk_i, 2, "ns").start()
    for pin in ("rst_ni", "start_i", "rd_req_ready_i", "rd_valid_i", "wr_req_ready_i", "wr_ready_i", "wr_idle_i"):
        getattr(dut, pin).value = 0
    dut.count_i.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)


async def run(dut: Any, vector: Vector, random: Random, pause: float, states: set[int]) -> tuple[np.ndarray, Error]:
    """Memory and verdict; `states` collects those of weight_update."""
    update = (dut.u_unit.u_weight if hasattr(dut, "u_unit") else dut).u_update
    memory = vector.before.copy()
    port = Port(dut, memory, random, pause)
    command = memory[vector.list_offset : vector.list_offset + COMMAND_BYTES].tobytes()
    dut.words_i.value, dut.start_i.value = words_of(command)[0], 1
    for _ in range(PATIENCE):
        await RisingEdge(dut.clk_i)
        dut.start_i.value = 0
        port.take()
        port.drive()
        states.add(int(update.state_q.value))
        if int(dut.done_o.value):
            break
    else:
        raise AssertionError(f"{vector.name} does not end")
    error = Error(int(dut.error_o.value))
    while port.writes:
        await RisingEdge(dut.clk_i)
        port.take()
        port.drive()
    assert not port.beats, f"{vector.name}: not all that was asked for was taken"
    return memory, error


async def check(dut: Any, vectors: Iterator[Vector]) -> set[int]:
    random, states = Random(os.environ["CPT_SEED"]), set[int]()
    await begin(dut)
    for number, vector in enumerate(vectors):
        memory, error = await run(dut, vector, random, (0, 0.1, 0.5)[number % 3], states)
        assert error == vector.error, f"{vector.name}: {error.name}"
        wrong = np.flatnonzero(memory != vector.after)
        assert wrong.size == 0, f"{vector.name}: {wrong.size} bytes differ, from {wrong[0]} on"
    return states


def layer(random: Random) -> dict[str, Any]:
    """Channels, kernel and groups; some groups are so many that they come in bundles."""
    groups = random.choice((0, 0, 1, 2, 3, 5, 17, 33))
    if not groups:
        channels, sides = (random.randint(1, 40), random.randint(1, 40)), (0, 0)
    else:
        sides = (random.choice((1, 1, 2, 3, 4)), random.choice((1, 1, 2, 3, 16)))
        channels = (groups * sides[0], groups * sides[1])
    kernel = random.choice(((1, 1), (3, 3), (1, 2), (2, 2), (3, 1), (1, 4), (5, 5), (2, 7)))
    if channels[0] * channels[1] * kernel[0] * kernel[1] > 12000:
        kernel = (1, 1)
    return {"channels": channels, "groups": sides, "kernel": kernel}


def spoiled(name: str, block: str, byte: int) -> Vector:
    """A command one of whose blocks has another kind, or another number of channels."""
    region = Region(name, BUILD)
    (add_update if "update" in name else add_weights)(region)
    at = getattr(region.commands[0], block) + byte

    def flip(memory: Memory) -> None:
        memory[at] ^= 0x20

    region.loads.append(flip)
    return region.vector((Error.COEFFICIENTS, 0))


def updates(seed: str) -> Iterator[Vector]:
    random = Random(f"updates {seed}")
    cases: list[dict[str, Any]] = [
        {"channels": (3, 2), "kernel": (15, 15)},
        {"channels": (2, 70), "kernel": (1, 2)},  # more output blocks than maxima are kept of, in one of the builds
        {"channels": (34, 170), "groups": (17, 85), "kernel": (1, 1), "everywhere": True},
        *(layer(random) for _ in range(int(os.environ.get("CPT_COUNT", "10")))),
    ]
    for number, case in enumerate(cases):
        region = Region(f"update {number} of {seed}", BUILD)
        wide = random.random() < 0.5
        drawn: dict[str, Any] = {"acc_format": Format.INT64 if wide else Format.INT32}
        if random.random() < 0.3:
            drawn |= {"acc": ALL_64 if wide else ALL_32, "w": ALL_32, "v": ALL_32}
        if random.random() < 0.6:
            first = scalar(random.randint(-9, 9), random.randint(-40, 0))
            drawn["steps"] = (first, scalar(random.getrandbits(30), -30))
        if random.random() < 0.3:
            drawn |= {name: random.getrandbits(32) for name in ("momentum", "weight_decay", "weight_rate")}
        add_update(region, **case, **drawn)
        yield region.vector()
    yield spoiled("update without a step", "step_addr", 0)


def codes(seed: str) -> Iterator[Vector]:
    random = Random(f"weights {seed}")
    cases: list[dict[str, Any]] = [
        {"channels": (3, 18), "kernel": (15, 15), "bits": 16, "half": False},
        {"channels": (20, 5), "kernel": (2, 8), "bits": 15, "both": False},
        {"channels": (33, 33), "kernel": (1, 1), "bits": 1, "half": True},
        {"channels": (40, 24), "groups": (5, 3), "bits": 8, "half": False},
        *({**layer(random), "bits": random.randint(2, 16)} for _ in range(int(os.environ.get("CPT_COUNT", "10")))),
    ]
    for number, case in enumerate(cases):
        region = Region(f"weights {number} of {seed}", BUILD)
        drawn: dict[str, Any] = {"half": random.random() < 0.5, "both": random.random() < 0.7}
        if random.random() < 0.4:
            drawn["w"] = random.choice((ALL_32, (-3, 3), (0, 0)))
            drawn["maxima"] = random.choice((None, 0, -5, 77, 1 << 30))
        elif random.random() < 0.4:
            drawn["everywhere"] = True
        add_weights(region, **{**drawn, **case})
        yield region.vector()
    yield spoiled("weights of other maxima", "max_in_addr", 4)


@cocotb.test()
async def update(dut: Any) -> None:
    states = await check(dut, updates(os.environ["CPT_SEED"]))
    assert (FENCE in states) == (os.environ["CPT_MAXIMA_BLOCKS"] == "4"), "a layer of 5 blocks takes two passes"


@cocotb.test()
async def weights(dut: Any) -> None:
    await check(dut, codes(os.environ["CPT_SEED"]))
