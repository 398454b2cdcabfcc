"""The picture of an experiment: every run's accuracy by variant, and what accuracy costs."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from cpt_model.drawing.style import tidy
from cpt_model.experiments.findings import Findings

# Dearer than this many times the first variant is left out on the right: float32 would squeeze all others together.
DEAR_PCT = 400


def plot(findings: Findings, path: Path) -> None:
    """Draws a PNG; the folder must exist."""
    rows = findings.rows
    figure = Figure(figsize=(11, max(3.6, 0.34 * len(rows) + 1.6)), layout="constrained")
    figure.suptitle(f"{findings.experiment.name}: {findings.experiment.question}", fontsize=11)
    runs, cost = figure.subplots(1, 2)
    for place, row in enumerate(rows):
        colour = f"C{place % 10}"
        found = list(findings.accuracies(row.variant).values())
        runs.plot(found, [place] * len(found), "o", color=colour, alpha=0.45, markersize=5)
        bars = {"fmt": "D", "color": colour, "markersize": 6, "capsize": 3, "linewidth": 1.2}
        deviation = row.accuracy.deviation or 0
        runs.errorbar(row.accuracy.mean, place, xerr=deviation, **bars)
        if row.relative_gbitops_pct is not None and row.relative_gbitops_pct <= DEAR_PCT:
            cost.errorbar(row.relative_gbitops_pct, row.accuracy.mean, yerr=deviation, **bars)
            cost.annotate(
                row.variant,
                (row.relative_gbitops_pct, row.accuracy.mean),
                xytext=(6, 4),
                textcoords="offset points",
                fontsize=8,
            )
    runs.set_yticks(range(len(rows)), [f"{row.variant} (n = {row.accuracy.n})" for row in rows], fontsize=8)
    runs.invert_yaxis()
    runs.set(xlabel="test accuracy (%): runs, mean ± standard deviation")
    first = findings.experiment.variants[0].title
    cost.set(xlabel=f"bit operations, % of {first}", ylabel="test accuracy (%)")
    cost.margins(x=0.15)
    tidy(runs, cost)
    figure.savefig(path, dpi=130)
