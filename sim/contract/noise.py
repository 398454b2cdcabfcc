"""The contract's counter-based generator: 32 random bits from a 64-bit seed and an element's number.

Shifts, adds and exclusive-ors only, so that hardware needs LUTs only; no state, so that any element can be drawn
alone and a run repeats bit for bit.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sim.contract.constants import NOISE_SALT_0, NOISE_SALT_1
from sim.contract.layout import code_range

MASK = 0xFFFFFFFF

Words = TypeVar("Words")  # an int, or whole numbers of 32 bits or more in an array or tensor


def mix(x: Words) -> Words:
    """Scrambles 32-bit numbers; the same for Python's integers, arrays and tensors."""
    word: Any = x
    word = word ^ word >> 14
    word = word + (word << 13) & MASK
    word = word ^ word >> 11
    word = word + (word << 5) & MASK
    word = word ^ word >> 16
    return word + (word << 4) & MASK


def noise_keys(seed: int) -> tuple[int, int]:
    """Two keys that depend on every bit of the seed: made once per command, so neighbouring seeds share nothing."""
    low, high = seed & MASK, seed >> 32 & MASK
    key_0 = mix(mix(mix(low ^ NOISE_SALT_0) + high & MASK) ^ NOISE_SALT_1)
    return key_0, mix(mix(key_0 + low & MASK) ^ high)


def noise(seed: int, index: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    """32 random bits for each element number; numbers and sums are modulo 2^32."""
    key_0, key_1 = map(np.uint32, noise_keys(seed))
    x = mix(mix(np.atleast_1d(np.asarray(index)).astype(np.uint32) ^ key_0) + key_1)
    return x ^ x >> 16


def random_codes(shape: tuple[int, ...], bits: int, signed: bool, seed: int) -> npt.NDArray[np.int64]:
    """Codes over the whole range, drawn by `noise`: the same on every machine."""
    low, high = code_range(bits, signed)
    drawn = noise(seed, np.arange(np.prod(shape, dtype=np.int64))).astype(np.int64)
    return low + drawn.reshape(shape) % (high - low + 1)
