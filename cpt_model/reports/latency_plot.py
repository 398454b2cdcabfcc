"""Plots of a network on the core: latency bars of every layer, and its roofline."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from cpt_model.cost.accelerator import Profile
from cpt_model.cost.roofline_plot import draw_roofline
from cpt_model.cost.step_plot import draw_steps
from cpt_model.drawing.style import WIDTH, as_svg, thousands, tidy
from cpt_model.reports.networks import Network, bars
from host.measure.colours import COLOURS

LETTERS = {"compute": "c", "load": "l", "store": "s"}


def latency(network: Network, profile: Profile) -> bytes:
    """A bar for each layer, its three passes one after the other; a panel for the lowest and for the highest bits."""
    shown = bars(network)
    figure = Figure(figsize=(WIDTH, 0.27 * len(shown) + 1.7), layout="constrained")
    panels = figure.subplots(1, len(network.ends), sharex=True, sharey=True, squeeze=False)[0]
    for panel, bits in zip(panels, network.ends, strict=True):
        for place, bar in enumerate(shown):
            begin = 0.0
            for which, found in bar.passes[bits].items():
                length = found.time.cycles / profile.clock_mhz  # microseconds
                panel.barh(place, length, left=begin, height=0.72, color=COLOURS[which])
                begin += length
            letters = " ".join(LETTERS[found.time.bottleneck] for found in bar.passes[bits].values())
            look = {"va": "center", "fontsize": 7, "color": "#555"}
            panel.annotate(letters, (begin, place), xytext=(4, 0), textcoords="offset points", **look)
        panel.set_title(f"{bits} bits", fontsize=11)
        panel.set_xlabel(f"µs of one layer, estimate ({profile.name})")
    panels[0].set_yticks(range(len(shown)), [bar.title for bar in shown], fontsize=8)
    panels[0].invert_yaxis()
    panels[0].margins(x=0.12, y=0.01)
    tidy(*panels)
    for panel in panels:
        thousands(panel.xaxis)
        panel.grid(axis="y", visible=False)
    handles = [Patch(color=shade, label=which.value.replace("-", " ")) for which, shade in COLOURS.items()]
    handles.append(Patch(color="none", label="c, l, s: bound by compute, load, store"))
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return as_svg(figure)


def steps(network: Network, profile: Profile) -> bytes:
    """All work of a training step: of each layer, and of all."""
    return as_svg(draw_steps(network.steps, profile.clock_mhz, f"{network.title}: estimate ({profile.name})"))


def roofline(network: Network, profile: Profile) -> bytes:
    figure = Figure(figsize=(WIDTH, 5), layout="constrained")
    axes = figure.subplots()
    draw_roofline(axes, network.points(profile), profile)
    axes.set_title(f"{network.title}: estimate ({profile.name})", fontsize=11)
    tidy(axes)
    return as_svg(figure)
