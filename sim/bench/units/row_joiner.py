"""Rows that are read together, against a list: images that follow, gaps, flushes, a reader that is slow."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from sim.devices.rtl_sources import struct_fields

FIELDS = struct_fields("rows_t", {"job_e": 2})
ROW_BYTES = 34
ROWS = 2000


def pack(values: dict[str, int]) -> int:
    packed = 0
    for name, bits in FIELDS:
        packed = packed << bits | values.get(name, 0)
    return packed


def unpack(packed: int) -> dict[str, int]:
    values = {}
    for name, bits in reversed(FIELDS):
        values[name] = packed & (1 << bits) - 1
        packed >>= bits
    return values


@cocotb.test()
async def rows_are_joined(dut: Any) -> None:
    random = Random(os.environ["CPT_SEED"])
    Clock(dut.clk_i, 2, "ns").start()
    for pin in ("joins_i", "offset_i", "row_valid_i", "row_i", "image_i", "flush_i", "ready_i"):
        getattr(dut, pin).value = 0
    dut.bytes_i.value, dut.clear_i.value = ROW_BYTES, 1
    await FallingEdge(dut.clk_i)
    dut.clear_i.value = 0
    for joins in (True, False):
        dut.joins_i.value = int(joins)
        image, row, last, offset = 0, 0, 0, random.getrandbits(30)
        dut.offset_i.value = offset
        kept: dict[str, int] | None = None
        expected: list[dict[str, int]] = []
        found: list[dict[str, int]] = []
        for number in range(ROWS):
            flush = random.random() < 0.1 or number == ROWS - 1
            dut.flush_i.value, dut.row_valid_i.value = int(flush), int(not flush)
            if flush:
                expected += [kept] if kept else []
                kept = None
            else:
                follows = random.random()
                if follows < 0.2:
                    image, row = image + 1, random.choice([0, row, row + 1])
                else:
                    row += 1 if follows < 0.8 else random.randint(2, 9)
                new = {"base": image << 16, "row": row % 4096, "bytes": ROW_BYTES, "parts": number % 4096}
                if joins and kept and (kept["base"], last + 1) == (new["base"], new["row"]):
                    kept["bytes"] += ROW_BYTES
                else:
                    expected += [kept] if kept else []
                    kept = dict(new)
                last = new["row"]
                dut.row_i.value, dut.image_i.value = pack(new), image % 4
            while True:
                dut.ready_i.value = int(random.random() < 0.6)
                await cocotb.triggers.ReadOnly()
                leaves, ready = int(dut.valid_o.value), int(dut.ready_i.value)
                if leaves and ready:
                    found.append(unpack(int(dut.rows_o.value)))
                await FallingEdge(dut.clk_i)
                if ready or not leaves:
                    break
            dut.row_valid_i.value, dut.flush_i.value = 0, 0
            assert int(dut.waits_o.value) == (kept is not None)
        for each in expected:
            each["base"] = (each["base"] + offset) % (1 << 32)
        assert [{name: each[name] for name in ("base", "row", "bytes", "parts")} for each in found] == expected
