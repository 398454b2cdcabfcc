"""Contiguous memory without pynq: a u-dma-buf device with the host's cache, or a reserved region without one."""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

PAGE = 4096
UNIT = 16  # of the bytes that u-dma-buf takes in one number with the offset


class MappedMemory:
    """One piece of memory at a bus address, given out in pages; `sync` is the sysfs folder of a u-dma-buf, or None."""

    def __init__(self, file: Path, offset: int, size: int, address: int, sync: Path | None) -> None:
        uncached = 0 if sync else os.O_SYNC
        handle = os.open(file, os.O_RDWR | uncached | os.O_CLOEXEC)
        try:
            self._map = mmap.mmap(handle, size, offset=offset)
        finally:
            os.close(handle)
        self.bytes = np.frombuffer(self._map, np.uint8)
        self.address, self._taken = address, dict[int, int]()
        self._sync: dict[str, int] = {}
        if sync is not None:
            names = ("sync_for_cpu", "sync_for_device")
            self._sync = {name: os.open(sync / name, os.O_WRONLY | os.O_CLOEXEC) for name in names}

    def free_bytes(self) -> int:
        return max(end - start for start, end in self._holes())

    def allocate(self, shape: tuple[int], dtype: Any) -> MappedBuffer:
        """As pynq's devices do it."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        for start, end in self._holes():
            if end - start >= size:
                self._taken[start] = -(-size // PAGE) * PAGE
                return MappedBuffer(self, start, size)
        raise MemoryError(f"no {size:,} bytes in one piece")

    def release(self, start: int) -> None:
        self._taken.pop(start, None)

    def owner(self, which: str, offset: int, size: int) -> None:
        """Hands a span over, to the CPU or to the device: caches are cleaned or dropped, in both directions."""
        if self._sync:
            end = -(-(offset + size) // UNIT) * UNIT
            start = offset // UNIT * UNIT
            os.pwrite(self._sync[which], b"0x%08X%08X" % (start, end - start | 1), 0)

    def close(self) -> None:
        for handle in self._sync.values():
            os.close(handle)
        del self.bytes
        self._map.close()

    def _holes(self) -> list[tuple[int, int]]:
        """Those between the pieces that are taken, and behind the last."""
        taken = sorted(self._taken.items())
        starts = [0, *(start + size for start, size in taken)]
        return list(zip(starts, [*(start for start, _ in taken), len(self.bytes)], strict=True))


class MappedBuffer:
    """A piece, or a span of one: what the driver uses of a pynq buffer."""

    def __init__(self, memory: MappedMemory, offset: int, size: int) -> None:
        self._memory, self._offset, self.nbytes = memory, offset, size
        self.device_address = memory.address + offset

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[np.uint8]:
        return self._memory.bytes[self._offset : self._offset + self.nbytes]

    def __getitem__(self, span: slice) -> MappedBuffer:
        return MappedBuffer(self._memory, self._offset + span.start, span.stop - span.start)

    def flush(self) -> None:
        self._memory.owner("sync_for_device", self._offset, self.nbytes)

    def invalidate(self) -> None:
        self._memory.owner("sync_for_cpu", self._offset, self.nbytes)

    def freebuffer(self) -> None:
        self._memory.release(self._offset)
