"""What every schedule is: bits as a function of the step and of how many steps there are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from host.compiler.bits import check_bits


class ScheduleError(ValueError):
    """A schedule that cannot be; the message says what and what is allowed."""


class Schedule(ABC):
    """A stateless map from steps to bits; the scheduler object and the cost model both ask it."""

    def bits(self, step: npt.ArrayLike, total: int) -> npt.NDArray[np.int64]:
        """Bits at each step of a run of `total` steps; a step outside 0 .. total - 1 is refused."""
        if total < 1:
            raise ScheduleError(f"a run of {total} steps has no precision")
        steps = np.asarray(step, dtype=np.int64)
        if steps.size and (steps.min() < 0 or steps.max() >= total):
            raise ScheduleError(f"steps {steps.min()}..{steps.max()} are not all in 0..{total - 1}")
        self.check(total)
        return np.rint(self.precision(steps, total)).astype(np.int64)

    def check(self, total: int) -> None:  # noqa: B027 (most schedules fit any run)
        """Refuses a run this schedule does not fit."""

    @abstractmethod
    def precision(self, step: npt.NDArray[np.int64], total: int) -> npt.NDArray[np.float64]:
        """The precision before it is rounded (half to even) to whole bits."""


def check_range(low: int, high: int) -> None:
    check_bits("low", low, error=ScheduleError)
    check_bits("high", high, error=ScheduleError)
    if low > high:
        raise ScheduleError(f"low = {low} is above high = {high}")


@dataclass(frozen=True)
class Static(Schedule):
    """The same precision throughout: the baseline."""

    value: int

    def __post_init__(self) -> None:
        check_bits("value", self.value, error=ScheduleError)

    def precision(self, step: npt.NDArray[np.int64], total: int) -> npt.NDArray[np.float64]:
        return np.full(step.shape, float(self.value))


def as_schedule(value: Schedule | int) -> Schedule:
    """A schedule, or a whole number as a static one."""
    return value if isinstance(value, Schedule) else Static(value)
