"""The contract's counter-based generator: 32 random bits from a 64-bit seed and an element's number.

Shifts, adds and exclusive-ors only, so that hardware makes it in LUTs; no state, so that any element can be drawn
alone and a run repeats bit for bit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

U32 = np.uint32


def _mix(x: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    x = x ^ x >> U32(14)
    x = x + (x << U32(13))
    x = x ^ x >> U32(11)
    x = x + (x << U32(5))
    x = x ^ x >> U32(16)
    return x + (x << U32(4))


def noise(seed: int, index: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    """32 random bits for each element number; numbers and sums are modulo 2^32."""
    x = _mix(np.atleast_1d(np.asarray(index)).astype(U32) ^ U32(seed & 0xFFFFFFFF))
    x = _mix(x + U32(seed >> 32 & 0xFFFFFFFF))
    return x ^ x >> U32(16)
