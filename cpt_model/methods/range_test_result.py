"""What a precision range test saw: as JSON, and as a picture."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class RangeTest:
    """What a range test saw. `bits`, `loss`, `score` and `average` have one entry per step.

    `score` is the training accuracy, or minus the loss over that of the first window; `average` is its mean over the
    last `window` steps. `lower` is None where no width passed the threshold.
    """

    widths: list[int]
    backward: int
    steps: int
    window: int
    threshold: float
    tolerance: float
    metric: str
    bits: list[int]
    loss: list[float]
    score: list[float]
    average: list[float]
    lower: int | None
    lower_step: int | None
    upper: int
    width_losses: list[float]

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2)

    def plot(self, path: str | Path, title: str = "Precision range test") -> None:
        """Draws the paper's Figure 4 (the curve, its width, the switching point circled) and the loss of each width.

        A PNG; the folder must exist.
        """
        from matplotlib.figure import Figure

        figure = Figure(figsize=(10, 3.8), layout="constrained")
        curve, bounds = figure.subplots(1, 2, width_ratios=[2.2, 1])
        figure.suptitle(title)
        _draw_curve(curve, self)
        _draw_bounds(bounds, self)
        figure.savefig(Path(path), dpi=150)


def _draw_curve(curve: Any, test: RangeTest) -> None:
    steps = range(len(test.bits))
    percent = 100 if test.metric == "accuracy" else 1
    label = "training accuracy (%)" if test.metric == "accuracy" else "−loss / first loss"
    curve.plot(steps, [percent * value for value in test.score], color="tab:blue", alpha=0.25, linewidth=0.8)
    average = [percent * value for value in test.average]
    curve.plot(steps, average, color="tab:blue", linewidth=1.8, label=f"mean of {test.window} steps")
    curve.set(xlabel="step", ylabel=label, xlim=(0, len(test.bits)))
    stairs = curve.twinx()
    stairs.step(steps, test.bits, where="post", color="tab:gray", linestyle="--", linewidth=1.2, label="width")
    stairs.set(ylabel="forward bits", yticks=test.widths)
    # The curve lies above the stairs, not below its twin.
    curve.set_zorder(stairs.get_zorder() + 1)
    curve.set_frame_on(False)
    if test.lower_step is not None:
        circle = {"markersize": 13, "markerfacecolor": "none", "markeredgecolor": "red", "markeredgewidth": 2}
        label = f"lower bound: {test.lower} bits"
        curve.plot(test.lower_step, average[test.lower_step], "o", **circle, label=label)
    lines, names = curve.get_legend_handles_labels()
    more_lines, more_names = stairs.get_legend_handles_labels()
    curve.legend(lines + more_lines, names + more_names, loc="upper left", fontsize=8)


def _draw_bounds(bounds: Any, test: RangeTest) -> None:
    limit = test.width_losses[-1] + test.tolerance * abs(test.width_losses[-1])
    bounds.plot(test.widths, test.width_losses, "o-", color="tab:blue")
    bounds.axhline(limit, color="tab:gray", linestyle=":", label=f"widest + {test.tolerance:.0%}")
    bounds.axvline(test.upper, color="red", linestyle="--", label=f"upper bound: {test.upper} bits")
    bounds.set(xlabel="forward bits", ylabel="loss, same weights and batches", xticks=test.widths)
    if min(test.width_losses) > 0:
        bounds.set_yscale("log")
    bounds.legend(fontsize=8)
