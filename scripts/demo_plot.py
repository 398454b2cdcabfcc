"""The demo's picture of training: bits over steps, accuracy over bit operations, and what the precisions cost."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from cpt_model.experiments.results import Results
from cpt_model.training import read_metrics
from cpt_model.training.precision_plan import forward_schedule

WINDOW = 5  # lines of metrics in a moving mean


def draw(results: Results, path: Path) -> None:
    """Draws a PNG; the curves are those of the first seed."""
    figure = Figure(figsize=(12, 3.6), layout="constrained")
    bits, learning, cost = figure.subplots(1, 3)
    seed = min(run.seed for run, _ in results.finished)
    first = [run for run, _ in results.finished if run.seed == seed]
    for number, run in enumerate(first):
        lines = [line for line in read_metrics(run.folder) if "accuracy" in line]
        colour, title = f"C{number}", run.variant.title
        steps = range(run.steps)
        widths = forward_schedule(run.settings).bits(steps, run.steps)
        bits.step(steps, widths, where="post", color=colour, label=title)
        accuracy = _smooth([line["accuracy"] for line in lines])
        learning.plot([line["gbitops"] for line in lines], accuracy, color=colour, label=title)
    bits.set(title=f"Forward bits, seed {seed}", xlabel="step", ylabel="bits")
    learning.set(title=f"Training accuracy, seed {seed}", xlabel="GBitOPs spent", ylabel="%, moving mean")
    learning.legend(frameon=False, loc="lower right")
    bits.legend(frameon=False, loc="lower right")
    for number, row in enumerate(results.rows):
        values = [row.relative_gbitops_pct or 0, row.relative_hours_pct or 0]
        label = f"{row.variant}: {row.accuracy.mean:.1f} %"
        drawn = cost.bar(
            [place + 0.4 * number for place in (0, 1)], values, width=0.36, color=f"C{number}", label=label
        )
        cost.bar_label(drawn, fmt="%.0f %%", fontsize=9)
    cost.set_xticks([0.2, 1.2], ["bit operations", "board hours"])
    cost.set(
        title="Cost, and test accuracy reached", ylabel=f"% of {results.experiment.variants[0].title}", ylim=(0, 140)
    )
    cost.legend(frameon=False, loc="upper right")
    for panel in (bits, learning, cost):
        panel.grid(alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)
        panel.set_axisbelow(True)
    figure.savefig(path, dpi=130)


def _smooth(values: list[float]) -> list[float]:
    """Mean of the last few.

    >>> _smooth([0.0, 2.0])
    [0.0, 1.0]
    """
    parts = [values[max(0, end - WINDOW) : end] for end in range(1, len(values) + 1)]
    return [sum(part) / len(part) for part in parts]
