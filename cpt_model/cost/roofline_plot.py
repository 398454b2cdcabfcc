"""Draws a roofline: a colour for each precision, a marker for each bottleneck."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan, degrees
from typing import Any

from cpt_model.cost.accelerator import Profile
from cpt_model.cost.roofline import Point, compute_roof, ridge

MARKERS = {"compute": "o", "load": "v", "store": "^"}
ROOF = "#555555"
MARGIN = 1.6  # how far the axes go beyond the outermost points and the ridge, as a factor


def draw_roofline(axes: Any, points: Sequence[Point], profile: Profile) -> None:
    """Both roofs of a profile and the points below, on logarithmic axes of Matplotlib.

    Args:
        axes: empty ones; grid and frame are left to the caller.
        points: at least one.
        profile: that the points were computed with.
    """
    if not points:
        raise ValueError("a roofline needs at least one point")
    roof, knee, slope = compute_roof(profile), ridge(profile), profile.memory.bytes_per_cycle
    left = min(min(point.intensity for point in points), knee) / MARGIN
    right = max(max(point.intensity for point in points), knee) * MARGIN
    bottom = min(min(point.rate for point in points), left * slope) / MARGIN
    axes.set(xscale="log", yscale="log", xlim=(left, right), ylim=(bottom, roof * MARGIN))
    axes.plot([left, knee, right], [left * slope, roof, roof], color=ROOF, linewidth=1.5, zorder=1)
    _name_roofs(axes, profile, left, right)
    precisions = sorted({point.bits for point in points})
    for place, bits in enumerate(precisions):
        for bottleneck, marker in MARKERS.items():
            mine = [point for point in points if point.bits == bits and point.bottleneck == bottleneck]
            axes.plot(
                [point.intensity for point in mine],
                [point.rate for point in mine],
                marker,
                color=_colour(place, len(precisions)),
                markersize=6,
                markeredgecolor="white",
                markeredgewidth=0.5,
                alpha=0.8,
                label=f"{bits} bits, {bottleneck}-bound" if mine else None,
            )
    axes.set(xlabel="binary MACs a byte of memory traffic", ylabel="binary MACs a cycle")
    axes.legend(frameon=False, fontsize=8, loc="lower right")


def _name_roofs(axes: Any, profile: Profile, left: float, right: float) -> None:
    """Each roof's name on it: the compute roof's at the right end, the memory's half way up, along the slope."""
    roof, knee, slope = compute_roof(profile), ridge(profile), profile.memory.bytes_per_cycle
    style = {"fontsize": 8, "color": ROOF}
    compute = f"array: {roof:,} a cycle at {profile.clock_mhz:g} MHz"
    axes.text(right, roof * 1.06, f"{compute} ", ha="right", va="bottom", **style)
    middle = (left * knee) ** 0.5
    memory = f"memory: {profile.gigabytes_per_second:g} GB/s"
    turned = {"rotation": degrees(atan(slope)), "rotation_mode": "anchor", "transform_rotates_text": True}
    axes.text(middle, middle * slope * 1.2, memory, ha="center", va="bottom", **turned, **style)


def _colour(place: int, of: int) -> Any:
    """From dark at the lowest precision to light at the highest; the lightest end would vanish on white."""
    from matplotlib import colormaps

    return colormaps["viridis"](0.78 * place / max(of - 1, 1))
