"""Where a training step's time goes: stacked bars of every layer, of every precision, and of the whole run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from cpt_model.cost.step_parts import Part, StepTimes, alike_layers, sums
from cpt_model.drawing.style import WIDTH, thousands, tidy
from host.compiler.layer import Pass
from host.measure.colours import COLOURS
from host.measure.step_time import Work

SHADES = {
    Work.WEIGHTS: "#c9c9c9",
    Work.FORWARD: COLOURS[Pass.FORWARD],
    Work.NORMALISE: "#9cc3de",
    Work.NORMALISE_BACK: "#f0c39b",
    Work.INPUT_ERROR: COLOURS[Pass.INPUT_ERROR],
    Work.GRADIENT: COLOURS[Pass.WEIGHT_GRADIENT],
    Work.UPDATE: "#7d7d7d",
}


def draw_steps(times: StepTimes, clock_mhz: float, title: str, parts: list[Part] | None = None) -> Figure:
    """A panel for each layer's work at the lowest and at the highest bits, one for all bits, one for the run."""
    ends = list(dict.fromkeys((min(times), max(times))))
    layers = alike_layers(times, ends)
    lower = 1.1 + 0.26 * max(len(times), 2)
    upper = 0.9 + 0.2 * len(layers)
    figure = Figure(figsize=(WIDTH, lower + upper + 0.9), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=(upper, lower))
    panels = list(above.subplots(1, len(ends), sharex=True, sharey=True, squeeze=False)[0])
    for panel, bits in zip(panels, ends, strict=True):
        _stack(panel, {layer.title: layer.cycles[bits] for layer in layers}, clock_mhz)
        panel.set_title(f"one layer at {bits} bits", fontsize=11)
        panel.set_xlabel("µs, estimate")
    whole, *more = below.subplots(1, 2 if parts else 1, squeeze=False)[0]
    _stack(whole, {str(bits): sums(times[bits]) for bits in sorted(times)}, clock_mhz * 1e3)
    whole.set_title("all layers", fontsize=11)
    whole.set_xlabel("ms of an iteration, estimate")
    if parts:
        _saving(more[0], parts)
    panels += [whole, *more]
    tidy(*panels)
    for panel in panels:
        panel.grid(axis="y", visible=False)
    handles = [Patch(color=shade, label=work.value) for work, shade in SHADES.items()]
    below.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=8)
    above.suptitle(title, fontsize=12)
    return figure


def _stack(panel: Any, rows: Mapping[str, Mapping[Work, float]], unit: float) -> None:
    """A bar for each row, its work one behind the other."""
    for place, cycles in enumerate(rows.values()):
        begin = 0.0
        for work, shade in SHADES.items():
            length = cycles.get(work, 0.0) / unit
            panel.barh(place, length, left=begin, height=0.74, color=shade)
            begin += length
    panel.set_yticks(range(len(rows)), list(rows), fontsize=7 if len(rows) > 12 else 9)
    panel.set_ylim(len(rows) - 0.4, -0.6)
    thousands(panel.xaxis)


def _saving(panel: Any, parts: list[Part]) -> None:
    """Amdahl: each kind of work has its share of the static run, and saves a share of that."""
    for place, part in enumerate(parts):
        panel.barh(place, part.share_pct, height=0.74, color=SHADES[part.work], alpha=0.35)
        panel.barh(place, part.share_pct - part.points, height=0.74, color=SHADES[part.work])
        look = {"va": "center", "fontsize": 8, "color": "#444", "textcoords": "offset points", "xytext": (4, 0)}
        panel.annotate(f"{0.0 - round(part.points, 1):.1f}".replace("-", "−"), (part.share_pct, place), **look)
    saved = sum(part.points for part in parts)
    panel.set_yticks(range(len(parts)), [part.work.value for part in parts], fontsize=9)
    panel.set_ylim(len(parts) - 0.4, -0.6)
    panel.margins(x=0.12)
    panel.set_title(f"the run against static precision: {saved:.1f} points saved", fontsize=11)
    panel.set_xlabel("% of the static run's time; pale: what the schedule saves")
