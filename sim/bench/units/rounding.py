"""Noise and requantiser against the reference: one element a cycle, every shift, both roundings."""

from __future__ import annotations

import os
from itertools import pairwise
from random import Random
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge

from sim.contract import code_range
from sim.contract.noise import noise
from sim.reference.epilogue import shift_half_even

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
    dut.own.value = 1
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


@cocotb.test()
async def the_next_seed_does_not_disturb(dut: Any) -> None:
    """Keys are made ahead: the old ones are used until the new seed's turn, then the new ones at once."""
    random = Random(os.environ["CPT_SEED"])
    Clock(dut.clk, 2, "ns").start()
    seeds = [random.getrandbits(64) for _ in range(6)]
    for before, seed in pairwise([seeds[0], *seeds]):
        await FallingEdge(dut.clk)
        dut.seed.value, dut.start.value, dut.own.value = seed, 1, seed == before
        await FallingEdge(dut.clk)
        dut.start.value = 0
        await ClockCycles(dut.clk, KEY_CYCLES)
        for own in (before, seed):
            await FallingEdge(dut.clk)
            dut.own.value = own == seed
            dut.element.value = element = random.getrandbits(32)
            await ClockCycles(dut.clk, LATENCY)
            await FallingEdge(dut.clk)
            assert int(dut.bits.value) == int(noise(own, [element])[0])
