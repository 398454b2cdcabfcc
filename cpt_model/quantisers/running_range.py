"""The range of an activation: the batch's own while training, a running mean of those in evaluation."""

from __future__ import annotations

from dataclasses import dataclass

MOMENTUM = 0.9


@dataclass
class RunningRange:
    """Exponential means of least and greatest values, corrected for their start at 0.

    >>> seen = RunningRange()
    >>> seen.observe(-1.0, 3.0)
    >>> seen.range()
    (-1.0, 3.0)
    """

    low: float = 0.0
    high: float = 0.0
    batches: int = 0

    def observe(self, low: float, high: float) -> None:
        self.low = MOMENTUM * self.low + (1 - MOMENTUM) * low
        self.high = MOMENTUM * self.high + (1 - MOMENTUM) * high
        self.batches += 1

    def range(self) -> tuple[float, float]:
        """The corrected means; only after `observe`."""
        weight = 1 - MOMENTUM**self.batches
        return self.low / weight, self.high / weight

    def choose(self, low: float, high: float, training: bool) -> tuple[float, float]:
        """The range to quantise with: the batch's (and it is remembered), or in evaluation what was seen, if any."""
        if training:
            self.observe(low, high)
            return low, high
        return self.range() if self.batches else (low, high)

    def state(self) -> tuple[float, float, int]:
        return self.low, self.high, self.batches

    def load(self, state: tuple[float, float, int]) -> None:
        self.low, self.high, self.batches = state
