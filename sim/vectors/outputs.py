"""Vectors of the epilogue and of lists: rounding, saturation, row sums, one command reading another's result."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from host.compiler.layer import Conv, Pass
from host.compiler.precision import Output, Precision
from sim.contract import Build, Format
from sim.vectors.build import Scenario, extreme_codes, greatest_codes, least_codes
from sim.vectors.vector import Vector

LAYER = Conv(batch=2, in_channels=16, out_channels=20, height=4, width=5, kernel=(3, 3), padding=(1, 1))
MIXED = Precision(6, 6, a_signed=False, b_signed=True)


def requantised(build: Build) -> Iterator[Vector]:
    """Both requantised formats at several widths, shifts, signs and roundings."""
    for out_format, bits, signed, seed in product(
        (Format.INT16, Format.PLANES), (1, 2, 7, 8, 16), (False, True), (None, 0x0123456789ABCDEF)
    ):
        rounding = "nearest" if seed is None else "stochastic"
        name = f"out-{out_format.name.lower()}-{bits}{'su'[not signed]}-{rounding}"
        scenario = Scenario(name, build)
        for which in (Pass.FORWARD, Pass.INPUT_ERROR):
            output = Output(out_format, bits, signed, shift=max(0, 16 - bits), seed=seed)
            scenario.add(LAYER, which, MIXED, output)
        yield scenario.vector()


def shifts(build: Build) -> Iterator[Vector]:
    """No shift, shifts around the generator's 32 bits, the largest; wgrad included."""
    for shift, seed in product((0, 1, 31, 32, 33, 47), (None, 2**64 - 1)):
        rounding = "nearest" if seed is None else "stochastic"
        scenario = Scenario(f"shift-{shift}-{rounding}", build)
        for which in (Pass.FORWARD, Pass.WEIGHT_GRADIENT):
            output = Output(Format.INT16, 16, signed=True, shift=shift, seed=seed)
            scenario.add(LAYER, which, Precision(16, 16, True, True), output, extreme_codes, extreme_codes)
        yield scenario.vector()


def ties(build: Build) -> Iterator[Vector]:
    """Sums that fall exactly between two codes, positive and negative: half goes to even."""
    scenario = Scenario("ties-to-even", build)
    layer = Conv(1, 1, 16, 4, 4)
    for shift in (1, 2, 3):
        scenario.add(layer, Pass.FORWARD, Precision(4, 3, True, True), Output(Format.INT16, 8, shift=shift))
    yield scenario.vector()


def saturation(build: Build) -> Iterator[Vector]:
    """Results far outside the output's range stop at its ends, for both signs."""
    for signed, fill in product((False, True), (least_codes, greatest_codes)):
        name = f"saturate-{'su'[not signed]}-{'low' if fill is least_codes else 'high'}"
        scenario = Scenario(name, build)
        for out_format in (Format.INT16, Format.PLANES):
            output = Output(out_format, 5, signed)
            precision = Precision(8, 8, False, True)
            scenario.add(LAYER, Pass.FORWARD, precision, output, fill_a=greatest_codes, fill_b=fill)
        yield scenario.vector()


def rows_of_planes(build: Build) -> Iterator[Vector]:
    """Bit planes of short, whole, broken and long rows, and row sums with them: each is packed differently."""
    for width in (1, 7, 8, 16, 31, 32, 33, 40):
        scenario = Scenario(f"plane-rows-{width}", build)
        layer = Conv(batch=3, in_channels=5, out_channels=20, height=2, width=width, kernel=(1, 3), padding=(0, 1))
        for bits in (1, 3, 4, 11, 16):
            output = Output(Format.PLANES, min(bits, build.row_words // width), shift=2, row_sums=bits % 2 == 1)
            scenario.add(layer, Pass.FORWARD, Precision(4, 3, False, True), output)
        yield scenario.vector()


def sums_of_rows(build: Build) -> Iterator[Vector]:
    """Row sums with the results, signed and unsigned, in all three passes."""
    for signed in (False, True):
        scenario = Scenario(f"row-sums-{'su'[not signed]}", build)
        for which, layer in product(Pass, (LAYER, Conv(4, 9, 5, 5, 5, (3, 3), (2, 2), (1, 1)))):
            scenario.add(layer, which, Precision(5, 3, signed, True), Output(row_sums=True))
        yield scenario.vector()
    scenario = Scenario("row-sums-wgrad-depthwise", build)
    layer = Conv(2, 20, 20, 5, 5, (3, 3), padding=(1, 1), groups=20)
    scenario.add(layer, Pass.WEIGHT_GRADIENT, Precision(5, 3), Output(row_sums=True))
    yield scenario.vector()


def sums_with_other_results(build: Build) -> Iterator[Vector]:
    """Row sums with requantised and 64-bit results; sums at exactly their bound."""
    outputs = {
        "int16": Output(Format.INT16, 9, shift=5, row_sums=True),
        "planes": Output(Format.PLANES, 6, shift=8, seed=5, row_sums=True),
        "int64": Output(Format.INT64, row_sums=True),
    }
    for name, output in outputs.items():
        scenario = Scenario(f"row-sums-{name}", build)
        for which in Pass:
            if which is not Pass.WEIGHT_GRADIENT or name != "planes":
                scenario.add(LAYER, which, Precision(5, 3, False, True), output)
        yield scenario.vector()
    scenario = Scenario("row-sums-bound", build)
    layer = Conv(batch=8, in_channels=2, out_channels=2, height=64, width=64)
    output = Output(Format.INT64, row_sums=True)
    scenario.add(layer, Pass.WEIGHT_GRADIENT, Precision(16, 1), output, fill_a=greatest_codes, fill_b=greatest_codes)
    yield scenario.vector(slow=True)


def exact_words(build: Build) -> Iterator[Vector]:
    """64-bit accumulators of each pass."""
    scenario = Scenario("out-int64", build)
    for which in Pass:
        scenario.add(LAYER, which, Precision(16, 16, True, False), Output(Format.INT64), extreme_codes, extreme_codes)
    yield scenario.vector()


def regions(build: Build) -> Iterator[Vector]:
    """A region that does not start at address 0."""
    for base in (0x40, 0x1_2340):
        scenario = Scenario(f"base-{base:x}", build)
        for which in Pass:
            scenario.add(LAYER, which, MIXED, Output(row_sums=True))
        yield scenario.vector(registers={"mem_base": base})


def lists(build: Build) -> Iterator[Vector]:
    """The empty list; a command that reads what the one before wrote; one that overwrites it."""
    yield Scenario("empty-list", build).vector()
    layer = Conv(2, 16, 16, 3, 3, (3, 3), padding=(1, 1))
    asked = (layer, Pass.FORWARD, Precision(4, 4), Output(Format.PLANES, 4, signed=False, shift=5))
    scenario = Scenario("read-after-write", build)
    first, second = (scenario.add(*asked).commands[0] for _ in range(2))
    second.a_addr = first.out_addr
    yield scenario.vector()
    scenario = Scenario("write-after-read-and-write", build)
    first, second, third = (scenario.add(*asked).commands[0] for _ in range(3))
    second.out_addr, third.out_addr = first.a_addr, first.out_addr
    yield scenario.vector()
