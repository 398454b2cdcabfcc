"""Pictures of a design space: hours against LUTs with the Pareto fronts, and the roofline of one design."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from cpt_model.cost.accelerator import AcceleratorBoard
from cpt_model.cost.breakdown import extremes
from cpt_model.cost.explore import Design, Sweep
from cpt_model.cost.resources import Resources
from cpt_model.cost.roofline import roofline_points
from cpt_model.cost.roofline_plot import draw_roofline
from cpt_model.cost.run import Run
from cpt_model.drawing.style import colour, tidy
from cpt_model.tracing.counts import ModelCount

DASHES = ("-", "--", ":", "-.")


def draw_fronts(found: Sweep, part: Resources, title: str, path: Path) -> None:
    """A PNG: every design as a dot, a line for each clock (dashes) and bandwidth (colours), the best one named."""
    figure = Figure(figsize=(9, 5.2), layout="constrained")
    panel = figure.subplots()
    clocks = sorted({clock for clock, _ in found.fronts}, reverse=True)
    bandwidths = sorted({bandwidth for _, bandwidth in found.fronts}, reverse=True)
    for (clock, bandwidth), front in sorted(found.fronts.items(), reverse=True):
        shade = colour(bandwidths.index(bandwidth))
        mine = [design for design in found.designs if design.place == (clock, bandwidth)]
        panel.plot(_luts(mine), [design.hours for design in mine], ".", color=shade, alpha=0.35, markersize=5)
        panel.plot(
            _luts(front),
            [design.hours for design in front],
            linestyle=DASHES[clocks.index(clock) % len(DASHES)],
            color=shade,
            linewidth=1.5 + 1.8 * bandwidths.index(bandwidth) / len(bandwidths),
            zorder=2 - bandwidths.index(bandwidth) / len(bandwidths),
            drawstyle="steps-post",
            label=f"{clock:g} MHz, {bandwidth:g} GB/s",
        )
    known = [design for front in found.fronts.values() for design in front if design.buildable]
    if known:
        places = _luts(known), [design.hours for design in known]
        panel.plot(*places, "s", color="black", markersize=5, label="on a front, and in the RTL as it is")
    best = found.best
    panel.plot(_luts([best]), [best.hours], "*", color="black", markersize=13, label=f"the fastest: {named(best)}")
    panel.axvline(part.lut / 1e3, color="#b00", linewidth=1)
    look: dict[str, Any] = {"ha": "right", "va": "top", "rotation": 90, "fontsize": 8, "color": "#b00"}
    panel.text(part.lut / 1e3, 1, "the part's LUTs ", transform=panel.get_xaxis_transform(), **look)
    panel.set(title=title, xlabel="LUT (thousands), estimate", ylabel="hours of the run, estimate", yscale="log")
    panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    panel.yaxis.set_major_formatter("{x:g}")
    panel.yaxis.set_minor_formatter(NullFormatter())
    panel.legend(frameon=False, fontsize=8)
    tidy(panel)
    figure.savefig(path, dpi=130)


def draw_design_roofline(design: Design, count: ModelCount, run: Run, path: Path) -> None:
    """A PNG: every layer's passes at the lowest and the highest precision of the run."""
    board = AcceleratorBoard(design.profile)
    passes = [each for bits in dict.fromkeys(extremes(run)) for each in board.passes(count, run.batch, bits)]
    figure = Figure(figsize=(9, 5.2), layout="constrained")
    panel = figure.subplots()
    draw_roofline(panel, roofline_points(passes, design.profile), design.profile)
    panel.set_title(f"Roofline of {named(design)}: passes of all layers")
    tidy(panel)
    figure.savefig(path, dpi=130)


def named(design: Design) -> str:
    """A design in words."""
    build = design.profile.build
    return f"{build.lanes} lanes x {build.columns} columns x {16 * build.slice_groups} bits of K"


def _luts(designs: list[Design]) -> list[float]:
    return [design.resources.lut / 1e3 for design in designs]
