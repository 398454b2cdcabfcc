"""Which error, if any, a command has: the contract's checks, in the contract's order, before anything is written."""

from __future__ import annotations

from functools import partial

from sim.contract.build import Build
from sim.contract.command import CLASSES, Command
from sim.contract.constants import (
    ACCUMULATOR_BITS,
    ADDRESS_BITS,
    CHANNEL_BLOCK,
    COMMAND_BYTES,
    LIST_ALIGNMENT,
    MAX_BLOCKS,
    MAX_COUNT,
    MAX_EXTENT,
    MAX_IMAGES,
    MAX_KERNEL,
    MAX_OPERAND_BITS,
    MAX_OUT_BITS,
    MAX_PADDING,
    MAX_SHIFT,
    MAX_STEP,
    TENSOR_ALIGNMENT,
    Error,
    Flag,
    Format,
    Opcode,
)
from sim.contract.features import ALL_FEATURES, has_vector_unit
from sim.contract.operands import tally_of
from sim.contract.tensors import Tensor, operand_a, operand_b, output, row_sums
from sim.contract.vector_checks import check_vector

REQUANTISED = (Format.INT16, Format.PLANES)


def check_list(mem_base: int, mem_bytes: int, list_offset: int, list_bytes: int) -> Error:
    """Judges the registers a list is started with."""
    if mem_base % LIST_ALIGNMENT or mem_bytes % LIST_ALIGNMENT or list_offset % LIST_ALIGNMENT:
        return Error.LIST_ALIGNMENT
    if list_bytes % COMMAND_BYTES:
        return Error.LIST_TRUNCATED
    if mem_base + mem_bytes > 1 << ADDRESS_BITS or list_offset + list_bytes > mem_bytes:
        return Error.LIST_RANGE
    return Error.OK


def check_command(
    data: bytes,
    build: Build,
    mem_bytes: int,
    list_range: tuple[int, int] = (0, 0),
    features: int = ALL_FEATURES,
) -> Error:
    """Judges one encoded command; the first check that fails names the error."""
    if has_vector_unit(features) and CLASSES.get(data[0], Command) is not Command:
        return check_vector(data, mem_bytes, list_range)
    error = check_fields(data, build, features)
    return error or check_addresses(Command.decode(data), mem_bytes, list_range)


def check_fields(data: bytes, build: Build, features: int = ALL_FEATURES) -> Error:
    """The checks of a CONV or WGRAD that do not need addresses."""
    command = Command.decode(data)
    if CLASSES.get(command.opcode) is not Command:
        return Error.OPCODE
    if Command.reserved_bits_set(data):
        return Error.RESERVED
    for error, holds in (
        (Error.WIDTH, widths_hold),
        (Error.FORMAT, format_holds),
        (Error.SHAPE, shape_holds),
        (Error.UNSUPPORTED, partial(supported, features=features)),
        (Error.OVERFLOW, cannot_overflow),
    ):
        if not holds(command):
            return error
    return Error.OK if fits_on_chip(command, build) else Error.CAPACITY


def widths_hold(command: Command) -> bool:
    operands = 1 <= command.a_bits <= MAX_OPERAND_BITS and 1 <= command.b_bits <= MAX_OPERAND_BITS
    if command.out_format in REQUANTISED:
        return operands and 1 <= command.out_bits <= MAX_OUT_BITS
    return operands


def format_holds(command: Command) -> bool:
    if command.out_format not in tuple(Format):
        return False
    if command.out_format in REQUANTISED:
        return command.shift <= MAX_SHIFT
    requantising = command.flag(Flag.OUT_SIGNED) or command.flag(Flag.STOCHASTIC)
    return command.out_bits == 0 and command.shift == 0 and not requantising


def shape_holds(command: Command) -> bool:
    limits = (
        (command.images, 1, MAX_IMAGES),
        (command.a_blocks, 1, MAX_BLOCKS),
        (command.y_blocks, 1, MAX_BLOCKS),
        *((extent, 1, MAX_EXTENT) for extent in (command.a_height, command.a_width)),
        *((extent, 1, MAX_EXTENT) for extent in (command.y_height, command.y_width)),
        *((extent, 1, MAX_KERNEL) for extent in (command.kernel_h, command.kernel_w)),
        *((step, 1, MAX_STEP) for step in (command.stride_y, command.stride_x, command.up_y, command.up_x)),
        *((pad, 0, MAX_PADDING) for pad in (command.pad_top, command.pad_left)),
        *((pad, 0, MAX_PADDING) for pad in (command.pad_bottom, command.pad_right)),
    )
    if not all(least <= value <= most for value, least, most in limits):
        return False
    room_y = (command.a_height - 1) * command.up_y + 1 + command.pad_top + command.pad_bottom - command.kernel_h
    room_x = (command.a_width - 1) * command.up_x + 1 + command.pad_left + command.pad_right - command.kernel_w
    return (
        room_y >= 0
        and room_x >= 0
        and command.y_height == room_y // command.stride_y + 1
        and command.y_width == room_x // command.stride_x + 1
    )


def supported(command: Command, features: int = ALL_FEATURES) -> bool:
    plain = not command.flag(Flag.HALF) and not command.flag(Flag.STATS)
    if not plain and not has_vector_unit(features):
        return False
    if command.opcode == Opcode.WGRAD:
        return plain and command.up_y == command.up_x == 1 and command.out_format != Format.PLANES
    if command.flag(Flag.HALF) and not command.flag(Flag.B_SIGNED):
        return False
    return not command.flag(Flag.STATS) or command.out_format in REQUANTISED


def terms(command: Command) -> int:
    """K: how many products one result adds up, padding included."""
    if command.opcode == Opcode.CONV:
        return command.kernel_h * command.kernel_w * command.a_blocks * CHANNEL_BLOCK
    return command.images * command.y_height * command.y_width


def cannot_overflow(command: Command) -> bool:
    """|Σ a·b| < K · 2^a_bits · 2^b_bits must not pass the result's sign bit; likewise the row sums' 32 bits."""
    k = terms(command)
    result_bits = 32 if command.out_format == Format.INT32 else ACCUMULATOR_BITS
    if k << command.a_bits + command.b_bits > 1 << result_bits - 1:
        return False
    if command.flag(Flag.STATS) and command.images * command.y_height * command.y_width > MAX_COUNT:
        return False
    sums = command.flag(Flag.ROW_SUMS) or command.flag(Flag.HALF)
    return not sums or k << command.a_bits <= 1 << 31


def fits_on_chip(command: Command, build: Build) -> bool:
    return all(need <= have for need, have in on_chip_needs(command, build).values())


def on_chip_needs(command: Command, build: Build) -> dict[str, tuple[int, int]]:
    """Words that each memory must hold for this command, and the words it has."""
    if command.opcode == Opcode.WGRAD:
        return {}
    groups = command.kernel_h * command.kernel_w * command.a_blocks
    slices = -(-groups // build.slice_groups)
    lane = command.kernel_h * command.a_width * command.a_blocks * command.a_bits
    needs = {
        "lane_words": (lane, build.lane_words),
        "column_words": (slices * command.b_bits, build.column_words),
    }
    if command.out_format == Format.PLANES:
        needs["row_words"] = (command.y_width * command.out_bits, build.row_words)
    return needs


def check_addresses(command: Command, mem_bytes: int, list_range: tuple[int, int]) -> Error:
    a, b, out, sums = operand_a(command), operand_b(command), output(command), row_sums(command)
    tensors = [a, b, out] if sums is None else [a, b, out, sums]
    tally = tally_of(command)
    if not all(map(aligned, tensors)) or (tally is not None and tally.address % TENSOR_ALIGNMENT):
        return Error.ALIGNMENT
    if not tiles_apart(out):
        return Error.STRIDE
    spans = [(tensor.address, tensor.end) for tensor in tensors]
    spans += [] if tally is None else [(tally.address, tally.end)]
    if any(end > mem_bytes for _, end in spans):
        return Error.RANGE
    read, written = [*spans[:2], list_range], spans[2:]
    for number, (start, end) in enumerate(written):
        others = [*read, *written[:number]]
        if any(start < other_end and other_start < end for other_start, other_end in others):
            return Error.OVERLAP
    return Error.OK


def aligned(tensor: Tensor) -> bool:
    return not any(place % tensor.grain for place in (tensor.address, tensor.image_stride, tensor.block_stride))


def tiles_apart(out: Tensor) -> bool:
    """No two tiles of a result share a byte: blocks lie apart inside an image, images lie apart."""
    if out.blocks > 1 and out.block_stride < out.tile_bytes:
        return False
    image_bytes = (out.blocks - 1) * out.block_stride + out.tile_bytes
    return out.images == 1 or out.image_stride >= image_bytes
