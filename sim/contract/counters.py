"""The core's cycle counters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Counters:
    """Cycles of a list: in all, with the array busy, and with it waiting for operands or for room for results.

    >>> Counters(100, 60, 30, 10) - Counters(50, 30, 20, 0)
    Counters(total=50, busy=30, load_stall=10, store_stall=10)
    """

    total: int
    busy: int
    load_stall: int
    store_stall: int

    def __add__(self, other: Counters) -> Counters:
        return Counters(
            self.total + other.total,
            self.busy + other.busy,
            self.load_stall + other.load_stall,
            self.store_stall + other.store_stall,
        )

    def __sub__(self, other: Counters) -> Counters:
        return Counters(
            self.total - other.total,
            self.busy - other.busy,
            self.load_stall - other.load_stall,
            self.store_stall - other.store_stall,
        )


NOTHING = Counters(0, 0, 0, 0)
