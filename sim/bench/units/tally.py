"""Tallies against Python's integers: groups of several blocks in any order, dead lanes, ends of the codes, pauses."""

from __future__ import annotations

import os
from itertools import product
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from sim.contract import Block
from sim.devices.rtl_sources import rtl_constant

CHANNELS = 16
SLOTS = rtl_constant("TallySlots")
SETTLED = 24  # cycles from a group's last pair until its tally can be read; the store takes more
GROUPS = 60
Lanes = list[list[int] | None]  # by lane: a result a channel; None if its row is none of the map


class Tally:
    """One block's results so far."""

    def __init__(self) -> None:
        self.results: list[list[int]] = [[] for _ in range(CHANNELS)]

    def add(self, lanes: Lanes) -> None:
        for lane in lanes:
            for channel, value in zip(self.results, lane or (), strict=False):
                channel.append(value)

    def record(self, channel: int) -> bytes:
        values = self.results[channel]
        sums = (sum(values), sum(value * value for value in values))
        ends = (min(values), max(values))
        words = [(each, 8) for each in sums] + [(each, 4) for each in ends] + [(0, 8)]
        return b"".join(each.to_bytes(size, "little", signed=True) for each, size in words)


class Bench:
    """One unit; everything changes while the clock is low."""

    def __init__(self, dut: Any, random: Random, signed: bool) -> None:
        self.dut, self.random, self.signed = dut, random, signed
        self.lanes, self.at_once = int(os.environ["CPT_LANES"]), int(os.environ["CPT_AT_ONCE"])
        self.codes = (-(1 << 15), (1 << 15) - 1) if signed else (0, (1 << 16) - 1)

    async def begin(self) -> None:
        dut = self.dut
        dut.signed_i.value, dut.blocks_i.value, dut.count_i.value = self.signed, 0xABC, 0x12345
        for pin in (dut.rst_ni, dut.rounded_i, dut.read_i, dut.header_i, dut.read_slot_i, dut.read_pair_i, dut.turn_i):
            pin.value = 0
        for _ in range(4):
            await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1

    def draw(self) -> Lanes:
        """Whole codes, their ends only, or one value; any of the lanes may be dead."""
        kind, one, dead = self.random.randrange(3), self.random.choice(self.codes), self.random.choice([0, 0.5, 0.9])

        def value() -> int:
            return [self.random.randint(*self.codes), self.random.choice(self.codes), one][kind]

        return [None if self.random.random() < dead else [value() for _ in range(CHANNELS)] for _ in range(self.lanes)]

    async def group(self, slot: int, begins: bool, lanes: Lanes) -> None:
        """Pair by pair, or lane by lane; what dead lanes give is noise."""
        for first in range(0, self.lanes, self.at_once):
            packed = 1 << 530 | first // 2 << 522 | first % 2 << 521 | begins << 518 | slot << 512
            for half in range(self.at_once):
                lane = lanes[first + half]
                packed |= (lane is not None) << 519 + half
                values = lane or [self.random.getrandbits(16) for _ in range(CHANNELS)]
                packed |= sum((value & 0xFFFF) << 16 * place for place, value in enumerate(values)) << 256 * half
            self.dut.rounded_i.value = packed
            await FallingEdge(self.dut.clk_i)
        self.dut.rounded_i.value = self.random.getrandbits(530)  # not valid
        for _ in range(self.random.choice([0, 0, 0, 1, 20])):
            await FallingEdge(self.dut.clk_i)

    async def read(self, slot: int, pair: int, header: bool = False) -> bytes:
        dut = self.dut
        dut.read_i.value, dut.read_slot_i.value, dut.read_pair_i.value, dut.header_i.value = 1, slot, pair, header
        await FallingEdge(dut.clk_i)
        dut.read_i.value, dut.read_pair_i.value = 0, self.random.getrandbits(3)
        for _ in range(self.random.choice([0, 2])):
            await FallingEdge(dut.clk_i)
        dut.turn_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.turn_i.value = 0
        await FallingEdge(dut.clk_i)
        return int(dut.data_o.value).to_bytes(64, "little")


@cocotb.test()
@cocotb.parametrize(signed=[False, True])
async def blocks_in_any_order(dut: Any, signed: bool) -> None:
    """Twice, the second time in slots that are in use."""
    bench = Bench(dut, Random(os.environ["CPT_SEED"]), signed)
    Clock(dut.clk_i, 2, "ns").start()
    await bench.begin()
    for _ in range(2):
        slots = bench.random.sample(range(SLOTS), 5)
        tallies: dict[int, Tally] = {}
        for number in range(GROUPS):
            slot, lanes = slots[number] if number < len(slots) else bench.random.choice(slots), bench.draw()
            lanes[0] = lanes[0] or [0] * CHANNELS
            begins = slot not in tallies
            tallies.setdefault(slot, Tally()).add(lanes)
            await bench.group(slot, begins, lanes)
        for _ in range(SETTLED):
            await FallingEdge(dut.clk_i)
        header = b"".join(word.to_bytes(4, "little") for word in (Block.TALLY, 0xABC * 16, 0x12345))
        assert await bench.read(slots[0], 7, header=True) == header.ljust(64, b"\0")
        for slot, pair in product(slots, range(8)):
            expected = tallies[slot].record(2 * pair) + tallies[slot].record(2 * pair + 1)
            found = await bench.read(slot, pair)
            assert found == expected, f"channels {2 * pair}, {2 * pair + 1}: {found.hex()}, not {expected.hex()}"


@cocotb.test()
async def a_reset_leaves_nothing(dut: Any) -> None:
    """In the middle of a group, and while one is being added to its tally."""
    bench = Bench(dut, Random(os.environ["CPT_SEED"]), signed=True)
    Clock(dut.clk_i, 2, "ns").start()
    for cycles in range(0, bench.lanes // 2 + 20, 3):
        await bench.begin()
        spoiled = cocotb.start_soon(bench.group(3, True, bench.draw()))
        for _ in range(cycles):
            await FallingEdge(dut.clk_i)
        spoiled.cancel()
        await bench.begin()
        tally, lanes = Tally(), [[lane] * CHANNELS for lane in range(bench.lanes)]
        tally.add([*lanes])
        await bench.group(3, True, [*lanes])
        for _ in range(SETTLED):
            await FallingEdge(dut.clk_i)
        assert await bench.read(3, 2) == tally.record(4) + tally.record(5), f"after {cycles} cycles"
