"""Valid/ready streams driven and drained by hand, with random pauses on both sides."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from cocotb.triggers import RisingEdge


class Source:
    """Offers items on `<name>_valid` / `<name>_ready`; `put` sets the payload pins."""

    def __init__(self, dut: Any, name: str, put: Callable[[Any], None], random: Random, pause: float) -> None:
        self.clock = dut.clk
        self.valid, self.ready = getattr(dut, f"{name}_valid"), getattr(dut, f"{name}_ready")
        self.put, self.random, self.pause = put, random, pause
        self.items: deque[Any] = deque()
        self.offered = False
        self.valid.value = 0

    def add(self, items: Iterable[Any]) -> None:
        self.items.extend(items)

    def drop(self) -> None:
        """Takes everything back, also what is offered: only when the other side is being flushed."""
        self.items.clear()
        self.offered = False
        self.valid.value = 0

    async def run(self) -> None:
        while True:
            await RisingEdge(self.clock)
            if self.offered and int(self.ready.value):
                self.items.popleft()
                self.offered = False
            if not self.offered and self.items and self.random.random() >= self.pause:
                self.put(self.items[0])
                self.offered = True
            self.valid.value = int(self.offered)


class Sink:
    """Takes what `<name>_valid` offers; `get` reads the payload pins."""

    def __init__(self, dut: Any, name: str, get: Callable[[], Any], random: Random, pause: float) -> None:
        self.clock = dut.clk
        self.valid, self.ready = getattr(dut, f"{name}_valid"), getattr(dut, f"{name}_ready")
        self.get, self.random, self.pause = get, random, pause
        self.taken: list[Any] = []
        self.ready.value = 0

    async def run(self) -> None:
        willing = False
        while True:
            await RisingEdge(self.clock)
            if willing and int(self.valid.value):
                self.taken.append(self.get())
            willing = self.random.random() >= self.pause
            self.ready.value = int(willing)
