"""In what a report's axes and tables count: one unit for all its runs, whether they cost seconds or weeks."""

from __future__ import annotations

from dataclasses import dataclass

from cpt_model.reports.report import Report

MANY_GBITOPS = 2e6


@dataclass(frozen=True)
class Unit:
    """A name, and how many of it make one hour or one GBitOP.

    >>> Unit("minutes", 60.0).of(0.5)
    30.0
    """

    name: str
    per: float

    def of(self, value: float) -> float:
        return value * self.per


TIMES = Unit("hours", 1.0), Unit("minutes", 60.0), Unit("seconds", 3600.0)


def operations(report: Report) -> Unit:
    """GBitOPs, or millions of them."""
    most = max(max(cost.gbitops, cost.static_gbitops) for cost in report.costs.values())
    return Unit("million GBitOPs", 1e-6) if most >= MANY_GBITOPS else Unit("GBitOPs", 1.0)


def board_time(report: Report) -> Unit:
    """The largest of which the dearest run takes at least one; the smallest, if none does."""
    most = max((cost.static_hours or 0.0 for cost in report.costs.values()), default=0.0)
    if not most:
        return TIMES[0]
    return next((unit for unit in TIMES if unit.of(most) >= 1), TIMES[-1])
