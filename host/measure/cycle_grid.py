"""A grid of layers, passes and widths, and their cycles on the RTL core compared with what array and memory allow."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from host.compiler.layer import Pass
from host.compiler.layer_spec import parse_layer
from host.compiler.lower import lower
from host.compiler.plan import Plan, PlanError
from host.compiler.precision import Output, Precision, result_bits
from host.measure.prediction import bound_cycles
from host.measure.simulated_list import AskedPass, as_row, simulate_list
from sim.contract import Build, Command, Format, operand_a, operand_b, output, row_sums

if TYPE_CHECKING:
    from sim.devices.rtl_executor import RtlExecutor

# The body of a CIFAR ResNet, which the targets are about, and other shapes for the latency model.
BODY = ("conv:n128,c16-16,32x32,k3,p1", "conv:n128,c32-32,16x16,k3,p1", "conv:n128,c64-64,8x8,k3,p1")
OTHER = (
    "conv:n128,c3-16,32x32,k3,p1",
    "conv:n128,c16-32,32x32,k3,s2,p1",
    "conv:n128,c32-64,16x16,k3,s2,p1",
    "conv:n128,c16-32,32x32,k1,s2",
    "conv:n128,c32-64,16x16,k1,s2",
    "conv:n32,c64-64,8x8,k3,p1",
    "conv:n16,c128-128,14x14,k3,p1",
    "conv:n16,c256-64,7x7,k1",
    "linear:n128,c256-64",
)
# Shapes that the latency model is examined on: randomly chosen; earlier draws were used to improve it.
UNSEEN_SEED, UNSEEN_POINTS, UNSEEN_CYCLES = 2032, 40, (5_000, 100_000)
BODY_BITS = ((3, 3), (4, 4), (3, 8), (6, 6), (8, 8))
OTHER_BITS = ((8, 8), (3, 3))
NARROW_BITS = (3, 4, 5, 6)  # forward widths at which results are narrower, or nearly
REPEATS = 3  # of a pass in its list; the second counts, which has neighbours on both sides
SHIFT = 4  # of results; it makes no difference to cycles


class Stored(NamedTuple):
    """The form of a point's results.

    >>> Stored.parse("planes-11+sums")
    Stored(form=<Format.PLANES: 3>, bits=11, row_sums=True)
    """

    form: Format
    bits: int
    row_sums: bool

    @classmethod
    def of(cls, output: Output) -> Stored:
        assert output.out_format is not None
        return cls(output.out_format, output.bits, output.row_sums)

    @classmethod
    def parse(cls, text: str) -> Stored:
        found = re.fullmatch(r"(int16|planes)-(\d+)(\+sums)?", text)
        if not found:
            raise ValueError(f"results '{text}': write them as int16-16 or planes-11+sums")
        return cls(Format[found[1].upper()], int(found[2]), bool(found[3]))

    def __str__(self) -> str:
        return f"{self.form.name.lower()}-{self.bits}" + ("+sums" if self.row_sums else "")


@dataclass(frozen=True)
class Point:
    """A layer's pass at a pair of widths: the activations' and weights' in a forward pass."""

    layer: str
    which: Pass
    bits: tuple[int, int]
    planes: bool = False
    row_sums: bool = False

    def output(self) -> Output:
        """16-bit words, or bit planes as narrow as training stores them."""
        bits = result_bits(parse_layer(self.layer), self.which, self.precision()) if self.planes else 16
        return Output(Format.PLANES if self.planes else Format.INT16, bits, shift=SHIFT, row_sums=self.row_sums)

    def matches(self, pattern: str, bits: Sequence[int] | None) -> bool:
        """Whether its layer or pass matches a shell pattern, and its widths are these (None: any)."""
        named = any(fnmatch(name, pattern) for name in (self.layer, self.which.value))
        return named and (bits is None or tuple(bits) == self.bits)

    @classmethod
    def measured(cls, row: dict[str, Any]) -> Point:
        """Of a row that `measure` made."""
        which, bits, stored = Pass(row["pass"]), (row["a_bits"], row["b_bits"]), Stored.parse(row["stored"])
        bits = bits[::-1] if which is Pass.INPUT_ERROR else bits
        return cls(row["layer"], which, bits, stored.form is Format.PLANES, stored.row_sums)

    def commands(self, build: Build) -> list[Command]:
        layer = parse_layer(self.layer)
        return lower(layer, self.which, self.precision(), build, self.output(), plan=Plan()).commands

    def precision(self) -> Precision:
        a_bits, b_bits = reversed(self.bits) if self.which is Pass.INPUT_ERROR else self.bits
        return Precision(a_bits, b_bits, a_signed=self.which is Pass.INPUT_ERROR, b_signed=True)


def grid(body_only: bool) -> list[Point]:
    shapes = [(layer, bits) for bits in BODY_BITS for layer in BODY]
    shapes += [] if body_only else [(layer, bits) for layer in OTHER for bits in OTHER_BITS]
    points = [Point(layer, which, bits) for layer, bits in shapes for which in Pass]
    return points if body_only else points + list(stored_otherwise())


def stored_otherwise() -> Iterator[Point]:
    """Passes of a training step whose results are narrow, or have row sums as well."""
    passes = [(Pass.FORWARD, (fw, fw)) for fw in NARROW_BITS] + [(Pass.INPUT_ERROR, (fw, 8)) for fw in NARROW_BITS]
    for (which, bits), sums in product(passes, (False, True)):
        yield Point(BODY[0], which, bits, planes=True, row_sums=sums)
    for layer, (which, bits) in product(BODY, ((Pass.FORWARD, (3, 3)), (Pass.INPUT_ERROR, (3, 8)))):
        yield Point(layer, which, bits, row_sums=True)


def unseen(build: Build) -> list[Point]:
    """Randomly chosen layers, passes and widths that take seconds to simulate."""
    draw = random.Random(UNSEEN_SEED)
    points: list[Point] = []
    while len(points) < UNSEEN_POINTS:
        kernel, stride = draw.choice((1, 3, 3, 5)), draw.choice((1, 1, 2))
        channels = [draw.choice((16, 24, 32, 48, 64, 96, 128, 160, 256)) for _ in range(2)]
        extent, batch = draw.choice((4, 7, 8, 12, 14, 20, 28, 32, 56)), draw.choice((8, 16, 50, 64, 100, 128))
        text = f"conv:n{batch},c{channels[0]}-{channels[1]},{extent}x{extent},k{kernel},s{stride},p{kernel // 2}"
        point = Point(text, draw.choice(list(Pass)), (draw.randint(3, 8), draw.randint(3, 8)))
        try:
            bound = bound_cycles(point.commands(build), build)
        except PlanError:  # too large for the build's memories
            continue
        if UNSEEN_CYCLES[0] < bound < UNSEEN_CYCLES[1]:
            points.append(point)
    return points


def measure(executor: RtlExecutor, point: Point, verify: bool) -> dict[str, Any]:
    """Cycles of a point, and what array and memory allow."""
    layer, precision = parse_layer(point.layer), point.precision()
    stored = point.output()
    asked = AskedPass(layer, point.which, precision, stored)
    counted = simulate_list(executor, [asked] * REPEATS, verify)[1]
    # Tiles of a tensor without the gaps between them.
    moved = sum(
        tensor.images * tensor.blocks * tensor.tile_bytes
        for command in point.commands(executor.build)
        for tensor in (operand_a(command), operand_b(command), output(command), row_sums(command))
        if tensor is not None
    )
    build = executor.build
    macs_per_cycle = build.lanes * build.columns * 16 * build.slice_groups
    array = layer.macs * precision.a_bits * precision.b_bits / macs_per_cycle
    bound = max(array, moved / executor.ddr.bytes_per_cycle)
    return {
        "layer": point.layer,
        "pass": point.which.value,
        "a_bits": precision.a_bits,
        "b_bits": precision.b_bits,
        "stored": str(Stored.of(stored)),
        **as_row(counted),
        "bytes": moved,
        "bus_bytes": (executor.bytes_read + executor.bytes_written) // REPEATS,
        "array_bound": round(array, 1),
        "memory_bound": round(moved / executor.ddr.bytes_per_cycle, 1),
        "ratio": round(counted.total / bound, 3),
    }
