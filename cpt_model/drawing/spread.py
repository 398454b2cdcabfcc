"""The spread of a few runs: mean and standard deviation, as a value and as text."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

NONE = "–"  # where a table has no number


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation (n − 1) of n values; one value has no spread.

    >>> Spread.of([70.0, 72.0, 74.0])
    Spread(mean=72.0, deviation=2.0, n=3)
    """

    mean: float
    deviation: float | None
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        return cls(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None, len(values))

    def interval(self, confidence: float = 0.95) -> tuple[float, float] | None:
        """Confidence interval of the mean, by Student's t; None for a single value.

        >>> [round(end, 3) for end in Spread.of([70.0, 72.0, 74.0]).interval()]
        [67.032, 76.968]
        """
        if self.deviation is None:
            return None
        from scipy.stats import t

        half = float(t.ppf((1 + confidence) / 2, self.n - 1)) * self.deviation / self.n**0.5
        return self.mean - half, self.mean + half


def spread(value: Spread | None, sign: str = "") -> str:
    """Mean ± standard deviation.

    >>> spread(Spread(71.234, 0.5, 3)), spread(Spread(-0.3, None, 1), "+")
    ('71.23 ± 0.50', '-0.30')
    """
    if value is None:
        return NONE
    return f"{value.mean:{sign}.2f}" + ("" if value.deviation is None else f" ± {value.deviation:.2f}")
