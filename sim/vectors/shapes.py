"""Vectors of geometry: odd shapes, strides, groups, batches larger than the lanes, unusual strides in memory."""

from __future__ import annotations

from collections.abc import Iterator

from host.compiler.layer import Conv, Pass
from host.compiler.precision import Precision
from sim.contract import Build
from sim.vectors.build import Scenario
from sim.vectors.vector import Vector

SHAPES = {
    "1x1": Conv(2, 16, 16, 5, 4),
    "3x3": Conv(2, 16, 16, 6, 6, (3, 3), padding=(1, 1)),
    "3x3-no-padding": Conv(1, 16, 16, 5, 7, (3, 3)),
    "5x5": Conv(2, 3, 6, 7, 7, (5, 5), padding=(2, 2)),
    "5x3": Conv(1, 7, 4, 6, 9, (5, 3), padding=(2, 0)),
    "3x3-stride-2": Conv(2, 16, 32, 8, 8, (3, 3), (2, 2), (1, 1)),
    "3x3-stride-2-odd": Conv(1, 4, 4, 7, 6, (3, 3), (2, 2), (1, 1)),
    "1x1-stride-2": Conv(2, 16, 32, 6, 6, (1, 1), (2, 2)),
    "2x2-stride-3": Conv(1, 5, 5, 8, 9, (2, 2), (3, 3), (1, 0)),
    "stride-1x2": Conv(1, 5, 5, 6, 7, (3, 3), (1, 2), (1, 1)),
    "channels-17": Conv(1, 17, 33, 3, 3, (3, 3), padding=(1, 1)),
    "channels-1": Conv(1, 1, 1, 3, 3, (2, 2)),
    "blocks-3": Conv(2, 48, 32, 3, 3, (3, 3), padding=(1, 1)),
    "map-1x1": Conv(3, 16, 16, 1, 1, (3, 3), padding=(1, 1)),
    "map-1x13": Conv(2, 9, 9, 1, 13, (1, 3), padding=(0, 1)),
    "map-17x2": Conv(1, 16, 16, 17, 2, (3, 1), padding=(1, 0)),
    "width-33": Conv(1, 3, 3, 2, 33, (3, 3), padding=(1, 1)),
    "kernel-15": Conv(1, 1, 1, 3, 3, (15, 15), padding=(14, 14)),
    "batch-1": Conv(1, 16, 16, 4, 4, (3, 3), padding=(1, 1)),
    "linear": Conv.linear(10, 40, 10),
    "linear-1": Conv.linear(1, 1, 1),
    "depthwise": Conv(2, 20, 20, 5, 5, (3, 3), padding=(1, 1), groups=20),
    "depthwise-stride-2": Conv(1, 32, 32, 6, 6, (3, 3), (2, 2), (1, 1), groups=32),
    "depthwise-multiplier": Conv(1, 6, 12, 4, 4, (3, 3), padding=(1, 1), groups=6),
    "groups-of-16": Conv(1, 32, 48, 4, 4, (3, 3), padding=(1, 1), groups=2),
    "groups-of-24": Conv(1, 48, 72, 3, 3, (1, 1), groups=2),
    "groups-of-3-to-5": Conv(1, 12, 20, 3, 3, (2, 2), groups=4),
}


def odd_shapes(build: Build) -> Iterator[Vector]:
    """Every shape, all three passes in one list."""
    for name, layer in SHAPES.items():
        scenario = Scenario(f"shape-{name}", build)
        for which in Pass:
            scenario.add(layer, which, Precision(3, 4, a_signed=which is Pass.INPUT_ERROR, b_signed=True))
        yield scenario.vector()


def batches(build: Build) -> Iterator[Vector]:
    """One image more than the lanes, and twice the lanes."""
    for name, batch in (("lanes-plus-1", build.lanes + 1), ("lanes-times-2", 2 * build.lanes)):
        scenario = Scenario(f"batch-{name}", build)
        for which in Pass:
            layer = Conv(batch, 6, 4, 3, 3, (3, 3), padding=(1, 1))
            scenario.add(layer, which, Precision(2, 3, b_signed=True))
        yield scenario.vector()


def memory_strides(build: Build) -> Iterator[Vector]:
    """Operands whose images share memory (stride 0), and a result with gaps between its images."""
    scenario = Scenario("stride-0-operands", build)
    layer = Conv(3, 16, 16, 4, 4, (3, 3), padding=(1, 1))
    scenario.add(layer, Pass.FORWARD, Precision(4, 4)).commands[0].a_image_stride = 0
    yield scenario.vector()
    scenario = Scenario("stride-gaps-in-result", build)
    command = scenario.add(Conv(3, 16, 16, 2, 2), Pass.FORWARD, Precision(4, 4)).commands[0]
    command.out_image_stride *= 2
    command.out_addr = scenario.plan.add("result with gaps", 3 * command.out_image_stride)
    yield scenario.vector()
    scenario = Scenario("stride-gaps-between-blocks", build)
    command = scenario.add(Conv(2, 16, 40, 2, 2), Pass.FORWARD, Precision(4, 4)).commands[0]
    command.out_block_stride += 192
    command.out_image_stride = 3 * command.out_block_stride
    command.out_addr = scenario.plan.add("result with gaps", 2 * command.out_image_stride)
    yield scenario.vector()
    scenario = Scenario("stride-unused-is-any", build)
    command = scenario.add(Conv(1, 16, 16, 3, 3), Pass.FORWARD, Precision(4, 4)).commands[0]
    command.out_image_stride = command.out_block_stride = command.a_image_stride = command.a_block_stride = 0
    yield scenario.vector()


def far_steps(build: Build) -> Iterator[Vector]:
    """Steps and padding that no common layer has: both kinds of step in one CONV, and each at its limit."""
    for name, change in {
        "stride-and-insertion": {"stride_y": 2, "up_y": 3, "up_x": 2, "pad_top": 2, "pad_bottom": 1},
        "stride-15": {"stride_y": 15, "stride_x": 15, "pad_top": 12, "pad_left": 15, "pad_bottom": 31, "pad_right": 9},
        "insertion-15": {"up_y": 15, "up_x": 14, "pad_top": 1, "pad_right": 2},
        "padding-31": {"pad_top": 31, "pad_left": 31, "pad_bottom": 30, "pad_right": 29, "stride_y": 4, "stride_x": 5},
    }.items():
        scenario = Scenario(f"steps-{name}", build)
        command = scenario.add(Conv(2, 16, 16, 3, 4, (3, 2)), Pass.FORWARD, Precision(3, 3, b_signed=True)).commands[0]
        for field, value in change.items():
            setattr(command, field, value)
        rows = (command.a_height - 1) * command.up_y + 1 + command.pad_top + command.pad_bottom - 3
        columns = (command.a_width - 1) * command.up_x + 1 + command.pad_left + command.pad_right - 2
        command.y_height, command.y_width = rows // command.stride_y + 1, columns // command.stride_x + 1
        image = 64 * command.y_height * command.y_width
        command.out_block_stride = command.out_image_stride = image
        command.out_addr = scenario.plan.add("larger result", 2 * image)
        yield scenario.vector()
