"""A channel of a MAP against section 8 of the contract, every shift of either product; and its tally."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge

from sim.contract import code_range
from sim.reference.epilogue import shift_half_even

OUTS, SECOND_OUTS = 12, 19  # as in map_pkg
PIXELS = 24
WRAP = 1 << 17  # products of the greatest ends until their sum passes 2^48


def number(random: Random, bits: int) -> int:
    """A signed number, often an end of its range or a power of two, which makes ties."""
    most = (1 << bits - 1) - 1
    value = random.choice([random.randint(-most - 1, most), most, -most - 1, 0, -1, 1 << random.randrange(bits - 1)])
    return value >> random.randrange(bits) if random.random() < 0.3 else value


def wrapped(value: int) -> int:
    """A number of 48 bits."""
    return (value + (1 << 47)) % (1 << 48) - (1 << 47)


def limited(value: int, bits: int, signed: bool) -> int:
    low, high = code_range(bits, signed)
    return max(low + signed, min(high, value))


def near(value: int, shift: int) -> int:
    floor, below = value >> shift, value & (1 << shift) - 1
    return floor + (2 * below > 1 << shift or (shift > 0 and 2 * below == 1 << shift and floor & 1))


@cocotb.test()
async def agrees_with_the_contract(dut: Any) -> None:
    random = Random(os.environ["CPT_SEED"])
    Clock(dut.clk, 2, "ns").start()
    dut.clear.value = dut.tally_valid.value = 0
    for j in range(-47, 48):
        s, k, signed = random.randint(0, 47) if j < 0 else j, random.randint(0, 30), random.random() < 0.5
        a, c, m, b = number(random, 25), number(random, 25), number(random, 25), number(random, 48)
        b = random.choice((0, b))
        bits0, bits1 = (random.randint(1 + signed, 16) for _ in range(2))
        dut.a.value, dut.b.value = a & (1 << 25) - 1, b & (1 << 48) - 1
        dut.c.value, dut.up.value = (c << j % 16) & (1 << 40) - 1, j // 16 & 7
        dut.multiplier.value, dut.down.value = (m << 15 - s % 16) & (1 << 40) - 1, s // 16
        dut.shift.value, dut.is_signed.value, dut.out0_bits.value, dut.out1_bits.value = k, signed, bits0, bits1
        await ClockCycles(dut.clk, 2)
        pixels = []
        for _ in range(PIXELS):
            pixels.append((number(random, 17), number(random, 17), random.random() < 0.2, random.random() < 0.2))
        for cycle in range(PIXELS + SECOND_OUTS):
            await FallingEdge(dut.clk)
            for behind, both in ((OUTS, False), (SECOND_OUTS, True)):
                if not 0 <= cycle - behind < PIXELS:
                    continue
                x0, x1, zero_x0, zero_out = pixels[cycle - behind]
                second = x1 * c << j if j >= 0 else x1 * c >> -j
                t = wrapped((0 if zero_x0 else x0) * a + second + b)
                first = int(shift_half_even(np.array([t], dtype=np.int64), k)[0])
                out0 = 0 if zero_out else limited(first, bits0, signed)
                case = f"x0 {x0} * {a} + x1 {x1} * {c} * 2^{j} + {b} = {t}, k {k}, M {m}, s {s}, signed {signed}"
                if both:
                    out1, found = limited(near(out0 * m, s), bits1, signed), int(dut.out1.value)
                    assert found == out1 & 0xFFFF, f"{case}: out1 of {bits1} bits is {found:#x}, not {out1:#x}"
                else:
                    found = int(dut.out0.value)
                    assert found == out0 & 0xFFFF, f"{case}: out0 of {bits0} bits is {found:#x}, not {out0:#x}"
                    assert int(dut.positive.value) == (t > 0), case
            if cycle < PIXELS:
                x0, x1, zero_x0, zero_out = pixels[cycle]
                dut.x0.value, dut.x1.value = x0 & 0x1FFFF, x1 & 0x1FFFF
                dut.zero_x0.value, dut.zero_out.value = zero_x0, zero_out


def record(values: list[tuple[int, int, int]]) -> int:
    """The tally's record of (v, x2, times)."""
    total, products = (sum(each) for each in zip(*((v * n, v * x2 * n) for v, x2, n in values), strict=True))
    ends = [min(v for v, _, _ in values), max(v for v, _, _ in values)]
    parts = ((total, 64, 0), (products, 64, 64), (ends[0], 32, 128), (ends[1], 32, 160))
    return sum((value & (1 << bits) - 1) << place for value, bits, place in parts)


@cocotb.test()
async def tallies(dut: Any) -> None:
    """Random blocks, and one whose sum of products goes below 0, back, and past 2^48."""
    random = Random(os.environ["CPT_SEED"])
    Clock(dut.clk, 2, "ns").start()
    dut.tally_valid.value = 0
    least, most = -(1 << 16), (1 << 15) - 1
    past: list[tuple[int, int, int]] = [
        (1, -1, 1),
        (1, 1, 3),
        (1, -1, 3),
        (least, -most - 1, WRAP + 2),
        (least, most, 5),
    ]
    blocks = [[(number(random, 17), number(random, 16), 1) for _ in range(20)] for _ in range(10)]
    for block in [past, *blocks]:
        await FallingEdge(dut.clk)
        dut.clear.value = 1
        await FallingEdge(dut.clk)
        dut.clear.value = 0
        for index, (v, x2, times) in enumerate(block):
            dut.tally_v.value, dut.tally_x2.value, dut.tally_first.value = v & 0x1FFFF, x2 & 0xFFFF, index == 0
            dut.tally_valid.value = 1
            await ClockCycles(dut.clk, times)
            await FallingEdge(dut.clk)
            dut.tally_valid.value = 0
            if random.random() < 0.5:
                await FallingEdge(dut.clk)
        await ClockCycles(dut.clk, 6)
        assert int(dut.record.value) == record(block), block
