"""What the driver reads back after a list."""

from __future__ import annotations

from dataclasses import dataclass

from sim.contract import Counters, Error


@dataclass(frozen=True)
class ListOutcome:
    """The result registers, and the seconds that passed on the host's clock between start and done."""

    error: Error
    error_index: int
    commands_done: int
    counters: Counters
    seconds: float

    @property
    def cycles(self) -> int:
        return self.counters.total
