"""What schedules look like and what they save: a picture of small panels and a row of numbers for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from cpt_model.cost import Run
from cpt_model.cost.bit_operations import schedule_saving_pct
from cpt_model.cost.linear_board import width_sum
from cpt_model.schedules import Schedule, Static

COLUMNS = 5
# Enough for every stair of a panel; 64,000 points would draw the same picture slowly.
POINTS = 4_000


@dataclass(frozen=True)
class ScheduleRow:
    """A schedule in numbers: bits at both ends, share of the steps at each width, savings against its highest bits."""

    name: str
    first: int
    last: int
    mean: float
    share_pct: dict[int, float]
    saving_gbitops_pct: float
    saving_hours_pct: float


def describe(name: str, schedule: Schedule, backward: int, steps: int) -> ScheduleRow:
    """The numbers of one schedule in a run of this number of steps.

    >>> from cpt_model.schedules import CPT
    >>> row = describe("CR", CPT(3, 8, cycles=8), 8, 64_000)
    >>> row.first, row.last, round(row.saving_gbitops_pct, 1), round(row.saving_hours_pct, 1)
    (3, 8, 36.7, 20.8)
    """
    bits = schedule.bits(np.arange(steps), steps)
    widths, counts = np.unique(bits, return_counts=True)
    run, static = Run(schedule, backward, steps), Run(Static(int(bits.max())), backward, steps)
    return ScheduleRow(
        name=name,
        first=int(bits[0]),
        last=int(bits[-1]),
        mean=float(bits.mean()),
        share_pct={int(width): 100 * int(count) / steps for width, count in zip(widths, counts, strict=True)},
        saving_gbitops_pct=schedule_saving_pct(run, static),
        saving_hours_pct=100 * (1 - width_sum(run) / width_sum(static)),
    )


def plot(schedules: Mapping[str, Schedule], steps: int, path: Path, title: str) -> None:
    """Draws every schedule in its own panel: the bits in force, and the curve they are rounded from."""
    columns = min(COLUMNS, len(schedules))
    rows = -(-len(schedules) // columns)
    figure = Figure(figsize=(max(3.0 * columns, 6), 2.1 * rows + 0.5), layout="constrained")
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    figure.suptitle(title)
    shown = np.unique(np.linspace(0, steps - 1, POINTS).astype(np.int64))
    for panel, (name, schedule) in zip(panels.flat, schedules.items(), strict=False):
        panel.step(shown, schedule.bits(shown, steps), where="post", color="tab:blue", linewidth=1.1)
        panel.plot(shown, schedule.precision(shown, steps), color="tab:red", linewidth=0.7, alpha=0.7)
        panel.set_title(name, fontsize=10)
        panel.grid(axis="y", alpha=0.3)
        panel.tick_params(labelsize=8)
        panel.yaxis.get_major_locator().set_params(integer=True)
    for panel in panels.flat[len(schedules) :]:
        panel.set_axis_off()
    figure.supxlabel("step", fontsize=10)
    figure.supylabel("forward bits (blue), before rounding (red)", fontsize=9)
    figure.savefig(path, dpi=130)
