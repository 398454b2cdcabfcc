"""What a pass is asked for: the widths of its operands and the form of its results."""

from __future__ import annotations

from dataclasses import dataclass

from host.compiler.layer import Conv, LayerError, Pass
from sim.common.numbers import set_integer
from sim.contract import MAX_OPERAND_BITS, MAX_OUT_BITS, MAX_SHIFT, Format, code_range


@dataclass(frozen=True)
class Precision:
    """Widths of the two operands, 1..16 bits each, signed or not."""

    a_bits: int
    b_bits: int
    a_signed: bool = False
    b_signed: bool = False

    def __post_init__(self) -> None:
        for name in ("a_bits", "b_bits"):
            bits = set_integer(self, name, LayerError)
            if not 1 <= bits <= MAX_OPERAND_BITS:
                raise LayerError(f"{name} = {bits} is not in 1..{MAX_OPERAND_BITS}")


@dataclass(frozen=True)
class Output:
    """What a pass stores. Without a format: exact accumulators, in 32 bits where they suffice, else in 64."""

    out_format: Format | None = None
    bits: int = 0
    signed: bool = True
    shift: int = 0
    seed: int | None = None  # given: stochastic rounding; the i-th command of the pass uses seed + i
    row_sums: bool = False
    compact: bool = False  # of INT16: bit planes instead, where they fit and are quicker to store

    def __post_init__(self) -> None:
        if self.out_format not in (None, *Format):
            formats = ", ".join(f"Format.{each.name}" for each in Format)
            raise LayerError(f"out_format = {self.out_format!r} is not one of {formats}")
        for name, most in (("bits", MAX_OUT_BITS), ("shift", MAX_SHIFT)):
            value = set_integer(self, name, LayerError)
            if not 0 <= value <= most:
                raise LayerError(f"output {name} = {value} is not in 0..{most}")
        if self.seed is not None and not 0 <= set_integer(self, "seed", LayerError) < 1 << 64:
            raise LayerError(f"seed {self.seed} is not in 0..2^64 - 1")


EXACT = Output()
# Bits that rounded results have beyond those of the weights, up to EXTRA_BITS_TERMS terms.
EXTRA_BITS = {Pass.FORWARD: 8, Pass.INPUT_ERROR: 10}
EXTRA_BITS_TERMS = 288


def result_bits(layer: Conv, which: Pass, precision: Precision) -> int:
    """Width of a pass's rounded results: wide enough, up to 16 bits, that rounding the operands is the larger error.

    Weights, the second operand, have the step's forward width. The range of sums grows with the number of terms, the
    effect of rounded operands with its square root: beyond 288, twice as many terms get one more bit, not a larger
    shift. No result has more bits than the largest sum.

    >>> layer = Conv(8, 16, 16, 32, 32, (3, 3), padding=(1, 1))
    >>> [result_bits(layer, Pass.FORWARD, Precision(bits, bits, b_signed=True)) for bits in (3, 8, 16)]
    [11, 16, 16]
    """
    terms, largest = _greatest_sum(layer, which, precision)
    more = (-(-terms // EXTRA_BITS_TERMS) - 1).bit_length()
    wanted = precision.b_bits + EXTRA_BITS[which] + more
    return min(MAX_OUT_BITS, wanted, largest.bit_length() + 1)


def safe_shift(layer: Conv, which: Pass, precision: Precision, bits: int) -> int:
    """The least shift with which no signed result of `bits` bits of a forward or input-error pass saturates.

    It follows from the widths and the number of terms alone, so it serves every tensor of a layer.

    >>> safe_shift(Conv.linear(1, 144, 16), Pass.FORWARD, Precision(3, 3, b_signed=True), bits=11)  # 144 · 7 · 4
    2
    """
    if not 2 <= bits <= MAX_OUT_BITS:
        raise LayerError(f"signed results of {bits} bits: 2..{MAX_OUT_BITS} are supported")
    _, largest = _greatest_sum(layer, which, precision)
    steps = -(-largest // ((1 << bits - 1) - 1))
    return (steps - 1).bit_length()


def rounded(layer: Conv, which: Pass, precision: Precision) -> Output:
    """Results of a forward or input-error pass as narrow as its precision allows, half to even."""
    bits = result_bits(layer, which, precision)
    return Output(Format.INT16, bits=bits, shift=safe_shift(layer, which, precision, bits), compact=True)


def _greatest_sum(layer: Conv, which: Pass, precision: Precision) -> tuple[int, int]:
    """How many terms a sum has, and the greatest magnitude it can have, whatever the codes."""
    if which is Pass.WEIGHT_GRADIENT:
        raise LayerError("weight gradients are stored exactly: they are not rounded")
    channels = (layer.in_channels if which is Pass.FORWARD else layer.out_channels) // layer.groups
    terms = channels * layer.kernel[0] * layer.kernel[1]
    operands = (precision.a_bits, precision.a_signed), (precision.b_bits, precision.b_signed)
    a_most, b_most = (max(map(abs, code_range(*operand))) for operand in operands)
    return terms, terms * a_most * b_most
