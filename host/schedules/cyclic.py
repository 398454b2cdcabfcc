"""Schedules that cycle between two precisions: CPT's cosine, its variants, and the ten of "Better Schedules".

With u = step · cycles / total, cycle k = min(⌊u⌋, cycles − 1) and x = u − k in it, the precision is
low + (high − low) · s(x). No step falls into an extra cycle, whether or not `cycles` divides `total`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from host.schedules.base import Schedule, ScheduleError, check_range
from sim.common.elementary import cos_pi, exp

Curve = npt.NDArray[np.float64]


def _cosine(x: Curve) -> Curve:
    return (1 - cos_pi(x)) / 2


def _linear(x: Curve) -> Curve:
    return x


def _exponential(x: Curve) -> Curve:
    return 1 - exp(-4 * x)


def _reverse_exponential(x: Curve) -> Curve:
    z = 1.0 - x
    return 1.0 - z / (0.1 + 0.9 * z)


GROWTH: dict[str, Callable[[Curve], Curve]] = {
    "cosine": _cosine,
    "linear": _linear,
    "exponential": _exponential,
    "reverse-exponential": _reverse_exponential,
}
# What the cycles of even number (the first included) do instead of growing.
DECAY = {"none", "vertical", "horizontal"}


@dataclass(frozen=True)
class Cyclic(Schedule):
    """Growth f by a profile; with a decay, even cycles fall instead: 1 − f(x) (vertical) or f(1 − x) (horizontal)."""

    low: int
    high: int
    cycles: int = 8
    growth: str = "cosine"
    decay: str = "none"

    def __post_init__(self) -> None:
        check_range(self.low, self.high)
        if not isinstance(self.cycles, (int, np.integer)) or self.cycles < 1:
            raise ScheduleError(f"cycles = {self.cycles} is not a whole number of at least 1")
        if self.growth not in GROWTH:
            raise ScheduleError(f"growth '{self.growth}' is unknown; there are: {', '.join(GROWTH)}")
        if self.decay not in DECAY:
            raise ScheduleError(f"decay '{self.decay}' is unknown; there are: {', '.join(sorted(DECAY))}")

    def check(self, total: int) -> None:
        if total < self.cycles:
            raise ScheduleError(
                f"{total} steps are fewer than the {self.cycles} cycles they should hold: take fewer cycles"
            )

    def precision(self, step: npt.NDArray[np.int64], total: int) -> npt.NDArray[np.float64]:
        cycle = np.minimum(step * self.cycles // total, self.cycles - 1)
        x = step * self.cycles / total - cycle
        return self.low + (self.high - self.low) * self._shape(x, cycle)

    def _shape(self, x: Curve, cycle: npt.NDArray[np.int64]) -> Curve:
        f = GROWTH[self.growth]
        if self.decay == "none":
            return f(x)
        falling = 1 - f(x) if self.decay == "vertical" else f(1 - x)
        return np.where(cycle % 2 == 0, falling, f(x))


@dataclass(frozen=True)
class CPT(Cyclic):
    """The paper's own: cosine growth, 32 cycles.

    >>> CPT(3, 8).bits([0, 1999], total=64_000).tolist()
    [3, 8]
    """

    cycles: int = 32


@dataclass(frozen=True)
class CosineAnnealing(Cyclic):
    """From high to low in every cycle, then back to high at once."""

    cycles: int = 32

    def _shape(self, x: Curve, cycle: npt.NDArray[np.int64]) -> Curve:
        return 1 - GROWTH[self.growth](x)
