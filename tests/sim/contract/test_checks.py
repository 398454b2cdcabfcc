"""The checks of a command: each error alone, their order, and the exact place of every bound."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.contract import Build, Command, Error, Flag, Format, Opcode, check_command, check_list
from tests.tools import LIST, REGION, ZC706, small_conv, small_wgrad

ROW_SUMS = 1 << Flag.ROW_SUMS
NARROW = replace(ZC706, name="narrow", lane_words=64)

# In the contract's order; each change breaks its own check and none before it.
CONV_ERRORS: dict[Error, dict[str, int]] = {
    Error.OPCODE: {"opcode": 10},
    Error.RESERVED: {"flags": 0x80 | ROW_SUMS},
    Error.WIDTH: {"b_bits": 17},
    Error.FORMAT: {"shift": 1},
    Error.SHAPE: {"y_height": 5},
    Error.OVERFLOW: {"a_bits": 16, "b_bits": 16},
    Error.CAPACITY: {"a_bits": 8},
    Error.ALIGNMENT: {"a_addr": 1},
    Error.STRIDE: {"out_image_stride": 0},
    Error.RANGE: {"b_addr": 1 << 30},
    Error.OVERLAP: {"out_addr": 0},
}
WGRAD_ERRORS: dict[Error, dict[str, int]] = {
    Error.OPCODE: {"opcode": 0},
    Error.RESERVED: {"flags": 0x80},
    Error.WIDTH: {"a_bits": 0},
    Error.FORMAT: {"out_format": 4},
    Error.SHAPE: {"images": 0},
    Error.UNSUPPORTED: {"up_y": 2},
    Error.OVERFLOW: {"b_bits": 16, "images": 65535},
    Error.ALIGNMENT: {"out_addr": 32},
    Error.STRIDE: {"out_block_stride": 0},
    Error.RANGE: {"sums_addr": 0xFFFFFFFC},
    Error.OVERLAP: {"sums_addr": 256},
}
CASES = [(small_conv, CONV_ERRORS), (small_wgrad, WGRAD_ERRORS)]


def judge(command: Command, build: Build = ZC706, mem_bytes: int = REGION) -> Error:
    return check_command(command.encode(), build, mem_bytes, (LIST, REGION))


@pytest.mark.parametrize("make", [small_conv, small_wgrad])
def test_a_good_command_has_no_error(make: Callable[..., Command]) -> None:
    assert judge(make(), NARROW) == Error.OK


@pytest.mark.parametrize(
    ("make", "error", "change"), [(make, e, c) for make, errors in CASES for e, c in errors.items()]
)
def test_one_wrong_thing_gives_its_own_error(
    make: Callable[..., Command], error: Error, change: dict[str, int]
) -> None:
    assert judge(make(**change), NARROW) == error


@pytest.mark.parametrize(
    ("make", "changes", "first", "second"),
    [(make, errors, *pair) for make, errors in CASES for pair in combinations(errors, 2)],
)
def test_of_two_wrong_things_the_earlier_check_names_the_error(
    make: Callable[..., Command], changes: dict[Error, dict[str, int]], first: Error, second: Error
) -> None:
    assert judge(make(**{**changes[second], **changes[first]}), NARROW) == first


def test_the_order_of_checks_is_the_order_of_codes() -> None:
    for _, errors in CASES:
        assert list(errors) == sorted(errors)


@pytest.mark.parametrize(
    ("field", "legal", "illegal"),
    [
        ("images", (1, 65535), (0,)),
        ("a_blocks", (1, 4095), (0, 4096)),
        ("y_blocks", (1, 4095), (0, 4096)),
        ("stride_y", (1, 15), (0, 16)),
        ("stride_x", (1, 15), (0, 16)),
        ("up_y", (1, 15), (0, 16)),
        ("up_x", (1, 15), (0, 16)),
    ],
)
def test_counts_and_steps_stop_at_their_limits(field: str, legal: tuple[int, ...], illegal: tuple[int, ...]) -> None:
    """The command is a 1 × 1 map under a 1 × 1 kernel: none of these fields changes its geometry."""
    for value in legal:
        assert judge(Command(a_bits=1, b_bits=1, **{field: value})) != Error.SHAPE
    for value in illegal:
        assert judge(Command(a_bits=1, b_bits=1, **{field: value})) == Error.SHAPE


@pytest.mark.parametrize(
    ("extent", "out", "kernel", "before", "after"),
    [
        ("a_height", "y_height", "kernel_h", "pad_top", "pad_bottom"),
        ("a_width", "y_width", "kernel_w", "pad_left", "pad_right"),
    ],
)
def test_extents_kernels_and_padding_stop_at_their_limits(
    extent: str, out: str, kernel: str, before: str, after: str
) -> None:
    def error(**values: int) -> Error:
        return judge(Command(a_bits=1, b_bits=1, **values))

    assert error(**{extent: 4095, out: 4095}) != Error.SHAPE
    assert error(**{extent: 4096, out: 4096}) == Error.SHAPE
    assert error(**{extent: 4095, before: 1, out: 4096}) == Error.SHAPE
    assert error(**{extent: 15, kernel: 15, out: 1}) != Error.SHAPE
    assert error(**{extent: 16, kernel: 16, out: 1}) == Error.SHAPE
    assert error(**{kernel: 0, out: 2}) == Error.SHAPE
    for padding in (before, after):
        assert error(**{padding: 31, out: 32}) != Error.SHAPE
        assert error(**{padding: 32, out: 33}) == Error.SHAPE


@given(st.integers(1, 9), st.integers(1, 4), st.integers(0, 3), st.integers(0, 3), st.integers(1, 5), st.integers(1, 4))
def test_the_output_extent_is_the_number_of_places_of_the_kernel(
    extent: int, up: int, before: int, after: int, kernel: int, stride: int
) -> None:
    padded = before + 1 + (extent - 1) * up + after
    places = len([first for first in range(0, padded, stride) if first + kernel <= padded])
    for rows in range(1, places + 3):
        command = Command(
            a_bits=1,
            b_bits=1,
            a_height=extent,
            up_y=up,
            pad_top=before,
            pad_bottom=after,
            kernel_h=kernel,
            stride_y=stride,
            y_height=rows,
        )
        assert (judge(command) == Error.SHAPE) == (rows != places)


@pytest.mark.parametrize(
    ("out_format", "a_bits", "b_bits"), [(Format.INT32, 8, 8), (Format.INT16, 16, 16), (Format.INT64, 16, 16)]
)
def test_channels_of_a_conv_may_fill_the_result_and_no_further(out_format: Format, a_bits: int, b_bits: int) -> None:
    ample = replace(ZC706, lane_words=1048576, column_words=65536)
    out_bits = 8 if out_format == Format.INT16 else 0
    command = Command(a_bits=a_bits, b_bits=b_bits, out_format=out_format, out_bits=out_bits, a_blocks=2048)
    assert judge(command, ample) not in (Error.OVERFLOW, Error.WIDTH, Error.FORMAT, Error.SHAPE)
    assert judge(replace(command, a_blocks=2049), ample) == Error.OVERFLOW


@pytest.mark.parametrize(
    ("out_format", "flags", "a_bits", "b_bits", "images"),
    [
        (Format.INT32, 0, 8, 8, 1 << 15),
        (Format.INT32, 0, 16, 14, 2),
        (Format.INT64, 0, 16, 16, 1 << 15),
        (Format.INT64, ROW_SUMS, 16, 1, 1 << 15),
    ],
)
def test_a_sum_may_reach_its_bound_and_no_further(
    out_format: Format, flags: int, a_bits: int, b_bits: int, images: int
) -> None:
    command = Command(
        opcode=Opcode.WGRAD, out_format=out_format, flags=flags, a_bits=a_bits, b_bits=b_bits, images=images
    )
    assert judge(command) != Error.OVERFLOW
    assert judge(replace(command, images=images + 1)) == Error.OVERFLOW


@pytest.mark.parametrize(("memory", "need"), [("lane_words", 1200), ("column_words", 48), ("row_words", 273)])
def test_a_memory_may_be_filled_to_the_last_word(memory: str, need: int) -> None:
    """3 rows of 40 pixels, 2 blocks, 5 bits; 12 groups in 3 slices of 5, 16 bits; a row of 39 pixels, 7 bits."""
    command = Command(
        a_bits=5,
        b_bits=16,
        out_bits=7,
        out_format=Format.PLANES,
        a_blocks=2,
        a_height=3,
        a_width=40,
        kernel_h=3,
        kernel_w=2,
        y_width=39,
    )
    exact, short = (Build(**{**vars(ZC706), "slice_groups": 5, memory: words}) for words in (need, need - 1))
    assert judge(command, exact) not in (Error.CAPACITY, Error.SHAPE)
    assert judge(command, short) == Error.CAPACITY


def test_a_wgrad_needs_none_of_the_memories() -> None:
    least = replace(ZC706, lane_words=64, column_words=16, row_words=16)
    wide = Command(
        opcode=Opcode.WGRAD, a_bits=16, b_bits=16, out_format=Format.INT64, a_blocks=4095, a_width=100, y_width=100
    )
    assert judge(wide, least, mem_bytes=1 << 32) not in (Error.CAPACITY, Error.SHAPE)


@pytest.mark.parametrize("axis", ["up_y", "up_x"])
def test_a_wgrad_inserts_no_zeros_on_either_axis(axis: str) -> None:
    """On a 1 × 1 map zero insertion changes nothing, so the shape holds."""
    assert judge(Command(opcode=Opcode.WGRAD, a_bits=1, b_bits=1, **{axis: 2})) == Error.UNSUPPORTED


def test_requantising_fields_are_refused_with_exact_results() -> None:
    for change in ({"out_bits": 1}, {"shift": 1}, {"flags": 1 << Flag.OUT_SIGNED}, {"flags": 1 << Flag.STOCHASTIC}):
        assert judge(small_conv(**change)) == Error.FORMAT


@pytest.mark.parametrize(
    ("out_format", "grain"), [(Format.INT16, 32), (Format.INT32, 64), (Format.INT64, 64), (Format.PLANES, 2)]
)
@pytest.mark.parametrize("field", ["out_addr", "out_image_stride", "out_block_stride"])
def test_a_result_is_aligned_to_a_pixel_or_a_beat(out_format: Format, grain: int, field: str) -> None:
    bits = 8 if out_format in (Format.INT16, Format.PLANES) else 0
    command = small_conv(
        out_format=out_format,
        out_bits=bits,
        out_addr=8192,
        out_image_stride=8192,
        out_block_stride=2048,
        sums_addr=1 << 20,
    )
    moved, half_moved = ({field: getattr(command, field) + step} for step in (grain, grain // 2))
    assert judge(replace(command, **moved), mem_bytes=1 << 21) == Error.OK
    assert judge(replace(command, **half_moved), mem_bytes=1 << 21) == Error.ALIGNMENT


@pytest.mark.parametrize(
    ("field", "grain"), [("a_addr", 2), ("a_block_stride", 2), ("b_image_stride", 2), ("sums_addr", 4)]
)
def test_operands_and_sums_are_aligned_to_a_word(field: str, grain: int) -> None:
    value = getattr(small_conv(), field)
    assert judge(small_conv(**{field: value + grain // 2})) == Error.ALIGNMENT
    assert judge(small_conv(**{field: value + grain}), mem_bytes=1 << 20) != Error.ALIGNMENT


def test_where_sums_lie_does_not_matter_without_the_flag() -> None:
    assert judge(small_conv(flags=0, sums_addr=0xFFFFFFFF)) == Error.OK


@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 8), st.integers(0, 24))
def test_tiles_of_an_accepted_result_share_no_byte(
    images: int, blocks: int, block_steps: int, image_steps: int
) -> None:
    """Tiles are 128 bytes (two pixels of 16 words); strides move in halves of a tile."""
    image_stride, block_stride = 64 * image_steps, 64 * block_steps
    command = Command(a_bits=1, b_bits=1, a_width=2, y_width=2, images=images, y_blocks=blocks)
    command.a_addr, command.b_addr = 1 << 20, 1 << 21
    command.out_image_stride, command.out_block_stride = image_stride, block_stride
    starts = [image * image_stride + block * block_stride for image in range(images) for block in range(blocks)]
    covered = [byte for start in starts for byte in range(start, start + 128)]
    error = judge(command, mem_bytes=1 << 22)
    assert error in (Error.OK, Error.STRIDE)
    assert error == Error.STRIDE or len(covered) == len(set(covered))


def test_the_stride_of_a_single_image_or_block_does_not_matter() -> None:
    """2560 is where the result starts; a tile has 1024 bytes."""
    assert judge(small_conv(images=1, out_image_stride=0)) == Error.OK
    assert judge(small_conv(y_blocks=1, out_block_stride=0)) == Error.OK
    assert judge(small_conv(y_blocks=1, images=1, out_image_stride=0, out_block_stride=0)) == Error.OK


def test_tensors_may_end_with_the_region_and_not_behind_it() -> None:
    command = small_conv(sums_addr=REGION)
    assert judge(command, mem_bytes=REGION + 128) == Error.OK
    assert judge(command, mem_bytes=REGION + 127) == Error.RANGE


def test_addresses_do_not_wrap_around() -> None:
    assert judge(small_conv(a_image_stride=0xFFFFFF80), mem_bytes=0xFFFFFFC0) == Error.RANGE
    assert judge(small_conv(b_image_stride=0x10000000), mem_bytes=0xFFFFFFC0) == Error.RANGE


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"out_addr": LIST - 4096, "sums_addr": 2560}, Error.OK),
        ({"out_addr": LIST - 4096 + 64, "sums_addr": 2560}, Error.OVERLAP),
        ({"sums_addr": LIST - 128}, Error.OK),
        ({"sums_addr": LIST - 124}, Error.OVERLAP),
        ({"sums_addr": 6656 - 4}, Error.OVERLAP),
        ({"b_addr": 254}, Error.OK),
        ({"b_addr": 258}, Error.OVERLAP),
        ({"a_addr": 2560 - 256}, Error.OK),
        ({"a_addr": 2560 - 254}, Error.OVERLAP),
    ],
)
def test_neighbours_may_touch_but_not_overlap(change: dict[str, int], error: Error) -> None:
    """Operands may overlap each other; results may overlap neither an operand, the sums nor the list."""
    assert judge(small_conv(**change)) == error


@pytest.mark.parametrize(
    ("registers", "error"),
    [
        ((0, 128, 0, 0), Error.OK),
        ((0, 0, 0, 0), Error.OK),
        ((0, 256, 128, 128), Error.OK),
        ((32, 256, 0, 128), Error.LIST_ALIGNMENT),
        ((0, 250, 0, 128), Error.LIST_ALIGNMENT),
        ((0, 256, 96, 128), Error.LIST_ALIGNMENT),
        ((0, 256, 0, 64), Error.LIST_TRUNCATED),
        ((0, 256, 0, 127), Error.LIST_TRUNCATED),
        ((0, 256, 192, 128), Error.LIST_RANGE),
        ((0, 256, 320, 0), Error.LIST_RANGE),
        ((0, 64, 0xFFFFFFC0, 0xFFFFFF80), Error.LIST_RANGE),
        ((1, 255, 1, 1), Error.LIST_ALIGNMENT),
        ((0, 64, 0, 129), Error.LIST_TRUNCATED),
    ],
)
def test_the_registers_of_a_list_are_checked_in_order(registers: tuple[int, int, int, int], error: Error) -> None:
    assert check_list(*registers) == error
