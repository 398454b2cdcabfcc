"""Tallies: what a pass leaves of each channel for the scalar unit, written and read.

Σ v, Σ v·other, least and greatest v. Readers take the bits that a tally of MAX_COUNT codes of 16 bits can have.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.contract.blocks import BlockPlace
from sim.contract.constants import TALLY_CODE_BITS, TALLY_SECOND_BITS, TALLY_SUM_BITS
from sim.contract.tensors import Memory

Integers = npt.NDArray[np.int64]


def tally(values: Integers, others: Integers, place: BlockPlace, memory: Memory) -> None:
    """By channel of (n, c, h, w)."""
    header, records = place.begin(memory)
    header["count"] = values.size // values.shape[1]
    axes = (0, 2, 3)
    records["sum"], records["second"] = values.sum(axes), (values * others).sum(axes)
    records["least"], records["most"] = values.min(axes), values.max(axes)


def sums(place: BlockPlace, memory: Memory) -> list[tuple[int, int]]:
    """Both sums of each channel."""
    records = place.records(memory)
    first, second = sign_extend(records["sum"], TALLY_SUM_BITS), sign_extend(records["second"], TALLY_SECOND_BITS)
    return list(zip(first.tolist(), second.tolist(), strict=True))


def ends(place: BlockPlace, memory: Memory) -> list[tuple[int, int]]:
    """Least and greatest of each channel."""
    records = place.records(memory)
    least, most = (sign_extend(records[name], TALLY_CODE_BITS).tolist() for name in ("least", "most"))
    return list(zip(least, most, strict=True))


def magnitudes(place: BlockPlace, memory: Memory) -> list[int]:
    """The greatest magnitude of each channel."""
    return [max(abs(least), abs(most)) for least, most in ends(place, memory)]


def sign_extend(values: npt.NDArray[np.integer], bits: int) -> Integers:
    """The low bits as a two's complement number."""
    spare = np.int64(64 - bits)
    return values.astype(np.int64) << spare >> spare
