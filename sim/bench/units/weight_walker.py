"""Reads of weights against loops: blocks that follow each other or not, several passes, a reader that is slow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from sim.bench.units.row_joiner import unpack
from sim.devices.rtl_sources import struct_fields

FIELDS = struct_fields("weights_plan_t", {})
GROUPS = 9
COLUMNS = 16


def plan(random: Random) -> dict[str, int]:
    taps, bits, blocks = random.randint(1, 30), random.randint(1, 16), random.randint(1, 5)
    tile = 2 * taps * bits
    return {
        "address": random.getrandbits(24),
        "column_stride": random.getrandbits(16),
        "block_stride": random.choice([tile, tile + 2 * random.randint(1, 99)]),
        "tile": tile,
        "blocks": blocks,
        "bits": bits,
        "entry": random.getrandbits(10),
        "group_entries": -(-taps * blocks // GROUPS) * bits,
        "taps_div": taps // GROUPS,
        "taps_mod": taps % GROUPS,
        "kernel_w": random.randint(1, 15),
    }


def reads(p: dict[str, int], first: int, count: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Base, bytes, entry, slot and column of each; groups `first` on."""
    joined = p["block_stride"] == p["tile"]
    taps = p["taps_div"] * GROUPS + p["taps_mod"]
    for group in range(count):
        for column in range(COLUMNS):
            channel = p["address"] + ((first + group) * COLUMNS + column) * p["column_stride"]
            for block in range(1 if joined else p["blocks"]):
                size = p["tile"] * (p["blocks"] if joined else 1)
                entry = p["entry"] + group * p["group_entries"] + block * taps // GROUPS * p["bits"]
                yield channel + block * p["block_stride"], size, entry, block * taps % GROUPS, column


@cocotb.test()
async def weights_are_asked_for(dut: Any) -> None:
    random = Random(os.environ["CPT_SEED"])
    Clock(dut.clk_i, 2, "ns").start()
    for pin in ("command_i", "pass_i", "active_i", "ready_i", "y_count_i", "plan_i"):
        getattr(dut, pin).value = 0
    await FallingEdge(dut.clk_i)
    for _ in range(12):
        p, packed = plan(random), 0
        for name, bits in FIELDS:
            packed = packed << bits | p[name]
        dut.plan_i.value, dut.command_i.value = packed, 1
        await FallingEdge(dut.clk_i)
        dut.command_i.value = 0
        first = 0
        for _ in range(random.randint(1, 3)):
            count = random.randint(1, 3)
            dut.y_count_i.value, dut.pass_i.value = count, 1
            await FallingEdge(dut.clk_i)
            dut.pass_i.value = 0
            for _ in range(4):
                await FallingEdge(dut.clk_i)
            found, done = [], False
            dut.active_i.value = 1
            while not done:
                dut.ready_i.value = int(random.random() < 0.7)
                await ReadOnly()
                if int(dut.ready_i.value):
                    rows = unpack(int(dut.rows_o.value))
                    assert (rows["parts"], rows["run"]) == (1, p["kernel_w"])
                    found.append(tuple(rows[name] for name in ("base", "bytes", "place", "slot", "target")))
                    done = bool(int(dut.done_o.value))
                await FallingEdge(dut.clk_i)
            dut.active_i.value = 0
            assert found == list(reads(p, first, count))
            first += count
