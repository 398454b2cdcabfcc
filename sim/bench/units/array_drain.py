"""The array of the tiny build: groups of random slices against integer sums, in both wirings, and how results drain."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from sim.devices.rtl_sources import rtl_constant

LANES, SLOTS = 16, 3
LATENCY = rtl_constant("DpuLatency") + rtl_constant("DrainLatency")
MASK = (1 << 48) - 1


def words(random: Random, count: int) -> list[int]:
    return [random.getrandbits(16) for _ in range(count)]


def slices(windows: list[list[int]], wgrad: bool) -> list[int]:
    """The K-slice of each row: its own window, or bit `row` of every lane's three words."""
    if not wgrad:
        return [sum(word << 16 * place for place, word in enumerate(window)) for window in windows]
    return [
        sum((windows[lane][pixel] >> row & 1) << 3 * lane + pixel for lane in range(LANES) for pixel in range(3))
        for row in range(16)
    ]


@cocotb.test()
async def groups_agree(dut: Any) -> None:
    random = Random(os.environ["CPT_SEED"])
    Clock(dut.clk_i, 2, "ns").start()
    dut.rst_ni.value, dut.op_valid_i.value, dut.take_i.value = 0, 0, 0
    dut.out_format_i.value, dut.op_group_i.value = 0, 0
    await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    for wgrad in (False, True):
        dut.wgrad_i.value = int(wgrad)
        for _ in range(10):
            sums, row_sums = [[0] * 16 for _ in range(LANES)], [0] * LANES
            count = random.randint(1, 6)
            for number in range(count):
                windows = [words(random, SLOTS) for _ in range(LANES)]
                triples = [words(random, 3) for _ in range(LANES)]
                for lane in range(LANES):
                    dut.windows_i[lane].value = sum(word << 16 * place for place, word in enumerate(windows[lane]))
                    dut.triples_i[lane].value = sum(word << 16 * place for place, word in enumerate(triples[lane]))
                dut.take_i.value = 1
                dut.op_valid_i.value = 0
                await FallingEdge(dut.clk_i)
                dut.take_i.value = 0
                await FallingEdge(dut.clk_i)
                shift, negate, plane = random.randint(0, 30), random.getrandbits(1), random.randint(0, 15)
                dut.op_valid_i.value, dut.op_sums_i.value = 1, 1
                dut.op_first_i.value, dut.op_last_i.value = int(number == 0), int(number == count - 1)
                dut.op_shift_i.value, dut.op_negate_i.value = shift, negate
                dut.op_plane_i.value, dut.op_negate_a_i.value = plane, negate
                rows, columns = slices(windows, wgrad), slices(triples, wgrad)
                sign = -1 if negate else 1
                for lane in range(LANES):
                    row_sums[lane] += sign * rows[lane].bit_count() << plane
                    for column in range(16):
                        sums[lane][column] += sign * (rows[lane] & columns[column]).bit_count() << shift
                await FallingEdge(dut.clk_i)
            dut.op_valid_i.value = 0
            await compare(dut, sums, row_sums)


async def compare(dut: Any, sums: list[list[int]], row_sums: list[int]) -> None:
    """Pair by pair, from a fixed cycle on."""
    for _ in range(LATENCY + 2):
        if int(dut.drain_valid_o.value):
            break
        await FallingEdge(dut.clk_i)
    for pair in range(LANES // 2):
        assert int(dut.drain_valid_o.value), f"pair {pair} is late"
        assert int(dut.drain_pair_o.value) == pair
        found, found_sums = int(dut.drain_results_o.value), int(dut.drain_sums_o.value)
        for lane in range(2):
            assert found_sums >> 32 * lane & 0xFFFFFFFF == row_sums[2 * pair + lane] & 0xFFFFFFFF
            for column in range(16):
                assert found >> 48 * (16 * lane + column) & MASK == sums[2 * pair + lane][column] & MASK
        await FallingEdge(dut.clk_i)
    assert not int(dut.drain_valid_o.value)
