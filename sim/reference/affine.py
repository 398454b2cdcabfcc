"""The arithmetic of a quantised layer around the integer products: which terms are integers, which are float32.

An operand is codes q with a scale s and an offset m, all float32: value = q · s + m. With A per tensor and B per
output channel of the pass (per tensor in a weight gradient), a result is

    y = acc · (sA · sB) + [ rowsum · (sA · mB) + mA · ( colsum · sB + count · mB ) ]

acc, rowsum, colsum and count are exact integers over the taps inside the image, so padding is an exact 0. Each
operation rounds to float32, in this order; a product with a zero offset is still an exact 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim.contract import MAX_OPERAND_BITS, Command, Opcode
from sim.contract.noise import noise
from sim.reference.windows import windows

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.integer]

LEAST_SCALE = np.float32(2.0**-126)


@dataclass(frozen=True)
class Quantised:
    """Codes and what they mean; `scale` and `offset` broadcast against `codes`."""

    codes: npt.NDArray[np.int32]
    scale: Floats
    offset: Floats
    bits: int
    signed: bool

    def values(self) -> Floats:
        return self.codes.astype(np.float32) * self.scale + self.offset


def check_operand_bits(bits: int) -> None:
    """Widths are those of the accelerator's operands."""
    if not 1 <= bits <= MAX_OPERAND_BITS:
        raise ValueError(f"cannot quantise to {bits} bits: 1..{MAX_OPERAND_BITS} are allowed")


def quantise(values: Floats, bits: int, signed: bool, per_channel: bool = False, seed: int | None = None) -> Quantised:
    """Affine codes of the tensor's own range; with a seed, stochastic rounding, else half to even.

    A constant tensor gets the lowest code, and its value back: exactly if unsigned, else to float32's rounding.
    """
    check_operand_bits(bits)
    if values.dtype != np.float32:
        raise TypeError(f"values must be float32, not {values.dtype}")
    if not values.size:
        raise ValueError("cannot quantise an empty tensor: it has no range")
    axes = tuple(range(1, values.ndim)) if per_channel else None
    low, high = values.min(axis=axes, keepdims=True), values.max(axis=axes, keepdims=True)
    if not np.isfinite(low).all() or not np.isfinite(high).all():
        raise ValueError("cannot quantise NaN or infinity")
    levels = np.float32((1 << bits) - 1)
    with np.errstate(over="ignore"):
        scale = np.maximum((high - low) / levels, LEAST_SCALE)
    if not np.isfinite(scale).all():
        raise ValueError("cannot quantise: the range of the values is not a float32")
    steps = (values - low) / scale
    if seed is None:
        rounded = np.rint(steps)
    else:
        drawn = noise(seed, np.arange(values.size, dtype=np.uint32)).reshape(values.shape)
        floor = np.floor(steps)
        rounded = floor + ((drawn >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24) < steps - floor)
    codes = np.clip(rounded, np.float32(0), levels).astype(np.int32)
    if not signed:
        return Quantised(codes, scale, low, bits, signed)
    centre = 1 << bits - 1
    return Quantised(codes - centre, scale, low + np.float32(centre) * scale, bits, signed)


def tap_inside(command: Command) -> tuple[Integers, Integers]:
    """For each output row and kernel row, 1 where the tap falls on a stored row (else padding); likewise columns."""
    ones = np.ones((1, 1, command.a_height, command.a_width), dtype=np.int64)
    inside = windows(ones, command)[0, :, :, 0]
    return inside.max(axis=(1, 3)), inside.max(axis=(0, 2))


def column_sums(b_codes: Integers, command: Command) -> Integers:
    """Σ of B's codes over the taps inside the image, shaped to broadcast against the result (n, c, h, w)."""
    rows, columns = tap_inside(command)
    if command.opcode == Opcode.CONV:
        return np.einsum("yk,xl,ockl->oyx", rows, columns, b_codes.astype(np.int64), optimize=True)[None]
    return np.einsum("yk,xl,noyx->okl", rows, columns, b_codes.astype(np.int64), optimize=True)[None]


def group_row_sums(a_codes: Integers, command: Command, groups: int, out_channels: int) -> Integers:
    """Σ of A's codes in each window, by group, for every output channel of a CONV: (n, c, h, w).

    For groups smaller than a block of 16 channels, whose sums the accelerator cannot tell apart.
    """
    channels = a_codes.shape[1]
    by_channel = windows(a_codes.astype(np.int64), command).sum(axis=(4, 5))
    by_group = by_channel.reshape(*by_channel.shape[:3], groups, channels // groups).sum(axis=4)
    return np.repeat(by_group.transpose(0, 3, 1, 2), out_channels // groups, axis=1)


def term_counts(channels: int, command: Command) -> Integers:
    """How many terms of a result fall inside the image: `channels` are the real ones, without padding."""
    rows, columns = tap_inside(command)
    if command.opcode == Opcode.CONV:
        return channels * np.outer(rows.sum(axis=1), columns.sum(axis=1))[None, None]
    return command.images * np.outer(rows.sum(axis=0), columns.sum(axis=0))[None, None]


def combine(
    acc: Integers,
    row_sums: Integers,
    col_sums: Integers,
    counts: Integers,
    a: Quantised,
    b_scale: Floats,
    b_offset: Floats,
) -> Floats:
    """y of the module's formula, each operation rounded to float32 in the order written there."""
    f32 = np.float32
    product = acc.astype(f32) * (a.scale * b_scale)
    from_b_offset = row_sums.astype(f32) * (a.scale * b_offset)
    from_a_offset = a.offset * (col_sums.astype(f32) * b_scale + counts.astype(f32) * b_offset)
    return product + (from_b_offset + from_a_offset)
