"""The contract's layer arithmetic in PyTorch: the same codes and the same float32 results as `sim.reference.affine`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from cpt_model.arithmetic import any_device, native
from sim.contract.noise import MASK, mix, noise_keys
from sim.reference.affine import LEAST_SCALE, check_operand_bits

EXACT_FLOAT32 = any_device.EXACT_FLOAT32  # whole numbers up to here are float32s


@dataclass(frozen=True)
class Sums:
    """Sums of stored codes that the terms of an affine product need, exact."""

    by_pixel: Tensor  # (n, 1, h, w), over channels
    over_batch: Tensor  # (1, c, h, w)


@dataclass(frozen=True)
class Quantised:
    """Codes (integers held in float32, exact) and what they mean: value = code · scale + offset.

    `codes` are stored without `zero`: the contract's code is codes + zero. Errors store the code nearest to the value 0
    as 0, which keeps sums small, so that float32 arithmetic stays exact.
    """

    codes: Tensor
    scale: Tensor
    offset: Tensor
    bits: int
    signed: bool
    zero: int = 0
    known_sums: Sums | None = None

    @property
    def least(self) -> int:
        """No stored code is less."""
        return (-(1 << self.bits - 1) if self.signed else 0) - self.zero

    @property
    def most(self) -> int:
        """No stored code is more."""
        return self.least + (1 << self.bits) - 1

    @property
    def greatest(self) -> int:
        """No stored code is greater in magnitude."""
        return max(abs(self.least), abs(self.most))

    def contract_codes(self) -> Tensor:
        return self.codes + self.zero if self.zero else self.codes

    def values(self) -> Tensor:
        return self.contract_codes() * self.scale + self.offset

    @cached_property
    def sums(self) -> Sums:
        """In float32, or in float64 where that might round."""
        if self.known_sums is not None:
            return self.known_sums
        codes = self.codes if self.greatest * max(self.codes.shape[:2]) <= EXACT_FLOAT32 else self.codes.double()
        return Sums(codes.sum(1, keepdim=True), codes.sum(0, keepdim=True))

    @cached_property
    def norms(self) -> Tensor:
        """√Σ code² of the positive and of the negative codes, by image, sign and channel; rounded."""
        by_sign = self.codes.clamp(min=0), self.codes.clamp(max=0)
        return torch.stack([torch.linalg.vector_norm(each, dim=(2, 3)) for each in by_sign], dim=1)


@dataclass(frozen=True)
class Grid:
    """The values a tensor can take: low + scale · (0 .. levels); codes count from `centre`."""

    low: float
    scale: float
    levels: int
    bits: int
    centre: int = 0

    @property
    def signed(self) -> bool:
        return self.centre > 0

    @property
    def offset(self) -> float:
        """The value of code 0, in float32."""
        return float(np.float32(self.low) + np.float32(self.centre) * np.float32(self.scale))

    @property
    def code_of_zero(self) -> int:
        """The code nearest to the value 0; the end of the range if 0 lies outside."""
        steps = round(-self.low / self.scale)
        return max(0, min(steps, self.levels)) - self.centre


def noise(seed: int, count: int, device: torch.device | str = "cpu") -> Tensor:
    """The contract's generator for elements 0 .. count - 1, as int64 in 0 .. 2^32 - 1."""
    key_0, key_1 = noise_keys(seed)
    x = mix(mix(torch.arange(count, dtype=torch.int64, device=device) & MASK ^ key_0) + key_1 & MASK)
    return x ^ x >> 16


def value_range(values: Tensor) -> tuple[float, float]:
    """Least and greatest value of a float32 tensor; what has no finite range is refused."""
    if values.dtype != torch.float32:
        raise TypeError(f"values must be float32, not {values.dtype}")
    if not values.numel():
        raise ValueError("cannot quantise an empty tensor: it has no range")
    if native.usable(values):
        found = native.value_range(native.dense(values))
    else:
        low, high = torch.aminmax(values)
        found = any_device.read(low), any_device.read(high)
        found = found if all(map(math.isfinite, found)) else None
    if found is None:
        raise ValueError("cannot quantise: values are not finite (NaN or infinity)")
    return found


def check_scale(greatest: float) -> None:
    """Steps of a grid are float32s."""
    if not math.isfinite(greatest):
        raise ValueError("cannot quantise: the values' range is not a float32")


def affine_grid(low: float, high: float, bits: int, signed: bool) -> Grid:
    """The contract's grid of a range: 2^bits values from low to high."""
    check_operand_bits(bits)
    levels = (1 << bits) - 1
    with np.errstate(over="ignore"):
        scale = np.maximum((np.float32(high) - np.float32(low)) / np.float32(levels), LEAST_SCALE)
    check_scale(float(scale))
    return Grid(low, float(scale), levels, bits, 1 << bits - 1 if signed else 0)


def encode(values: Tensor, grid: Grid, seed: int | None = None, zero: int = 0) -> Quantised:
    """Codes of a tensor on a grid; with a seed, stochastic rounding, else half to even. Outside the grid: its ends."""
    scale, offset = (torch.full((1, 1, 1, 1), each, dtype=torch.float32, device=values.device)
                     for each in (grid.scale, grid.offset))  # fmt: skip
    keys = None if seed is None else noise_keys(seed)
    if values.ndim == 4 and native.usable(values):
        stored, *sums = native.codes(native.dense(values), grid.low, grid.scale, grid.levels, grid.centre + zero, keys)
        exact = (grid.levels + abs(grid.centre + zero)) * max(stored.shape[:2]) <= EXACT_FLOAT32
        return Quantised(stored, scale, offset, grid.bits, grid.signed, zero, Sums(*sums) if exact else None)
    # By a tensor: divided by a number, some devices multiply by its reciprocal.
    rounded = _round((values - grid.low) / scale.reshape((1,) * values.ndim), seed)
    stored = laid_out_as(values, rounded.clamp(0, grid.levels) - (grid.centre + zero))
    return Quantised(stored, scale, offset, grid.bits, grid.signed, zero)


def quantise(values: Tensor, bits: int, signed: bool, per_channel: bool = False, seed: int | None = None) -> Quantised:
    """Affine codes of a float32 tensor's own range, as `sim.reference.affine.quantise`."""
    if not per_channel:
        return encode(values, affine_grid(*value_range(values), bits, signed), seed)
    check_operand_bits(bits)
    value_range(values)
    dims = tuple(range(1, values.ndim))
    low, high = values.amin(dims, keepdim=True), values.amax(dims, keepdim=True)
    levels = float((1 << bits) - 1)
    scale = ((high - low) / levels).clamp_min(float(LEAST_SCALE))
    check_scale(any_device.read(scale.max()))
    codes = laid_out_as(values, _round((values - low) / scale, seed).clamp(0, levels))
    if not signed:
        return Quantised(codes, scale, low, bits, signed)
    centre = float(1 << bits - 1)
    return Quantised(codes - centre, scale, low + centre * scale, bits, signed)


def laid_out_as(values: Tensor, codes: Tensor) -> Tensor:
    """The codes in the memory order of their values, as the C++ kernels have them.

    PyTorch chooses the order of a convolution's results by those of its operands, and float sums of what comes next,
    of batch normalisation, depend on it.
    """
    pattern = native.dense(values)
    return codes if codes.stride() == pattern.stride() else torch.empty_like(pattern).copy_(codes)


def _round(steps: Tensor, seed: int | None) -> Tensor:
    if seed is None:
        return steps.round()
    drawn = (noise(seed, steps.numel(), steps.device) >> 8).to(torch.float32).reshape(steps.shape)
    floor = steps.floor()
    return floor + (drawn * 2.0**-24 < steps - floor)


def combine(
    acc: Tensor, row_sums: Tensor, col_sums: Tensor, counts: Tensor, a: Quantised, b_scale: Tensor, b_offset: Tensor
) -> Tensor:
    """Accumulators and sums (any integer or exact float type) to float32 results, as `sim.reference.affine.combine`."""
    product = acc.float() * (a.scale * b_scale)
    from_b_offset = row_sums.float() * (a.scale * b_offset)
    from_a_offset = a.offset * (col_sums.float() * b_scale + counts.float() * b_offset)
    return product + (from_b_offset + from_a_offset)
