"""Vectors of every error of every vector command: a good MAP first, then a command that is wrong in one way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sim.contract import (
    Build,
    Encoded,
    Error,
    Format,
    MapFlag,
    ScalarFlag,
    flag_bits,
    operands,
)
from sim.vectors.step.backward import add_error, add_join
from sim.vectors.step.maps import add_map
from sim.vectors.step.masters import add_update, add_weights
from sim.vectors.step.norms import add_norm
from sim.vectors.step.region import Region
from sim.vectors.step.scales import add_scale
from sim.vectors.step.tallies import drawn_tally
from sim.vectors.vector import Vector

# What is changed in the good command: fields by value, or by a function of the good one's value.
Change = Mapping[str, Any]
NODE = (ScalarFlag.NODE, ScalarFlag.STREAM, ScalarFlag.RELU)
GOOD: dict[str, Callable[[Region], object]] = {
    "map": lambda region: add_map(region, (8, True), (5, False), 7, 9, 4, True, "write", True, seed=5),
    "norm": lambda region: add_norm(region, drawn_tally(region)),
    "scale": lambda region: add_scale(region, 4, 10, NODE),
    "join": lambda region: add_join(region, 12, (ScalarFlag.BRANCH,)),
    "error": lambda region: add_error(region),
    "update": lambda region: add_update(region, (3, 5), (2, 1)),
    "weights": lambda region: add_weights(region, channels=(3, 5), kernel=(2, 1)),
    "norm-evaluate": lambda region: add_norm(region, drawn_tally(region), evaluate=True),
    "scale-branch": lambda region: add_scale(region, 4, 10, (ScalarFlag.NODE, ScalarFlag.BRANCH)),
    "join-stream": lambda region: add_join(region, 12, (ScalarFlag.POWER, ScalarFlag.STREAM)),
    "error-power": lambda region: add_error(region, power=True),
}
FAR = 0xFFFF_FFC0
MANY = {"images": 65535, "height": 17, "width": 1}  # 1,114,095 pixels
COUNTS: dict[str, Change] = {"count": MANY, "count-1048577": {"images": 61681, "height": 17, "width": 1}}


def without(*flags: MapFlag) -> Callable[[int], int]:
    return lambda now: now & ~flag_bits(*flags)


def also(*flags: Any) -> Callable[[int], int]:
    return lambda now: now | flag_bits(*flags)


NO_RESULT: Change = {"out0_bits": 0, "x1_bits": 0, "out1_bits": 0}
SHAPES: dict[str, Change] = {
    "no-images": {"images": 0},
    "no-height": {"height": 0},
    "height-4096": {"height": 4096},
    "no-width": {"width": 0},
    "width-4096": {"width": 4096},
}
CHANNELS: dict[str, Change] = {**SHAPES, "no-channels": {"channels": 0}, "channels-65521": {"channels": 65521}}
LAYERS: dict[str, Change] = {
    "in-channels-65521": {"in_channels": 65521},
    "no-output-channels": {"out_channels": 0},
    "no-kernel": {"kernel_h": 0},
    "groups-of-unlike-number": {"group_in": 1, "group_out": 5},  # of 3 to 5 channels: 3 groups and 1
    "rest-of-input-channels": {"group_in": 2, "group_out": 5},
    "rest-of-output-channels": {"group_in": 3, "group_out": 4},
}
SCALAR_SHIFTS: dict[str, Change] = {"shift-48": {"shift": 48}, "shift1-48": {"shift1": 48}}
CHANGES: dict[str, dict[Error, Mapping[str, Change]]] = {
    "map": {
        Error.RESERVED: {"flag": {"flags": also(9)}},
        Error.WIDTH: {"x0-0": {"x0_bits": 0}, **{f"{name}-17": {f"{name}_bits": 17} for name in ("x0", "x1", "x2")}}
        | {f"{name}-17": {f"{name}_bits": 17} for name in ("out0", "out1")},
        Error.FORMAT: {
            "two-masks": {"flags": also(MapFlag.MASK_X0)},
            "nothing-to-do": {**NO_RESULT, "x2_bits": 0, "flags": 1},
            "second-operand-without-result": {"out0_bits": 0, "out1_bits": 0, "flags": 1 << MapFlag.TALLY},
            "second-result-without-first": {"out0_bits": 0, "x1_bits": 0, "flags": 1 << MapFlag.TALLY},
            "mask-without-result": {
                **NO_RESULT,
                "flags": flag_bits(MapFlag.TALLY, MapFlag.MASK_WRITE),
            },
            "rounding-without-result": {
                **NO_RESULT,
                "flags": flag_bits(MapFlag.TALLY, MapFlag.STOCHASTIC),
            },
            "sign-without-result": {**NO_RESULT, "flags": flag_bits(MapFlag.TALLY, MapFlag.OUT_SIGNED)},
            "mask-of-no-result": {**NO_RESULT, "flags": flag_bits(MapFlag.TALLY, MapFlag.MASK_OUT)},
            "sum-without-tally": {"flags": without(MapFlag.TALLY)},
            "sign-without-x1": {"x1_bits": 0, "flags": also(MapFlag.X1_SIGNED)},
            "signed-bit": {"out0_bits": 1},
            "signed-bit-of-out1": {"out1_bits": 1},
        },
        Error.SHAPE: {**SHAPES, "blocks-4096": {"blocks": 4096}},
        Error.OVERFLOW: {**COUNTS, "count-without-tally": {**MANY, "x2_bits": 0, "flags": without(MapFlag.TALLY)}},
    },
    "norm": {
        Error.RESERVED: {"flag": {"flags": 1 << 6}},
        Error.FORMAT: {
            **SCALAR_SHIFTS,
            "bits": {"bits": 4},
            "wide-bits": {"wide_bits": 4},
            "foreign-flag": {"flags": 1 << ScalarFlag.RELU},
        },
        Error.SHAPE: CHANNELS,
        Error.OVERFLOW: COUNTS,
    },
    "scale": {
        Error.RESERVED: {"flag": {"flags": also(15)}},
        Error.WIDTH: {
            "0": {"bits": 0},
            "17": {"bits": 17},
            "signed-bit": {"bits": 1, "flags": flag_bits(ScalarFlag.NODE)},
            "wide-1": {"wide_bits": 1},
            "wide-17": {"wide_bits": 17},
        },
        Error.FORMAT: {
            **SCALAR_SHIFTS,
            "wide-without-node": {"flags": flag_bits(ScalarFlag.RELU)},
            "stream-without-node": {"wide_bits": 0, "flags": flag_bits(ScalarFlag.RELU, ScalarFlag.STREAM)},
            "branch-without-node": {"wide_bits": 0, "flags": flag_bits(ScalarFlag.RELU, ScalarFlag.BRANCH)},
            "stream-and-branch": {"flags": also(ScalarFlag.BRANCH)},
            "foreign-flag": {"flags": also(ScalarFlag.POWER)},
        },
        Error.SHAPE: CHANNELS,
        Error.OVERFLOW: COUNTS,
    },
    "join": {
        Error.WIDTH: {"wide-0": {"wide_bits": 0}, "wide-1": {"wide_bits": 1}, "wide-17": {"wide_bits": 17}},
        Error.FORMAT: {
            "bits": {"bits": 8},
            "stream-and-branch": {"flags": also(ScalarFlag.STREAM)},
            "foreign-flag": {"flags": also(ScalarFlag.NODE)},
        },
        Error.SHAPE: CHANNELS,
        Error.OVERFLOW: COUNTS,
    },
    "error": {
        Error.WIDTH: {"1": {"bits": 1}, "17": {"bits": 17}},
        Error.FORMAT: {"wide-bits": {"wide_bits": 8}, "foreign-flag": {"flags": also(ScalarFlag.RELU)}},
        Error.SHAPE: CHANNELS,
        Error.OVERFLOW: COUNTS,
    },
    "update": {
        Error.RESERVED: {"flag": {"flags": 4}},
        Error.FORMAT: {
            "flag": {"flags": 1},
            "bits": {"bits": 4},
            "int16": {"acc_format": Format.INT16},
            "planes": {"acc_format": Format.PLANES},
        },
        Error.SHAPE: {
            **LAYERS,
            "no-channels": {"in_channels": 0},
            "channels-65521": {"out_channels": 65521},
            "kernel-16": {"kernel_h": 16},
            "kernel-0": {"kernel_w": 0},
            "half-a-group": {"group_in": 1},
        },
    },
    "weights": {
        Error.RESERVED: {"flag": {"flags": also(2)}},
        Error.WIDTH: {"0": {"bits": 0}, "17": {"bits": 17}, "symmetric-bit": {"bits": 1, "flags": 0}},
        Error.FORMAT: {"format": {"acc_format": Format.INT32}},
        Error.SHAPE: {**LAYERS, "kernel-16": {"kernel_w": 16}, "half-a-group": {"group_out": 1}},
    },
}


def good_then(name: str, build: Build, kind: str) -> tuple[Region, Any]:
    """A region with a good MAP, then a good command of a kind, which may be made wrong."""
    region = Region(name, build)
    add_map(region)
    GOOD[kind](region)
    return region, region.commands[-1]


def change(command: Encoded, changes: Change) -> None:
    for field, value in changes.items():
        setattr(command, field, value(getattr(command, field)) if callable(value) else value)


def step_field_errors(build: Build) -> Iterator[Vector]:
    """One wrong field."""
    for kind, errors in CHANGES.items():
        for error, cases in errors.items():
            for name, changes in cases.items():
                region, bad = good_then(f"{kind}-error-{error.name.lower()}-{name}", build, kind)
                change(bad, changes)
                yield region.vector((error, 1))


def step_limits(build: Build) -> Iterator[Vector]:
    """Values at their limit: no error of the fields, so the place that is not aligned is found."""
    limits: dict[str, dict[str, Change]] = {
        "map": {
            "blocks": {"blocks": 4095},
            "height": {"images": 1, "height": 4095, "width": 256},
            "width": {"images": 1, "height": 256, "width": 4095},
            "count": {"images": 256, "height": 64, "width": 64},
        },
        "norm": {
            "channels": {"channels": 65520},
            "height": {"images": 1, "height": 4095, "width": 256},
            "width": {"images": 1, "height": 256, "width": 4095},
            "count": {"images": 65535, "height": 1, "width": 16},
        },
        "join": {"shifts": {"shift": 47, "shift1": 47}},
        "update": {"channels": {"in_channels": 65520, "out_channels": 65520, "kernel_h": 15, "kernel_w": 15}},
    }
    for kind, cases in limits.items():
        for name, changes in cases.items():
            region, bad = good_then(f"{kind}-limit-{name}", build, kind)
            first = next(iter(operands(bad).reads))
            change(bad, {**changes, f"{first}_addr": 32})
            yield region.vector((Error.ALIGNMENT, 1))


def step_order_of_checks(build: Build) -> Iterator[Vector]:
    """Commands with two mistakes each: the earlier check names the error."""
    for error, kind, changes in (
        (Error.RESERVED, "map", {"flags": 1 << 9, "x0_bits": 0}),
        (Error.WIDTH, "map", {"x0_bits": 17, "flags": flag_bits(MapFlag.MASK_X0, MapFlag.MASK_OUT)}),
        (Error.FORMAT, "map", {"flags": flag_bits(MapFlag.MASK_X0, MapFlag.MASK_OUT), "images": 0}),
        (Error.SHAPE, "map", {"blocks": 0, **MANY}),
        (Error.OVERFLOW, "map", {**MANY, "x0_addr": 1}),
        (Error.ALIGNMENT, "map", {"x0_addr": 1, "out0_addr": FAR}),
        (Error.RANGE, "map", {"x0_addr": FAR, "out0_addr": lambda now: now + 64}),
        (Error.OVERLAP, "norm", {"norm_addr": 0, "units_addr": 0}),
        (Error.WIDTH, "scale", {"bits": 17, "flags": flag_bits(ScalarFlag.POWER)}),
        (Error.FORMAT, "norm", {"flags": flag_bits(ScalarFlag.NODE)}),
        (Error.FORMAT, "update", {"acc_format": 9, "group_in": 3}),
    ):
        region, bad = good_then(f"{kind}-order-{error.name.lower()}", build, kind)
        change(bad, changes)
        yield region.vector((error, 1))
