"""Which error, if any, a vector or scalar command has; in the contract's order, before anything is written."""

from __future__ import annotations

from sim.contract.blocks import BlockPlace
from sim.contract.command import CLASSES, Encoded, MapCommand, ScalarCommand, WeightCommand
from sim.contract.constants import (
    MAX_BLOCKS,
    MAX_COUNT,
    MAX_EXTENT,
    MAX_IMAGES,
    MAX_KERNEL,
    MAX_MAP_SHIFT,
    MAX_OPERAND_BITS,
    MAX_SCALE_SHIFT,
    MAX_SHIFT,
    TENSOR_ALIGNMENT,
    Block,
    Error,
    Format,
    MapFlag,
    Opcode,
    ScalarFlag,
    WeightFlag,
)
from sim.contract.operands import Operands, operands
from sim.contract.tensors import Memory

FLAGS_OF: dict[Opcode, set] = {
    Opcode.NORM: {ScalarFlag.EVALUATE},
    Opcode.SCALE: {ScalarFlag.RELU, ScalarFlag.NODE, ScalarFlag.STREAM, ScalarFlag.BRANCH},
    Opcode.JOIN: {ScalarFlag.STREAM, ScalarFlag.BRANCH, ScalarFlag.POWER},
    Opcode.ERROR: {ScalarFlag.POWER},
    Opcode.UPDATE: set(),
    Opcode.WEIGHTS: set(WeightFlag),
}


def check_vector(data: bytes, mem_bytes: int, list_range: tuple[int, int]) -> Error:
    """The checks that need no data."""
    command = CLASSES[data[0]].decode(data)
    if command.reserved_bits_set(data):
        return Error.RESERVED
    if isinstance(command, MapCommand):
        error = _check_map(command)
    elif isinstance(command, ScalarCommand):
        error = _check_scalar(command)
    else:
        assert isinstance(command, WeightCommand)
        error = _check_weights(command)
    return error or _check_places(operands(command), mem_bytes, list_range)


def check_blocks(command: Encoded, memory: Memory) -> Error:
    """Every block that is read was written, as what it is taken for; the coefficients' shifts are in range."""
    found = operands(command)
    for place in (*found.reads.values(), *found.changes.values()):
        if not isinstance(place, BlockPlace):
            continue
        if not place.written(memory):
            return Error.COEFFICIENTS
        header = place.header(memory)[0]
        if place.kind is Block.TALLY and isinstance(command, ScalarCommand) and header["count"] != command.count:
            return Error.COEFFICIENTS
        if place.kind is Block.COEFFICIENTS and not (
            0 <= header["k"] <= MAX_MAP_SHIFT
            and -MAX_SHIFT <= header["j"] <= MAX_SHIFT
            and 0 <= header["scale_shift"] <= MAX_SCALE_SHIFT
        ):
            return Error.COEFFICIENTS
    return Error.OK


def _check_map(command: MapCommand) -> Error:
    widths = (command.x1_bits, command.x2_bits, command.out0_bits, command.out1_bits)
    if not 1 <= command.x0_bits <= MAX_OPERAND_BITS or max(widths) > MAX_OPERAND_BITS:
        return Error.WIDTH
    masks = sum(command.flag(flag) for flag in (MapFlag.MASK_X0, MapFlag.MASK_OUT, MapFlag.MASK_WRITE))
    rounds = (MapFlag.STOCHASTIC, MapFlag.OUT_SIGNED, MapFlag.MASK_OUT, MapFlag.MASK_WRITE)
    without_result = command.x1_bits or command.out1_bits or any(command.flag(flag) for flag in rounds)
    tallies = command.flag(MapFlag.TALLY)
    signed_width = 2 if command.flag(MapFlag.OUT_SIGNED) else 1
    if (
        masks > 1
        or (not command.out0_bits and (without_result or not tallies))
        or (command.x2_bits and not tallies)
        or (command.flag(MapFlag.X1_SIGNED) and not command.x1_bits)
        or any(0 < bits < signed_width for bits in (command.out0_bits, command.out1_bits))
    ):
        return Error.FORMAT
    limits = ((command.images, MAX_IMAGES), (command.blocks, MAX_BLOCKS))
    return _check_shape(*limits, (command.height, MAX_EXTENT), (command.width, MAX_EXTENT)) or _check_count(
        command.images * command.height * command.width
    )


def _check_scalar(command: ScalarCommand) -> Error:
    least = 2 if command.opcode == Opcode.ERROR or not command.flag(ScalarFlag.RELU) else 1
    uses_bits = command.opcode in (Opcode.SCALE, Opcode.ERROR)
    uses_wide = command.opcode == Opcode.JOIN or (command.opcode == Opcode.SCALE and command.flag(ScalarFlag.NODE))
    if uses_bits and not least <= command.bits <= MAX_OPERAND_BITS:
        return Error.WIDTH
    if uses_wide and not 2 <= command.wide_bits <= MAX_OPERAND_BITS:
        return Error.WIDTH
    foreign = set(ScalarFlag) - FLAGS_OF[Opcode(command.opcode)]
    second = command.flag(ScalarFlag.STREAM) or command.flag(ScalarFlag.BRANCH)
    if (
        any(command.flag(flag) for flag in foreign)
        or (command.flag(ScalarFlag.STREAM) and command.flag(ScalarFlag.BRANCH))
        or (command.opcode == Opcode.SCALE and second and not command.flag(ScalarFlag.NODE))
        or (command.bits and not uses_bits)
        or (command.wide_bits and not uses_wide)
        or max(command.shift, command.shift1) > MAX_SHIFT
    ):
        return Error.FORMAT
    limits = ((command.images, MAX_IMAGES), (command.channels, 16 * MAX_BLOCKS))
    return _check_shape(*limits, (command.height, MAX_EXTENT), (command.width, MAX_EXTENT)) or _check_count(
        command.count
    )


def _check_weights(command: WeightCommand) -> Error:
    quantises = command.opcode == Opcode.WEIGHTS
    least = 1 if command.flag(WeightFlag.HALF) else 2
    if quantises and not least <= command.bits <= MAX_OPERAND_BITS:
        return Error.WIDTH
    foreign = set(WeightFlag) - FLAGS_OF[Opcode(command.opcode)]
    formats = (Format.INT32, Format.INT64)
    if any(command.flag(flag) for flag in foreign) or (command.bits and not quantises):
        return Error.FORMAT
    if command.acc_format not in (formats if not quantises else (Format.INT16,)):
        return Error.FORMAT
    limits = [(channels, 16 * MAX_BLOCKS) for channels in (command.in_channels, command.out_channels)]
    error = _check_shape(*limits, (command.kernel_h, MAX_KERNEL), (command.kernel_w, MAX_KERNEL))
    return error or (Error.OK if _groups_hold(command) else Error.SHAPE)


def _groups_hold(command: WeightCommand) -> bool:
    """No groups, or whole ones, as many on either side."""
    if not command.group_in or not command.group_out:
        return command.group_in == command.group_out
    ins, outs = divmod(command.in_channels, command.group_in), divmod(command.out_channels, command.group_out)
    return ins == outs and ins[1] == 0


def _check_shape(*limits: tuple[int, int]) -> Error:
    return Error.OK if all(1 <= value <= most for value, most in limits) else Error.SHAPE


def _check_count(count: int) -> Error:
    return Error.OK if count <= MAX_COUNT else Error.OVERFLOW


def _check_places(found: Operands, mem_bytes: int, list_range: tuple[int, int]) -> Error:
    places = found.all.values()
    if any(place.address % TENSOR_ALIGNMENT for place in places):
        return Error.ALIGNMENT
    if any(place.end > mem_bytes for place in places):
        return Error.RANGE
    spans = [list_range, *((place.address, place.end) for place in places)]
    for place in found.results.values():
        others = [span for span in spans if span != (place.address, place.end)]
        if len(others) < len(spans) - 1 or any(place.address < end and start < place.end for start, end in others):
            return Error.OVERLAP
    return Error.OK
