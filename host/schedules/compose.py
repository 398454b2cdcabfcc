"""Schedules made of schedules: one after another, started late, or disturbed in a window."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from host.schedules.base import Schedule, ScheduleError, Static, check_range


@dataclass(frozen=True)
class Sequence(Schedule):
    """Schedules one after another, each with its share of the run.

    >>> Sequence([(0.25, Static(3)), (0.75, Static(8))]).bits([0, 24, 25, 99], total=100).tolist()
    [3, 3, 8, 8]
    """

    parts: tuple[tuple[float, Schedule], ...]

    def __init__(self, parts: Iterable[tuple[float, Schedule]]) -> None:
        object.__setattr__(self, "parts", tuple(parts))
        shares = [share for share, _ in self.parts]
        if not shares or min(shares) <= 0 or not np.isclose(sum(shares), 1):
            raise ScheduleError(f"the shares {shares} are not all above 0 with sum 1")

    def starts(self, total: int) -> list[int]:
        """First step of each part, and the end of the run."""
        shares = np.cumsum([0.0, *(share for share, _ in self.parts)])
        return [*(round(Fraction(float(share)).limit_denominator(10**6) * total) for share in shares[:-1]), total]

    def check(self, total: int) -> None:
        starts = self.starts(total)
        for (_, schedule), start, end in zip(self.parts, starts, starts[1:], strict=False):
            if start == end:
                raise ScheduleError(f"{total} steps leave none for one of the {len(self.parts)} parts")
            schedule.check(end - start)

    def precision(self, step: npt.NDArray[np.int64], total: int) -> npt.NDArray[np.float64]:
        starts = self.starts(total)
        precision = np.empty(step.shape)
        for (_, schedule), start, end in zip(self.parts, starts, starts[1:], strict=False):
            inside = (step >= start) & (step < end)
            precision[inside] = schedule.precision(step[inside] - start, end - start)
        return precision


def LateStart(low: int, start: float, schedule: Schedule) -> Sequence:  # noqa: N802 (reads as a schedule's name)
    """The lowest precision for the first `start` of the run, then the schedule over what is left."""
    return Sequence([(start, Static(low)), (1 - start, schedule)])


@dataclass(frozen=True)
class Deficit(Schedule):
    """Low precision in a window of a run at high precision: the critical-period experiment.

    `start` and `length` are in steps.

    >>> Deficit(3, 8, start=10, length=5).bits([9, 10, 14, 15], total=100).tolist()
    [8, 3, 3, 8]
    """

    low: int
    high: int
    start: int
    length: int

    def __post_init__(self) -> None:
        check_range(self.low, self.high)
        if self.start < 0 or self.length < 0:
            raise ScheduleError(f"window start = {self.start}, length = {self.length}: neither may be negative")

    def check(self, total: int) -> None:
        if self.start + self.length > total:
            raise ScheduleError(f"the window ends at step {self.start + self.length}, the run has {total}")

    def precision(self, step: npt.NDArray[np.int64], total: int) -> npt.NDArray[np.float64]:
        inside = (step >= self.start) & (step < self.start + self.length)
        return np.where(inside, float(self.low), float(self.high))
