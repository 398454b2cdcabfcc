"""Vectors of the arithmetic: every width, every sign, the ends of every range, the longest sums."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from host.compiler.layer import Conv, Pass
from host.compiler.precision import Output, Precision
from sim.contract import ACCUMULATOR_BITS, CHANNEL_BLOCK, Build, Format
from sim.vectors.build import Scenario, extreme_codes, greatest_codes, least_codes
from sim.vectors.vector import Vector

SMALL = Conv(batch=2, in_channels=5, out_channels=3, height=4, width=4, kernel=(3, 3), padding=(1, 1))
WIDE = ((16, 16), (16, 1), (1, 16), (9, 9), (12, 5), (11, 14), (15, 2))
ENDS = (("least", "least"), ("least", "greatest"), ("greatest", "greatest"), ("extreme", "extreme"))
SIGNS = tuple(product((False, True), repeat=2))


def every_width_pair(build: Build) -> Iterator[Vector]:
    """All three passes at each pair of widths 1..8, the four sign mixes in turn."""
    for number, (a_bits, b_bits) in enumerate(product(range(1, 9), repeat=2)):
        scenario = Scenario(f"width-{a_bits}x{b_bits}", build)
        for turn, which in enumerate(Pass):
            scenario.add(SMALL, which, Precision(a_bits, b_bits, *SIGNS[(number + a_bits + turn) % 4]))
        yield scenario.vector()


def wide_and_signed(build: Build) -> Iterator[Vector]:
    """Widths up to 16, each in all four sign mixes."""
    for (a_bits, b_bits), (a_signed, b_signed) in product(WIDE, SIGNS):
        scenario = Scenario(f"wide-{a_bits}{'su'[not a_signed]}-{b_bits}{'su'[not b_signed]}", build)
        for which in Pass:
            scenario.add(SMALL, which, Precision(a_bits, b_bits, a_signed, b_signed))
        yield scenario.vector()


def ends_of_ranges(build: Build) -> Iterator[Vector]:
    """All codes at one end, and ends mixed, where sums are largest and carries longest."""
    fills = {"least": least_codes, "greatest": greatest_codes, "extreme": extreme_codes}
    for bits, (a_signed, b_signed) in product((1, 8, 16), SIGNS):
        for a_name, b_name in ENDS:
            name = f"ends-{bits}-{'su'[not a_signed]}{'su'[not b_signed]}-{a_name}-{b_name}"
            scenario = Scenario(name, build)
            for which in Pass:
                precision = Precision(bits, bits, a_signed, b_signed)
                scenario.add(SMALL, which, precision, fill_a=fills[a_name], fill_b=fills[b_name])
            yield scenario.vector()


def longest_sums(build: Build) -> Iterator[Vector]:
    """K_max: the longest sum of 16 × 16 bit products that the accumulator holds, all products of one sign."""
    pixels = 1 << ACCUMULATOR_BITS - 1 - 32
    layer = Conv(batch=pixels // 4096, in_channels=16, out_channels=16, height=64, width=64)
    for name, signed, fill in (("unsigned", False, greatest_codes), ("signed", True, least_codes)):
        scenario = Scenario(f"kmax-wgrad-{name}", build)
        scenario.add(layer, Pass.WEIGHT_GRADIENT, Precision(16, 16, signed, signed), fill_a=fill, fill_b=fill)
        yield scenario.vector(slow=True)
    blocks = build.column_words // 16 * build.slice_groups
    blocks = min(blocks, build.lane_words // 16)
    scenario = Scenario("kmax-conv", build)
    layer = Conv.linear(2, CHANNEL_BLOCK * blocks, 16)
    scenario.add(layer, Pass.FORWARD, Precision(16, 16), fill_a=greatest_codes, fill_b=greatest_codes)
    yield scenario.vector()


def result_bounds(build: Build) -> Iterator[Vector]:
    """INT32 at exactly its bound, K · 2^(a + b) = 2^31, for all three passes' kinds of K."""
    layer = Conv(batch=2, in_channels=8, out_channels=8, height=16, width=16)
    scenario = Scenario("bound-int32-wgrad", build)
    precision = Precision(16, 6, True, True)
    exact = Output(Format.INT32)
    scenario.add(layer, Pass.WEIGHT_GRADIENT, precision, exact, fill_a=least_codes, fill_b=least_codes)
    yield scenario.vector()
    scenario = Scenario("bound-int32-kernel", build)
    layer = Conv(batch=1, in_channels=16, out_channels=3, height=4, width=2, kernel=(4, 2), padding=(2, 1))
    scenario.add(layer, Pass.FORWARD, Precision(12, 12), exact, fill_a=greatest_codes, fill_b=greatest_codes)
    yield scenario.vector()
    scenario = Scenario("bound-int32-conv", build)
    layer = Conv.linear(3, 128, 5)
    scenario.add(layer, Pass.FORWARD, Precision(12, 12), exact, fill_a=greatest_codes, fill_b=greatest_codes)
    yield scenario.vector()
