"""Random numbers without a state: each is a function of (seed, purpose, number), so a resumed run draws the same.

Philox is a counter-based generator; only its raw words are used, whose values NumPy promises to keep.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import numpy.typing as npt

SEEDS = 1 << 64


class Purpose(IntEnum):
    """What the numbers are for: two purposes share none."""

    ORDER = 1
    AUGMENTATION = 2


def check_seed(seed: int) -> int:
    if not 0 <= seed < SEEDS:
        raise ValueError(f"seed {seed}: must be from 0 to 2^64 - 1")
    return seed


def words(seed: int, purpose: Purpose, number: int, count: int) -> npt.NDArray[np.uint64]:
    """`count` random 64-bit words; `number` is the step or the epoch."""
    counter = [0, 0, number, 0]  # the generator counts up from the first word, so numbers never meet
    source = np.random.Philox(key=np.array([seed, purpose], np.uint64), counter=np.array(counter, np.uint64))
    return source.random_raw(count)


def uniform(seed: int, purpose: Purpose, number: int, shape: tuple[int, int]) -> npt.NDArray[np.float64]:
    """Numbers in [0, 1), multiples of 2^-53."""
    return (words(seed, purpose, number, shape[0] * shape[1]) >> np.uint64(11)).reshape(shape) * 2.0**-53


def permutation(seed: int, number: int, length: int) -> npt.NDArray[np.int64]:
    """The order of an epoch.

    >>> sorted(permutation(seed=3, number=0, length=5).tolist())
    [0, 1, 2, 3, 4]
    """
    return np.argsort(words(seed, Purpose.ORDER, number, length), kind="stable")
