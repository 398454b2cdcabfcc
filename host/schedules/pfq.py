"""PFQ, progressive fractional quantisation (Fu et al., FracTrain, 2020): more bits when the loss stands still."""

from __future__ import annotations

import math
from collections.abc import Iterable

from host.compiler.bits import Bits
from host.schedules.base import ScheduleError
from host.schedules.closed_loop import ClosedLoop


class PFQ(ClosedLoop):
    """Observes the mean training loss of each epoch.

    With s the mean of the first ten losses (of as many as there are), a stage ends when none of the last `window`
    losses differs from the newest by more than ε·s. The next one begins with an empty window; ε becomes ε·decay at the
    first and the second switch.

    Args:
        stages: as (forward, backward) bits; FracTrain has four.
        threshold: ε at the start.
        decay: its factor.
        window: how many epochs are compared.

    >>> rule = PFQ([(3, 6), (4, 6), (6, 8), (8, 8)])
    >>> [rule.observe(loss) for loss in (2.0, 1.5, 1.4, 1.4, 1.4, 1.4, 1.4)]
    [False, False, False, False, False, True, False]
    """

    memory = ("threshold", "losses", "first")
    SCALE_EPOCHS = 10
    DECAYS = 2

    def __init__(
        self,
        stages: Iterable[Bits | tuple[int, int]],
        threshold: float = 0.15,
        decay: float = 0.4,
        window: int = 5,
    ) -> None:
        super().__init__(stages)
        if not threshold > 0 or not 0 < decay <= 1 or window < 2:
            raise ScheduleError(
                f"threshold = {threshold}, decay = {decay}, window = {window}: needed are a threshold above 0, a decay "
                "above 0 and at most 1, and a window of at least 2"
            )
        self.begin, self.decay, self.window = threshold, decay, window
        self.threshold = threshold
        self.losses: list[float] = []
        self.first: list[float] = []

    def wants_more(self, value: float) -> bool:
        self.first = [*self.first, value][: self.SCALE_EPOCHS]
        self.losses = [*self.losses, value][-self.window :]
        if len(self.losses) < self.window:
            return False
        allowed = self.threshold * math.fsum(self.first) / len(self.first)
        return all(abs(loss - value) <= allowed for loss in self.losses)

    def begin_stage(self) -> None:
        self.losses = []
        if self.stage <= self.DECAYS:
            self.threshold *= self.decay

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, threshold={self.begin}, decay={self.decay}, window={self.window})"
