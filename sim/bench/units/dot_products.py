"""A row of dot products against Python's integers: random operations, dense and empty operands, pauses."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from sim.devices.rtl_sources import rtl_constant

LATENCY = rtl_constant("DpuLatency")
OPERATIONS = 3000
MASK = (1 << 48) - 1


@cocotb.test()
async def agrees_with_integers(dut: Any) -> None:
    random = Random(os.environ["CPT_SEED"])
    bits = len(dut.a)
    Clock(dut.clk, 10, "ns").start()
    sums, expected = [0, 0], []
    for number in range(OPERATIONS):
        valid, first, negate = random.random() < 0.8, random.random() < 0.1 or number < 2, random.random() < 0.5
        shift = random.randrange(32)
        a, *b = (random.choice([0, (1 << bits) - 1, *(random.getrandbits(bits) for _ in range(4))]) for _ in range(3))
        dut.valid.value, dut.first.value, dut.negate.value = int(valid or number < 2), int(first), int(negate)
        dut.shift.value, dut.a.value, dut.b.value = shift, a, b[0] | b[1] << bits
        await RisingEdge(dut.clk)
        for column in range(2):
            term = (a & b[column]).bit_count() << shift
            if valid or number < 2:
                sums[column] = ((0 if first else sums[column]) + (-term if negate else term)) & MASK
        expected.append(sums[0] | sums[1] << 48)
        # What is seen at this edge is what the operation given LATENCY edges earlier has left.
        if number >= LATENCY:
            seen = int(dut.acc.value)
            assert seen == expected[number - LATENCY], f"operation {number - LATENCY}: {seen:#x}"
