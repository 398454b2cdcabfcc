"""The memory behind the device's AXI masters: an image at a base address, errors behind it, random delays."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from cocotb.triggers import RisingEdge, Timer

from sim.bench.runner import PERIOD_NS


class BusError(Exception):
    """An access outside the image, or one that is meant to fail; the AXI model answers it with SLVERR."""


class SlowMemory:
    """A target of cocotbext-axi's slaves. `image` may be replaced between lists."""

    def __init__(self, base: int, random: Random, most_delay: int) -> None:
        self.base = base
        self.random = random
        self.most_delay = most_delay
        self.image = bytearray()
        self.failing = 0.0  # share of accesses that fail
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
        outside = not 0 <= start <= len(self.image) - length
        if outside or (self.failing and self.random.random() < self.failing):
            self.errors |= error
            raise BusError(f"{length} bytes at {address:#x} are outside the memory, or meant to fail")
        return start

    async def _delay(self) -> None:
        cycles = self.random.randint(0, self.most_delay)
        if cycles:
            await Timer(PERIOD_NS * cycles, "ns")


async def hold_back(clock: Any, channels: Sequence[Any], random: Random, share: float) -> None:
    """Pauses each channel in about this share of the cycles; one task for all of them, as tasks are expensive."""
    edge = RisingEdge(clock)
    while True:
        for channel in channels:
            channel.pause = random.random() < share
        await edge
