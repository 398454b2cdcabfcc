"""MuPPET (Rajagopal et al., 2020): more bits when the gradients of successive epochs point the same way."""

from __future__ import annotations

import math
from collections.abc import Iterable

from host.compiler.bits import Bits
from host.schedules.base import ScheduleError
from host.schedules.closed_loop import ClosedLoop


class MuPPET(ClosedLoop):
    """Observes the diversity of gradients (`cpt_model.GradientDiversity`) of each epoch.

    Where p = greatest diversity of the stage / the newest is above α + β·e^(−rate·epoch), the rule is violated; a stage
    ends with the second violation. The paper's stages are 8, 12, 14 and 16 bits, then float32, which is 0 bits here.

    Args:
        stages: as (forward, backward) bits.
        alpha: α, what the threshold falls to.
        beta: β, how far above that it begins.
        rate: how fast it falls, by epochs of the whole run.
        patience: how many violations end a stage.

    >>> rule = MuPPET([(8, 8), (12, 12)])
    >>> [rule.observe(diversity) for diversity in (9.0, 3.0, 9.0, 3.0)]
    [False, False, False, True]
    """

    memory = ("greatest", "violations")

    def __init__(
        self,
        stages: Iterable[Bits | tuple[int, int]],
        alpha: float = 1.0,
        beta: float = 1.5,
        rate: float = 0.1,
        patience: int = 2,
    ) -> None:
        super().__init__(stages)
        if min(alpha, beta, rate) < 0 or patience < 1:
            raise ScheduleError(
                f"alpha = {alpha}, beta = {beta}, rate = {rate}, patience = {patience}: none may be negative, and "
                "patience is at least 1"
            )
        self.alpha, self.beta, self.rate, self.patience = alpha, beta, rate, patience
        self.greatest = 0.0
        self.violations = 0

    def threshold(self, epoch: int) -> float:
        """What the ratio must exceed at an epoch, counted from 1."""
        return self.alpha + self.beta * math.exp(-self.rate * epoch)

    def wants_more(self, value: float) -> bool:
        if value <= 0:
            raise ScheduleError(f"observation {self.observed} is a diversity of {value}: it is above 0")
        self.greatest = max(self.greatest, value)
        self.violations += self.greatest / value > self.threshold(self.observed)
        return self.violations >= self.patience

    def begin_stage(self) -> None:
        self.greatest, self.violations = 0.0, 0

    def __repr__(self) -> str:
        how = f"alpha={self.alpha}, beta={self.beta}, rate={self.rate}, patience={self.patience}"
        return f"{super().__repr__()[:-1]}, {how})"
