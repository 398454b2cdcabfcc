"""From exact accumulators to the codes a command stores: scale by a power of two, round, saturate."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sim.contract import CHANNEL_BLOCK, Command, Flag, code_range
from sim.contract.noise import Words, noise


def requantise(maps: npt.NDArray[np.int64], command: Command) -> npt.NDArray[np.int64]:
    """Accumulators (n, c, h, w) to codes of `out_bits` bits: round(acc / 2^shift), saturated."""
    if command.flag(Flag.STOCHASTIC):
        seed = command.seed_hi << 32 | command.seed_lo
        rounded = maps + rounding_bits(maps.shape, seed, command.shift) >> command.shift
    else:
        rounded = shift_half_even(maps, command.shift)
    return np.clip(rounded, *code_range(command.out_bits, command.flag(Flag.OUT_SIGNED)))


def shift_half_even(values: Words, shift: Any) -> Words:
    """values / 2^shift, rounded to the nearest integer, ties to even; for Python's integers, arrays and tensors."""
    floor: Any = values >> shift
    one, twice = 1 << shift, 2 * (values - (floor << shift))
    return floor + ((twice > one) | ((twice == one) & (floor & 1 == 1)))


def rounding_bits(shape: tuple[int, ...], seed: int, shift: int) -> npt.NDArray[np.int64]:
    """Uniform integers in 0 .. 2^shift - 1, one for each element numbered in storage order [n][block][h][w][16]."""
    n, c, h, w = shape
    numbers = np.arange(n * c * h * w, dtype=np.uint32).reshape(n, c // CHANNEL_BLOCK, h, w, CHANNEL_BLOCK)
    drawn = noise(seed, numbers).astype(np.int64)
    scaled = drawn >> 32 - shift if shift <= 32 else drawn << shift - 32
    return scaled.transpose(0, 1, 4, 2, 3).reshape(n, c, h, w)
