"""Vectors of every error: a good command first, then one that is wrong in one way; the good one's result stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from host.compiler.layer import Conv, Pass
from host.compiler.precision import Output, Precision
from sim.contract import COMMAND_BYTES, COMMAND_WORDS, NO_COMMAND, Build, Command, Error, Flag, Format, Opcode, output
from sim.vectors.build import Scenario
from sim.vectors.vector import Vector

LAYER = Conv(batch=2, in_channels=16, out_channels=32, height=4, width=4, kernel=(3, 3), padding=(1, 1))
REQUANTISED = Output(Format.INT16, 8, shift=4, row_sums=True)
HUGE_STRIDE = 0x4000_0000
UNKNOWN = max(Opcode) + 1

# What is changed in the second command: fields by value, or by a function of the good command.
Change = dict[str, int | Callable[[Command], int]]

FIELD_ERRORS: dict[Error, dict[str, Change]] = {
    Error.OPCODE: {"0": {"opcode": 0}, "unknown": {"opcode": UNKNOWN}, "255": {"opcode": 255}},
    Error.RESERVED: {"flag": {"flags": 0x80}},
    Error.WIDTH: {
        "a-0": {"a_bits": 0},
        "a-17": {"a_bits": 17},
        "b-0": {"b_bits": 0},
        "b-17": {"b_bits": 17},
        "out-0": {"out_bits": 0},
        "out-17": {"out_bits": 17},
    },
    Error.FORMAT: {
        "unknown": {"out_format": 4},
        "shift-48": {"shift": 48},
        "exact-with-bits": {"out_format": Format.INT64},
        "exact-stochastic": {"out_format": Format.INT64, "out_bits": 0, "shift": 0, "flags": 1 << Flag.STOCHASTIC},
    },
    Error.SHAPE: {
        "no-images": {"images": 0},
        "no-blocks": {"a_blocks": 0},
        "blocks-4096": {"y_blocks": 4096},
        "height-4096": {"a_height": 4096},
        "kernel-0": {"kernel_w": 0},
        "kernel-16": {"kernel_h": 16},
        "stride-0": {"stride_y": 0},
        "stride-16": {"stride_x": 16},
        "up-0": {"up_x": 0},
        "padding-32": {"pad_top": 32},
        "output-too-high": {"y_height": 5},
        "output-too-narrow": {"y_width": 3},
        "kernel-over-map": {"pad_top": 0, "pad_bottom": 0, "a_height": 2},
        # room is -1: rounding it towards 0 instead of down would make one output row of it
        "kernel-over-map-stride-2": {"pad_top": 0, "pad_bottom": 0, "a_height": 2, "stride_y": 2, "y_height": 1},
    },
    Error.CAPACITY: {
        "lane": {"a_blocks": 4095, "b_bits": 1},
        "column": {"a_blocks": 4095, "a_width": 1, "y_width": 1, "a_bits": 1, "flags": 0},
    },
    Error.ALIGNMENT: {
        "a": {"a_addr": lambda c: c.a_addr + 1},
        "a-stride": {"a_image_stride": lambda c: c.a_image_stride + 1},
        "b": {"b_addr": lambda c: c.b_addr + 1},
        "b-stride": {"b_block_stride": lambda c: c.b_block_stride + 1},
        "out": {"out_addr": lambda c: c.out_addr + 16},
        "out-stride": {"out_block_stride": lambda c: c.out_block_stride + 16},
        "sums": {"sums_addr": lambda c: c.sums_addr + 2},
    },
    Error.STRIDE: {
        "blocks": {"out_block_stride": lambda c: c.out_block_stride - 32},
        "images": {"out_image_stride": lambda c: c.out_image_stride - 32},
        "zero": {"out_image_stride": 0},
    },
    Error.RANGE: {
        "a": {"a_addr": 0xFFFFFFFE},
        "a-stride": {"a_image_stride": HUGE_STRIDE},
        "b": {"b_addr": HUGE_STRIDE},
        "out": {"out_addr": 0xFFFFFFE0},
        "out-stride": {"out_image_stride": HUGE_STRIDE},
        "sums": {"sums_addr": 0xFFFFFFFC},
    },
    Error.OVERLAP: {
        "out-on-a": {"out_addr": lambda c: c.a_addr},
        "out-on-b": {"out_addr": lambda c: c.b_addr},
        "out-on-sums": {"sums_addr": lambda c: c.out_addr},
        "sums-on-a": {"sums_addr": lambda c: c.a_addr},
        "sums-on-b": {"sums_addr": lambda c: c.b_addr},
    },
}


def field_errors(build: Build) -> Iterator[Vector]:
    """One wrong field in the second of two commands."""
    for error, changes in FIELD_ERRORS.items():
        for name, change in changes.items():
            yield _changed(f"error-{error.name.lower()}-{name}", build, error, change)


def _good_then(name: str, build: Build, which: Pass = Pass.FORWARD) -> tuple[Scenario, Command]:
    scenario = Scenario(name, build)
    scenario.add(LAYER, Pass.FORWARD, Precision(4, 4))
    program = scenario.add(LAYER, which, Precision(4, 4), REQUANTISED)
    return scenario, program.commands[0]


def _changed(name: str, build: Build, error: Error, change: Change, which: Pass = Pass.FORWARD) -> Vector:
    scenario, bad = _good_then(name, build, which)
    for field, value in change.items():
        setattr(bad, field, value(bad) if callable(value) else value)
    return scenario.vector((error, 1))


# What one field of a CONV cannot show: weight gradients.
WGRAD_ERRORS: dict[str, tuple[Error, Change]] = {
    "unsupported-wgrad-planes": (Error.UNSUPPORTED, {"out_format": Format.PLANES}),
    "unsupported-wgrad-up": (Error.UNSUPPORTED, {"up_y": 2, "a_height": 2, "pad_bottom": 2}),
    "unsupported-wgrad-up-x": (Error.UNSUPPORTED, {"up_x": 3, "a_width": 2, "pad_right": 1}),
    "overflow-accumulator": (Error.OVERFLOW, {"a_bits": 16, "b_bits": 16, "images": 2049}),
    "overflow-int32": (
        Error.OVERFLOW,
        {"a_bits": 14, "b_bits": 13, "out_format": Format.INT32, "out_bits": 0, "shift": 0, "flags": 0},
    ),
    "overflow-sums": (Error.OVERFLOW, {"a_bits": 16, "b_bits": 1, "images": 2049}),
}


def other_errors(build: Build) -> Iterator[Vector]:
    """Errors that one field cannot show."""

    def set_reserved_word(encoded: bytearray) -> None:
        encoded[COMMAND_BYTES + 4 * (COMMAND_WORDS - 1)] = 1

    scenario, _ = _good_then("error-reserved-word", build)
    yield scenario.vector((Error.RESERVED, 1), spoil=set_reserved_word)

    for name, (error, change) in WGRAD_ERRORS.items():
        yield _changed(f"error-{name}", build, error, change, Pass.WEIGHT_GRADIENT)

    width = build.row_words // 16 + 1
    long_row: Change = {"out_format": Format.PLANES, "out_bits": 16, "a_width": width, "y_width": width, "a_bits": 1}
    yield _changed("error-capacity-row", build, Error.CAPACITY, long_row)

    scenario, bad = _good_then("error-overlap-list", build)
    bad.out_addr = scenario.plan.bytes  # where the list will lie
    end = output(bad).end
    yield scenario.vector((Error.OVERLAP, 1), registers={"mem_bytes": -(-end // 64) * 64})

    scenario, bad = _good_then("error-overlap-sums-list", build)
    bad.sums_addr = scenario.plan.bytes
    yield scenario.vector((Error.OVERLAP, 1))


# Commands with two mistakes each: the earlier check of the contract's table names the error.
TWO_MISTAKES: tuple[tuple[Error, Change], ...] = (
    (Error.OPCODE, {"opcode": UNKNOWN, "flags": 0xFF}),
    (Error.RESERVED, {"flags": 0xFF, "a_bits": 0}),
    (Error.WIDTH, {"b_bits": 17, "out_format": 200}),
    (Error.FORMAT, {"shift": 60, "images": 0}),
    (Error.SHAPE, {"a_height": 0, "a_blocks": 4095, "a_addr": 1}),
    (Error.OVERFLOW, {"a_bits": 16, "b_bits": 16, "a_blocks": 4095}),
    (Error.CAPACITY, {"a_blocks": 4095, "b_bits": 1, "out_addr": 1}),
    (Error.ALIGNMENT, {"a_addr": 0xFFFFFFFF, "out_image_stride": 0}),
    (Error.STRIDE, {"out_image_stride": 0, "b_addr": HUGE_STRIDE}),
    (Error.RANGE, {"a_addr": HUGE_STRIDE, "out_addr": lambda c: c.b_addr // 64 * 64}),
)


def order_of_checks(build: Build) -> Iterator[Vector]:
    """Which of two errors is reported."""
    for error, change in TWO_MISTAKES:
        yield _changed(f"order-{error.name.lower()}", build, error, change)


def list_errors(build: Build) -> Iterator[Vector]:
    """What is wrong with the list as a whole: nothing runs and no command is to blame."""
    for name, error, registers in (
        ("list-truncated", Error.LIST_TRUNCATED, {"list_bytes": 2 * COMMAND_BYTES - 4}),
        ("list-cut-to-a-word", Error.LIST_TRUNCATED, {"list_bytes": 4}),
        ("list-offset", Error.LIST_ALIGNMENT, {"list_offset": 32}),
        ("list-base", Error.LIST_ALIGNMENT, {"mem_base": 0x1020}),
        ("list-region", Error.LIST_ALIGNMENT, {"mem_bytes": 8 * COMMAND_BYTES + 2}),
        ("list-region-behind-4-gib", Error.LIST_RANGE, {"mem_base": 0xFFFF_FFC0}),
        ("list-behind-region", Error.LIST_RANGE, {"list_offset": 1 << 30}),
        ("list-longer-than-region", Error.LIST_RANGE, {"list_bytes": COMMAND_BYTES << 20}),
    ):
        scenario, _ = _good_then(f"error-{name}", build)
        yield scenario.vector((error, NO_COMMAND), registers=registers)


def bus_errors(build: Build) -> Iterator[Vector]:
    """A region claimed larger than the memory behind it: reading there, and writing there."""
    beyond = 1 << 28
    for name, error, field in (
        ("read-a", Error.READ_BUS, "a_addr"),
        ("read-b", Error.READ_BUS, "b_addr"),
        ("write", Error.WRITE_BUS, "out_addr"),
    ):
        scenario, bad = _good_then(f"error-bus-{name}", build)
        bad.flags = 0
        setattr(bad, field, beyond)
        yield scenario.vector((error, 1), registers={"mem_bytes": 2 * beyond})
    scenario, _ = _good_then("error-bus-fetch", build)
    yield scenario.vector((Error.READ_BUS, 0), registers={"mem_bytes": 2 * beyond, "list_offset": beyond})


def error_in_first_command(build: Build) -> Iterator[Vector]:
    """An error in the first command: nothing runs, the good second one included."""
    scenario = Scenario("error-in-first-command", build)
    bad = scenario.add(LAYER, Pass.FORWARD, Precision(4, 4)).commands[0]
    scenario.add(LAYER, Pass.FORWARD, Precision(4, 4))
    bad.opcode = UNKNOWN
    yield scenario.vector((Error.OPCODE, 0))
