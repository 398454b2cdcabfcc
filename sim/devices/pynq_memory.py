"""Memory as a host without coherent caches sees it: each buffer twice, in the host's cache and in DRAM.

A flush copies to DRAM, an invalidate copies back; the accelerator sees DRAM only. Both start with different noise, so
that a forgotten flush or invalidate gives wrong results, as on the board.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.contract import Memory

PAGE = 4096
FIRST_ADDRESS = 0x1000_0000
CACHE_NOISE, DRAM_NOISE = 0xA5, 0x5A


@dataclass
class Block:
    """One buffer."""

    address: int
    cache: Memory
    dram: Memory


class ContiguousPool:
    """A pool of contiguous memory; blocks are pages, the lowest hole that is large enough is taken.

    >>> pool = ContiguousPool(3 * PAGE)
    >>> first, second = pool.allocate(PAGE), pool.allocate(PAGE)
    >>> pool.release(first)
    >>> pool.largest_hole() == PAGE
    True
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.blocks: dict[int, Block] = {}
        self._next = 1

    def allocate(self, size: int) -> int:
        """The handle of a new block."""
        pages = -(-size // PAGE) * PAGE
        for start, end in self._holes():
            if end - start >= pages:
                cache, dram = (np.full(size, noise, dtype=np.uint8) for noise in (CACHE_NOISE, DRAM_NOISE))
                handle, self._next = self._next, self._next + 1
                self.blocks[handle] = Block(start, cache, dram)
                return handle
        raise MemoryError(f"no {pages:,} bytes in one piece")

    def release(self, handle: int) -> None:
        self.blocks.pop(handle, None)

    def largest_hole(self) -> int:
        return max((end - start for start, end in self._holes()), default=0)

    def _holes(self) -> list[tuple[int, int]]:
        taken = sorted(
            (block.address, block.address + -(-block.cache.size // PAGE) * PAGE) for block in self.blocks.values()
        )
        starts = [FIRST_ADDRESS, *(end for _, end in taken)]
        ends = [*(start for start, _ in taken), FIRST_ADDRESS + self.size]
        return [(start, end) for start, end in zip(starts, ends, strict=True) if end > start]

    def dram(self, address: int, size: int) -> Memory:
        """What the bus reaches at an address, cut off where the block ends; nothing answers elsewhere."""
        for block in self.blocks.values():
            offset = address - block.address
            if 0 <= offset < block.dram.size:
                return block.dram[offset : offset + size]
        return np.empty(0, dtype=np.uint8)

    def orphan(self) -> None:
        """From now on DRAM is a copy: an abandoned list writes where it does no harm."""
        for block in self.blocks.values():
            block.dram = block.dram.copy()
