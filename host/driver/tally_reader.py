"""The greatest magnitudes of many tallies, by one gather: the host does it between two lists, so it must be quick."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.contract import TENSOR_ALIGNMENT, BlockPlace, Memory
from sim.contract.blocks import RECORDS

WORD = np.dtype("<i4")


class TallyReader:
    """Of blocks, and how many channels of each there are."""

    def __init__(self, tallies: Sequence[tuple[BlockPlace, int]]) -> None:
        self.places = [place for place, _ in tallies]
        parts = [_words(place, channels) for place, channels in tallies]
        self._index = np.concatenate(parts) if parts else np.zeros(0, np.intp)
        self._starts = np.cumsum([0, *map(len, parts)], dtype=np.intp)[:-1]  # on 32 bits reduceat takes no others

    def greatest(self, memory: Memory) -> list[int]:
        """In the order of the blocks."""
        if not self.places:
            return []
        magnitudes = np.abs(memory.view(WORD)[self._index].astype(np.int64))
        found: list[int] = np.maximum.reduceat(magnitudes, self._starts).tolist()
        return found


def _words(place: BlockPlace, channels: int) -> np.ndarray:
    """Where the least and the most of each channel are, in words of the region."""
    record = RECORDS[place.kind]
    assert record.fields is not None
    first = place.address + TENSOR_ALIGNMENT
    rows = first + record.itemsize * np.arange(channels, dtype=np.intp)
    return np.concatenate([rows + record.fields[name][1] for name in ("least", "most")]) // WORD.itemsize
