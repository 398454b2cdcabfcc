"""Registers mapped from a UIO device or from /dev/mem, and the interrupt of the former. No pynq, any Linux."""

from __future__ import annotations

import mmap
import os
import select
import struct
from pathlib import Path

ENABLE = struct.pack("=I", 1)  # written to a UIO file: let the next interrupt through
COUNT_BYTES = 4  # what a UIO file gives to read: how many interrupts there were


class MappedRegisters:
    """Words at byte offsets; `events` is the file that becomes readable with an interrupt, or None."""

    def __init__(self, file: Path, offset: int, size: int, interrupts: bool) -> None:
        self._file = os.open(file, os.O_RDWR | os.O_SYNC | os.O_CLOEXEC)
        try:
            self._map = mmap.mmap(self._file, size, offset=offset)
        except BaseException:
            os.close(self._file)
            raise
        self.words = memoryview(self._map).cast("I")  # an element is one access of 32 bits
        self.events = self._file if interrupts else None

    def read(self, offset: int) -> int:
        return self.words[offset >> 2]

    def write(self, offset: int, value: int) -> None:
        self.words[offset >> 2] = value

    def close(self) -> None:
        self.words.release()
        self._map.close()
        os.close(self._file)


class UioSleeper:
    """Waits for an interrupt of a UIO device."""

    def __init__(self, events: int) -> None:
        self._events, self._poll = events, select.poll()
        self._poll.register(events, select.POLLIN)

    def usable(self) -> bool:
        return True

    def sleep(self, seconds: float) -> bool:
        """True as soon as there is one, False after `seconds` without."""
        os.write(self._events, ENABLE)
        if not self._poll.poll(1e3 * seconds):
            return False
        os.read(self._events, COUNT_BYTES)
        return True
