"""The contract's layer arithmetic in PyTorch: the same codes and the same float32 results as `sim.affine`."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from sim.affine import LEAST_SCALE, check_operand_bits
from sim.noise import noise_keys

MASK = 0xFFFFFFFF


@dataclass(frozen=True)
class Quantised:
    """Codes (integers held in float32, exact) and what they mean: value = codes · scale + offset."""

    codes: Tensor
    scale: Tensor
    offset: Tensor
    bits: int
    signed: bool


def noise(seed: int, count: int) -> Tensor:
    """The contract's generator for elements 0 .. count - 1, as int64 in 0 .. 2^32 - 1."""
    key_0, key_1 = (int(key[0]) for key in noise_keys(seed))
    x = _mix(_mix(torch.arange(count, dtype=torch.int64) & MASK ^ key_0) + key_1 & MASK)
    return x ^ x >> 16


def _mix(x: Tensor) -> Tensor:
    x = x ^ x >> 14
    x = x + (x << 13) & MASK
    x = x ^ x >> 11
    x = x + (x << 5) & MASK
    x = x ^ x >> 16
    return x + (x << 4) & MASK


def quantise(values: Tensor, bits: int, signed: bool, per_channel: bool = False, seed: int | None = None) -> Quantised:
    """Affine codes of a float32 tensor's own range, as `sim.affine.quantise`."""
    check_operand_bits(bits)
    if values.dtype != torch.float32:
        raise TypeError(f"values must be float32, not {values.dtype}")
    if not values.numel():
        raise ValueError("cannot quantise an empty tensor: it has no range")
    dims = tuple(range(1, values.ndim)) if per_channel else tuple(range(values.ndim))
    low, high = values.amin(dims, keepdim=True), values.amax(dims, keepdim=True)
    levels = float((1 << bits) - 1)
    scale = ((high - low) / levels).clamp_min(float(LEAST_SCALE))
    if not torch.isfinite(scale).all():
        raise ValueError("cannot quantise: values are not finite or their range is not a float32")
    steps = (values - low) / scale
    if seed is None:
        rounded = steps.round()
    else:
        drawn = (noise(seed, values.numel()) >> 8).to(torch.float32).reshape(values.shape)
        floor = steps.floor()
        rounded = floor + (drawn * 2.0**-24 < steps - floor)
    codes = rounded.clamp(0, levels)
    if not signed:
        return Quantised(codes, scale, low, bits, signed)
    centre = float(1 << bits - 1)
    return Quantised(codes - centre, scale, low + centre * scale, bits, signed)


def combine(
    acc: Tensor, row_sums: Tensor, col_sums: Tensor, counts: Tensor, a: Quantised, b_scale: Tensor, b_offset: Tensor
) -> Tensor:
    """Accumulators and sums (any integer or exact float type) to float32 results, as `sim.affine.combine`."""
    product = acc.float() * (a.scale * b_scale)
    from_b_offset = row_sums.float() * (a.scale * b_offset)
    from_a_offset = a.offset * (col_sums.float() * b_scale + counts.float() * b_offset)
    return product + (from_b_offset + from_a_offset)
