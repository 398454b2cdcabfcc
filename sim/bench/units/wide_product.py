"""A product in a cascade of DSP48E1 against Python's: corners and random operands, a pair each cycle."""

from __future__ import annotations

import os
from collections import deque
from itertools import product
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

A, B = int(os.environ.get("CPT_A", "25")), int(os.environ.get("CPT_B", "18"))
LATENCY = 2 + (4 if A > 25 else 1 if B <= 18 else (B - 2) // 17 + 1)
COUNT = 1000


def corners(bits: int) -> list[int]:
    most = (1 << bits - 1) - 1
    return [0, 1, -1, most, -most, -most - 1, (1 << 17) - 1, 1 << 16, 1 << 17, -(1 << 17), -(1 << 17) - 1]


def drawn(random: Random, bits: int) -> int:
    return random.getrandbits(bits) - (1 << bits - 1)


@cocotb.test()
async def a_product_each_cycle(dut: Any) -> None:
    random = Random(os.environ["CPT_SEED"])
    Clock(dut.clk_i, 2, "ns").start()
    pairs = [*product(corners(A), corners(B))]
    pairs += [(drawn(random, A), drawn(random, B)) for _ in range(COUNT)]
    waiting: deque[int] = deque()
    for a, b in [*pairs, *[(0, 0)] * LATENCY]:
        dut.a_i.value, dut.b_i.value = a % (1 << A), b % (1 << B)
        await FallingEdge(dut.clk_i)
        waiting.append(a * b % (1 << A + B))
        if len(waiting) >= LATENCY:
            assert int(dut.product_o.value) == waiting.popleft()
