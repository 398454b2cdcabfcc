"""PyTorch's random numbers without PyTorch: the words of its CPU generator, and what it makes of them.

Both have the Mersenne twister, begun with a seed's low 32 bits; NumPy promises to keep the words of `RandomState`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

LOW = (1 << 32) - 1


class Twister:
    """A generator after `manual_seed(seed)`.

    >>> Twister(0).words(2).tolist()
    [2357136044, 2546248239]
    """

    def __init__(self, seed: int) -> None:
        self._state = np.random.RandomState(seed & LOW)

    def words(self, count: int) -> npt.NDArray[np.uint32]:
        return self._state.randint(0, 1 << 32, size=count, dtype=np.uint32)


def torch_permutation(length: int, seed: int) -> npt.NDArray[np.int64]:
    """`torch.randperm` by its own way: each place in turn gets one of those that are left."""
    order = np.arange(length)
    for place, word in enumerate(Twister(seed).words(length - 1).tolist()):
        other = place + word % (length - place)
        order[place], order[other] = order[other], order[place]
    return order
