"""The arithmetic of the scalar engine against the reference: corner values of each operation, and random ones.

An element comes a cycle, so that neighbours of every kind meet in the pipeline.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from sim.contract.constants import COEFFICIENT_BITS, MAX_EXPONENT, MAX_MAP_SHIFT, MAX_SHIFT
from sim.reference.epilogue import shift_half_even
from sim.reference.masters import RATE_BITS, saturate
from sim.reference.normalise import OFFSET_BITS
from sim.reference.scalar import ZERO, Scalar, add, div, greatest, mul, room, root, scalar, whole
from sim.synthesis.microcode import numbers

MASK = (1 << 64) - 1
DRAIN = 80  # cycles in which everything has ended
APART = {"Div": 5, "Root": 18}  # cycles from one element to the next
MANTISSAS = (1 << 30, (1 << 30) + 1, (1 << 31) - 1, (1 << 31) - 2, 3 << 29, 0x55555555, 0x5A827999)
EXPONENTS = (0, 1, -1, -30, -31, -32, 31, 32, 33, MAX_EXPONENT, MAX_EXPONENT - 1, -MAX_EXPONENT, 1 - MAX_EXPONENT)
WHOLES = (0, 1, -1, 2, 3, (1 << 31) - 1, -(1 << 31), 1 << 16, 255, -65536)


def packed(value: Scalar) -> int:
    return (value.e & 0xFFFFFFFF) << 32 | value.m & 0xFFFFFFFF


def source(kind: str, sign: str = "Plus") -> int:
    """A source_t of which only kind and sign count."""
    return numbers("Kind")[kind] << 2 | numbers("Sign")[sign]


@dataclass
class Element:
    op: str
    a: int
    b: int
    wanted: int
    a_source: int = source("Scalar")
    b_source: int = source("Scalar")
    lane: int = 0

    def tag(self, number: int) -> int:
        """A tag_t; its destination is the element's number."""
        return (3 << 6 | numbers("Op")[self.op]) << 13 | (number % 512) << 4 | self.lane


def scalars(random: Random) -> list[Scalar]:
    corners = [Scalar(sign * m, e) for m in MANTISSAS for e in random.sample(EXPONENTS, 4) for sign in (1, -1)]
    near = [
        Scalar(random.choice((1, -1)) * random.randrange(1 << 30, 1 << 31), random.randint(-70, 70)) for _ in range(60)
    ]
    return [ZERO, *corners, *near]


def pairs(random: Random) -> list[tuple[Scalar, Scalar]]:
    """Any two, and those whose exponents are just as far apart as matters."""
    found = []
    for a in scalars(random):
        twins = [
            Scalar(sign * a.m, a.e + ahead) for sign in (1, -1) for ahead in (0, 1, 23, 30, 31, 32, -1, -32) if a.m
        ]
        others = [ZERO, *random.sample(scalars(random), 6), *(twin for twin in twins if abs(twin.e) <= MAX_EXPONENT)]
        found += [(a, b) for b in others]
    return found


class Pipe:
    def __init__(self, dut: Any) -> None:
        self.dut = dut

    async def begin(self) -> None:
        dut = self.dut
        Clock(dut.clk_i, 2, "ns").start()
        dut.rst_ni.value = dut.tag_i.value = 0
        for _ in range(2):
            await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1

    async def check(self, elements: list[Element]) -> None:
        """All of them, as fast as they may come; those that make no result are left out of what is compared."""
        dut = self.dut
        made = [(number, each) for number, each in enumerate(elements) if each.op not in ("MulW", "MacW")]
        found: list[tuple[int, int]] = []
        due = {}
        cycle = 0
        for number, each in enumerate(elements):
            due[cycle] = (number, each)
            cycle += APART.get(each.op, 1)
        for now in range(cycle + DRAIN):
            dut.tag_i.value = 0
            if now in due:
                number, each = due[now]
                dut.tag_i.value = each.tag(number)
                # Words and sources come with the tag.
                dut.a_word_i.value, dut.b_word_i.value = each.a & MASK, each.b & MASK
                dut.a_source_i.value, dut.b_source_i.value = each.a_source, each.b_source
            await FallingEdge(dut.clk_i)
            if int(dut.valid_o.value):
                found.append((int(dut.d_o.value), int(dut.word_o.value)))
        assert not int(dut.busy_o.value)
        assert len(found) == len(made), f"{len(found)} results instead of {len(made)}"
        for (d, word), (number, each) in zip(found, made, strict=True):
            assert d == number % 512, f"result for {d} instead of {number % 512}"
            assert word == each.wanted & MASK, f"{each}: {word:#x} instead of {each.wanted & MASK:#x}"


async def begin(dut: Any) -> tuple[Pipe, Random]:
    pipe = Pipe(dut)
    await pipe.begin()
    return pipe, Random(os.environ["CPT_SEED"])


def least(a: Scalar, b: Scalar) -> Scalar:
    return b if greatest(a, b) == a else a


def otherwise(a: Scalar, b: Scalar) -> Scalar:
    return a if a.m else b


@cocotb.test()
async def scalars_of_two(dut: Any) -> None:
    pipe, random = await begin(dut)
    table: dict[str, Callable[[Scalar, Scalar], Scalar]]
    table = {"Mul": mul, "Add": add, "Max": greatest, "Min": least, "Else": otherwise}
    both = [(op, pair) for op in table for pair in pairs(random)]
    random.shuffle(both)
    await pipe.check([Element(op, packed(a), packed(b), packed(table[op](a, b))) for op, (a, b) in both])
    await pipe.check([Element("Div", packed(a), packed(b), packed(div(a, b))) for a, b in pairs(random)[::3]])


@cocotb.test()
async def signs(dut: Any) -> None:
    """The operands' signs are the instruction's to change."""
    pipe, random = await begin(dut)
    change: dict[str, Callable[[Scalar], Scalar]] = {"Plus": lambda x: x, "Minus": lambda x: -x, "Size": abs}
    elements = []
    for (a, b), (first, second) in product(pairs(random)[::40], product(change, change)):
        for op, function in (("Add", add), ("Mul", mul), ("Max", greatest)):
            wanted = packed(function(change[first](a), change[second](b)))
            kinds = (source("Scalar", first), source("Scalar", second))
            elements.append(Element(op, packed(a), packed(b), wanted, *kinds))
    await pipe.check(elements)


@cocotb.test()
async def scalars_of_one(dut: Any) -> None:
    pipe, random = await begin(dut)
    low, minus = source("Low"), source("Low", "Minus")
    await pipe.check([Element("Root", packed(a), 0, packed(root(a))) for a in scalars(random)])
    elements = []
    for a in scalars(random):
        for op, bits in (("Int25", COEFFICIENT_BITS), ("Int32", 32), ("Int47", OFFSET_BITS)):
            ends = (*(bits - 32 - a.e + more for more in (-2, -1, 0, 1, 2)), -31 - a.e, -30 - a.e, -33 - a.e)
            for power in (0, 24, 30, -30, *ends):
                elements.append(Element(op, packed(a), power, whole(a, power, bits), b_source=low))
        for most in (29, MAX_MAP_SHIFT, MAX_SHIFT):
            wanted = room(a, most=most, bits=COEFFICIENT_BITS)
            elements.append(Element("Room", packed(a), most, wanted, b_source=low))
            elements.append(Element("Fraction", packed(a), most, most - 31 - a.e if a.m else 0, b_source=low))
    for m in (*WHOLES, *(random.getrandbits(32) - (1 << 31) for _ in range(20))):
        for e in (0, -24, (1 << 31) - 1, -(1 << 31), MAX_EXPONENT, -MAX_EXPONENT, random.randint(-99, 99)):
            raw = (e & 0xFFFFFFFF) << 32 | m & 0xFFFFFFFF
            elements.append(Element("Lift", raw, -9, packed(scalar(m, e - 9)), b_source=low))
            elements.append(Element("Lift", raw, e, packed(scalar(m, e)), low, low))
            elements.append(Element("Lift", raw, e, packed(scalar(m, -e)), low, minus))
    random.shuffle(elements)
    await pipe.check(elements)


@cocotb.test()
async def integers(dut: Any) -> None:
    pipe, random = await begin(dut)
    elements = []
    low = source("Low")
    for _ in range(300):
        a, b = (random.choice((*WHOLES, random.randint(-60, 60), random.getrandbits(32) - (1 << 31))) for _ in "ab")
        elements.append(Element("Plus", a, b, a + b, low, low))
        elements.append(Element("Plus", a, b, a - b, low, source("Low", "Minus")))
        elements.append(Element("Limit", a, b, max(-MAX_SHIFT, min(a + b, MAX_SHIFT)), low, low))
        elements.append(Element("Pack", a, b, (b & 0xFFFFFFFF) << 32 | a & 0xFFFFFFFF, low, low))
        code, other = (random.choice((-(1 << 16), (1 << 16) - 1, 0, random.randint(-99, 99))) for _ in "ab")
        word = random.getrandbits(64) & ~(0x1FFFF << 32 | 0x1FFFF) | (other & 0x1FFFF) << 32 | code & 0x1FFFF
        sizes = (source("CodeLow", "Size"), source("CodeHigh", "Size"))
        elements.append(Element("Max", word, word, packed(scalar(max(abs(code), abs(other)))), *sizes))
    random.shuffle(elements)
    await pipe.check(elements)


@cocotb.test()
async def wide_integers(dut: Any) -> None:
    """N·Q − Σ·Σ1 as a scalar, at the ends of what a tally can hold; and a step of momentum: in all lanes."""
    pipe, random = await begin(dut)
    junk, elements = 1 << 63, []
    for number in range(40):
        cases = []
        for lane in range(16):
            bits = 53 if number < 20 else random.randint(2, 53)
            ends = (-(1 << bits - 1), (1 << bits - 1) - 1, random.randrange(-(1 << bits - 1), 1 << bits - 1))
            second = random.choice(ends)
            sums = [random.choice((-(1 << 36), (1 << 36) - 1, random.randrange(-(1 << 36), 1 << 36), 0)) for _ in "ab"]
            count = random.choice((1, 2, 1 << 20, random.randint(1, 1 << 20)))
            cases.append((lane, second, count, sums))
        for lane, second, count, _ in cases:
            word = second & (1 << 53) - 1 | junk
            elements.append(Element("MulW", word, count, 0, source("Second"), source("Low"), lane))
        for lane, _, _, (first, other) in cases:
            words = (first & (1 << 37) - 1 | junk, other & (1 << 37) - 1)
            elements.append(Element("MacW", *words, 0, source("Sum", "Minus"), source("Sum"), lane))
        for lane, second, count, sums in cases:
            elements.append(Element("LiftW", 0, 0, packed(scalar(second * count - sums[0] * sums[1])), lane=lane))
    for _ in range(40):
        steps = []
        for lane in range(16):
            p, v, d = (saturate(random.choice((*WHOLES, random.getrandbits(32) - (1 << 31)))) for _ in "pvd")
            keep, decay = (random.choice((0, 1, 1 << 23, (1 << 32) - 1, random.getrandbits(32))) for _ in "kd")
            steps.append((lane, p, v, d, keep, decay))
        for lane, _, v, _, keep, _ in steps:
            elements.append(Element("MulW", v << 32, keep, 0, source("High"), source("ULow"), lane))
        for lane, p, _, _, _, decay in steps:
            elements.append(Element("MacW", p, decay << 32, 0, source("Low"), source("UHigh"), lane))
        for lane, p, v, d, keep, decay in steps:
            wanted = saturate(shift_half_even(v * keep + p * decay, RATE_BITS) + d)
            elements.append(Element("Settle", d, 0, wanted, source("Low"), lane=lane))
    await pipe.check(elements)
