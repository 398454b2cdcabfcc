"""Precision that only grows: uniform steps over the first part of the run (FracTrain's, in CPT's comparison)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from host.schedules.base import Schedule, ScheduleError, check_range


@dataclass(frozen=True)
class Progressive(Schedule):
    """From low to high in equal stairs over the first `part` of the run, then high.

    >>> Progressive(3, 8).bits(range(0, 120, 10), total=120).tolist()
    [3, 4, 5, 6, 7, 8, 8, 8, 8, 8, 8, 8]
    """

    low: int
    high: int
    part: float = 0.5

    def __post_init__(self) -> None:
        check_range(self.low, self.high)
        if not 0 < self.part <= 1:
            raise ScheduleError(f"part = {self.part} is not above 0 and at most 1")

    def precision(self, step: npt.NDArray[np.int64], total: int) -> npt.NDArray[np.float64]:
        stairs = self.high - self.low + 1
        stair = np.floor(step * stairs / (self.part * total))
        return self.low + np.minimum(stair, stairs - 1)
