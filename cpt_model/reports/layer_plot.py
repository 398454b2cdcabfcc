"""The plot of `cpt layer` and its part of a page."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from cpt_model.drawing.html import paragraph, picture, table
from cpt_model.reports.layer import Row, cells
from host.measure.colours import COLOURS

TITLE = "One layer, three passes, precisions 3 to 8"


def draw(rows: list[Row], path: Path) -> None:
    """Cycles of each pass, and the error quantisation makes, over the forward precision."""
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    cycles, error = figure.subplots(1, 2)
    precisions = list(dict.fromkeys(row.precision for row in rows))
    for offset, (which, colour) in enumerate(COLOURS.items()):
        mine = [row for row in rows if row.which == which.value]
        places = [place + 0.27 * (offset - 1) for place in range(len(mine))]
        cycles.bar(places, [row.cycles for row in mine], width=0.25, color=colour, label=which.value)
        error.plot([row.rms_error_percent for row in mine], "o-", color=colour, label=which.value)
    cycles.set(title="Array cycles by contract, zc706 build", ylabel="cycles")
    error.set(title="Error of the quantised pass", ylabel="rms error, % of the exact result", yscale="log")
    for axes in (cycles, error):
        axes.set_xticks(range(len(precisions)), precisions)
        axes.set_xlabel("forward / backward bits")
        axes.grid(axis="y", alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_axisbelow(True)
    cycles.legend(frameon=False)
    figure.savefig(path, dpi=140)


def parts(rows: list[Row], plot: Path) -> list[str]:
    """What stands on a page below the title: explanation, picture, table."""
    return [
        paragraph(
            "Cycles are array cycles by contract: a lower bound, not a measurement. Integers and float32 results are "
            "compared with PyTorch element by element; the error is against the unquantised layer."
        ),
        picture(plot, "cycles and error over precision"),
        table(*cells(rows)),
    ]
