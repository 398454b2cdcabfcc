"""The contract's counter-based generator: 32 random bits from a 64-bit seed and an element's number.

Shifts, adds and exclusive-ors only, so that hardware makes it in LUTs; no state, so that any element can be drawn
alone and a run repeats bit for bit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.contract import NOISE_SALT_0, NOISE_SALT_1

U32 = np.uint32


def _mix(x: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    x = x ^ x >> U32(14)
    x = x + (x << U32(13))
    x = x ^ x >> U32(11)
    x = x + (x << U32(5))
    x = x ^ x >> U32(16)
    return x + (x << U32(4))


def noise_keys(seed: int) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Two keys that depend on every bit of the seed: made once a command, so neighbouring seeds share nothing."""
    low = np.array([seed & 0xFFFFFFFF], dtype=U32)
    high = np.array([seed >> 32 & 0xFFFFFFFF], dtype=U32)
    key_0 = _mix(_mix(_mix(low ^ U32(NOISE_SALT_0)) + high) ^ U32(NOISE_SALT_1))
    return key_0, _mix(_mix(key_0 + low) ^ high)


def noise(seed: int, index: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    """32 random bits for each element number; numbers and sums are modulo 2^32."""
    key_0, key_1 = noise_keys(seed)
    x = _mix(_mix(np.atleast_1d(np.asarray(index)).astype(U32) ^ key_0) + key_1)
    return x ^ x >> U32(16)
