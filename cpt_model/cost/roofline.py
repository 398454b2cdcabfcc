"""The roofline of a build: what its array and its memory allow, and where the passes of a network lie below.

    rate ≤ min(lanes · columns · 16 · slice_groups, intensity · bytes a cycle)

Intensity is binary multiply-accumulates a byte moved, rate is how many a cycle. A pass multiplies numbers of several
bits, so a product of 3 × 8 bits counts 24; padding that the array computes in vain does not count, so passes that need
much of it lie low. Bytes are what the memory could have moved while its streams are taken up, waits included.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cpt_model.cost.accelerator import PassTime, Profile
from host.compiler.bits import Bits
from sim.contract import CHANNEL_BLOCK


@dataclass(frozen=True)
class Point:
    """One pass of one layer at one precision.

    Args:
        label: layer and pass.
        bits: of the schedule.
        intensity: binary multiply-accumulates a byte of memory traffic.
        rate: binary multiply-accumulates a cycle.
        bottleneck: "compute", "load" or "store".
    """

    label: str
    bits: Bits
    intensity: float
    rate: float
    bottleneck: str


def compute_roof(profile: Profile) -> float:
    """Binary multiply-accumulates a cycle with every lane, column and bit of a slice at work.

    >>> from cpt_model.cost.accelerator import PROFILES
    >>> compute_roof(PROFILES["zc706"])
    110592
    """
    build = profile.build
    return build.lanes * build.columns * build.slice_groups * CHANNEL_BLOCK


def ridge(profile: Profile) -> float:
    """The intensity at which both roofs meet: below it the memory rules, above it the array.

    >>> from cpt_model.cost.accelerator import PROFILES
    >>> round(ridge(PROFILES["zc706"]), 1)
    2211.8
    """
    return compute_roof(profile) / profile.memory.bytes_per_cycle


def roofline_points(passes: Iterable[PassTime], profile: Profile) -> list[Point]:
    """Where each pass lies."""
    points = []
    for each in passes:
        time, label = each.time, f"{each.layer} {each.which.value}"
        intensity = each.binary_products / ((time.load + time.store) * profile.memory.bytes_per_cycle)
        points.append(Point(label, each.bits, intensity, each.binary_products / time.cycles, time.bottleneck))
    return points
