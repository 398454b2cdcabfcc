"""What a pass stores of its sums, and the commands of a pass that stores it."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from host.compiler.bits import Bits
from host.compiler.groups import bundles
from host.compiler.jobs import pass_precision
from host.compiler.layer import Conv, Pass
from host.compiler.lower import lower
from host.compiler.plan import Plan
from host.compiler.precision import EXACT, Output, Precision, rounded, safe_shift
from sim.contract import MAX_OUT_BITS, Build, Command, Format


class Results(Enum):
    """Kinds of results of forward and input-error passes; weight gradients are always exact.

    >>> Results("rounded-products").row_sums
    False
    """

    ROUNDED = "rounded"  # to as many bits as the precision deserves, with row sums: what training needs
    INT16 = "int16"  # to 16 bits, with row sums
    ROUNDED_PRODUCTS = "rounded-products"  # without row sums
    INT16_PRODUCTS = "int16-products"
    EXACT = "exact"  # accumulators as they are

    @property
    def narrow(self) -> bool:
        """Whether the width follows from the precision."""
        return self in (Results.ROUNDED, Results.ROUNDED_PRODUCTS)

    @property
    def row_sums(self) -> bool:
        return self in (Results.ROUNDED, Results.INT16)

    def __str__(self) -> str:
        return str(self.value)

    @classmethod
    def _missing_(cls, value: object) -> Results:
        raise ValueError(f"unknown results '{value}'; there are: {', '.join(map(str, cls))}")


def stored_results(layer: Conv, which: Pass, precision: Precision, results: Results) -> Output:
    """The output of a pass: cut so that nothing saturates, whatever the codes.

    The shift follows from the widths alone, so one command list serves every tensor of a layer.
    """
    if results is Results.EXACT or which is Pass.WEIGHT_GRADIENT:
        return EXACT
    if results.narrow:
        stored = rounded(layer, which, precision)
    else:
        shift = safe_shift(layer, which, precision, bits=MAX_OUT_BITS)
        stored = Output(Format.INT16, bits=MAX_OUT_BITS, shift=shift)
    whole_blocks = all(bundle.groups == 1 for bundle in bundles(layer))
    return replace(stored, row_sums=whole_blocks and results.row_sums)


def pass_commands(layer: Conv, which: Pass, bits: Bits, build: Build, results: Results) -> list[Command]:
    """A layer's pass at a step's widths, in a region of its own."""
    return precision_commands(layer, which, pass_precision(which, bits), build, results)


def precision_commands(layer: Conv, which: Pass, precision: Precision, build: Build, results: Results) -> list[Command]:
    """The same at any widths of its operands."""
    output = stored_results(layer, which, precision, results)
    return lower(layer, which, precision, build, output, plan=Plan()).commands
