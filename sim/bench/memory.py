"""The memory behind the device's AXI masters: an image at a base address, errors behind it, random delays."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from cocotb.triggers import ClockCycles


class BusError(Exception):
    """An access outside the image; the AXI model answers it with SLVERR."""


class SlowMemory:
    """A target of cocotbext-axi's slaves. `image` may be replaced between lists."""

    def __init__(self, clock: Any, base: int, random: Random, most_delay: int) -> None:
        self.clock = clock
        self.base = base
        self.random = random
        self.most_delay = most_delay
        self.image = bytearray()
        self.errors = 0  # bit 0: a read, bit 1: a write was answered with an error

    async def read(self, address: int, length: int) -> bytes:
        await self._delay()
        start = self._place(address, length, error=1)
        return bytes(self.image[start : start + length])

    async def write(self, address: int, data: bytes) -> None:
        start = self._place(address, len(data), error=2)
        self.image[start : start + len(data)] = data

    def _place(self, address: int, length: int, error: int) -> int:
        start = address - self.base
        if not 0 <= start <= len(self.image) - length:
            self.errors |= error
            raise BusError(f"{length} bytes at {address:#x} are outside the memory")
        return start

    async def _delay(self) -> None:
        cycles = self.random.randint(0, self.most_delay)
        if cycles:
            await ClockCycles(self.clock, cycles)


def pauses(random: Random, share: float) -> Iterator[bool]:
    """An endless back-pressure generator: paused in about this share of the cycles."""
    while True:
        yield random.random() < share
