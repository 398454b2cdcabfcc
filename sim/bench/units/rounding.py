"""Noise and requantiser against sim.noise and sim.epilogue: one element a cycle, every shift, both roundings."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge

from sim.epilogue import shift_half_even
from sim.layout import code_range
from sim.noise import noise

LATENCY = 12
KEY_CYCLES = 20
ELEMENTS = 24


def interesting(random: Random, shift: int) -> int:
    """A sum near a tie, near an end of the range, or any."""
    half = 1 << shift >> 1
    near = random.choice([0, random.randrange(-40, 40) * (1 << shift) + half, random.randrange(-(1 << 47), 1 << 47)])
    return max(-(1 << 47), min((1 << 47) - 1, near + random.randrange(-2, 3)))


def expected(acc: int, bits: int, stochastic: bool, shift: int, signed: bool, out_bits: int) -> int:
    if stochastic:
        rounded = acc + (bits >> 32 - shift if shift <= 32 else bits << shift - 32) >> shift
    else:
        rounded = int(shift_half_even(np.array([acc], dtype=np.int64), shift)[0])
    low, high = code_range(out_bits, signed)
    return max(low, min(high, rounded)) & 0xFFFF


@cocotb.test()
async def agrees_with_the_reference(dut: Any) -> None:
    random = Random(os.environ["CPT_SEED"])
    Clock(dut.clk, 2, "ns").start()
    for shift in range(48):
        for stochastic in (False, True):
            signed, out_bits, seed = bool(random.getrandbits(1)), random.randint(1, 16), random.getrandbits(64)
            await FallingEdge(dut.clk)
            dut.seed.value, dut.start.value = seed, 1
            dut.stochastic.value, dut.shift.value = stochastic, shift
            dut.is_signed.value, dut.out_bits.value = signed, out_bits
            await FallingEdge(dut.clk)
            dut.start.value = 0
            await ClockCycles(dut.clk, KEY_CYCLES)
            cases = [(random.getrandbits(32), interesting(random, shift)) for _ in range(ELEMENTS)]
            draws = noise(seed, [element for element, _ in cases])
            for cycle in range(ELEMENTS + LATENCY):
                await FallingEdge(dut.clk)
                if cycle >= LATENCY:
                    case, bits = cases[cycle - LATENCY], int(draws[cycle - LATENCY])
                    wanted = expected(case[1], bits, stochastic, shift, signed, out_bits)
                    found = int(dut.value.value)
                    assert found == wanted, f"{case}, shift {shift}, {out_bits} bits: {found:#x}, not {wanted:#x}"
                if cycle < ELEMENTS:
                    dut.element.value, dut.acc.value = cases[cycle][0], cases[cycle][1] & (1 << 48) - 1
