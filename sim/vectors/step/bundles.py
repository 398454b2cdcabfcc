"""Vectors of UPDATE and WEIGHTS with several bundles of groups, and with words that are no weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.contract import Build, Format
from sim.vectors.step.masters import add_update, add_weights
from sim.vectors.step.region import Region
from sim.vectors.vector import Vector

# Every word holds a number, also padding and what lies between groups: none of them may be taken for 0, or be moved.
LAYERS: dict[str, dict[str, Any]] = {
    "no-weights": {"channels": (3, 5), "kernel": (2, 1)},
    "no-weights-groups": {"channels": (12, 20), "groups": (3, 5), "kernel": (1, 1)},
    "bundles-depthwise": {"channels": (40, 40), "groups": (1, 1), "kernel": (1, 2)},
    "bundles-whole-blocks": {"channels": (32, 64), "groups": (16, 32), "kernel": (1, 1)},
    "bundles-widening": {"channels": (24, 48), "groups": (2, 4), "kernel": (2, 1)},  # the last bundle: 8 to 16
    "bundles-narrowing": {"channels": (48, 24), "groups": (4, 2), "kernel": (1, 1)},
    "bundles-odd": {"channels": (60, 40), "groups": (3, 2), "kernel": (1, 1)},
}


def update_bundles(build: Build) -> Iterator[Vector]:
    for name, layer in LAYERS.items():
        region = Region(f"update-{name}", build)
        add_update(region, everywhere=True, acc_format=Format.INT64 if "odd" in name else Format.INT32, **layer)
        yield region.vector()


def weights_bundles(build: Build) -> Iterator[Vector]:
    for name, layer in LAYERS.items():
        region = Region(f"weights-{name}", build)
        for bits, half in ((4, False), (3, True)):
            add_weights(region, bits, half, everywhere=True, **layer)
        yield region.vector()
