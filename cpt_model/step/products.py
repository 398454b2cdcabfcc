"""CONV and WGRAD on a memory: as dot products of bytes in C++, else by float convolutions that are exact."""

from __future__ import annotations

from functools import partial

import torch
from torch.nn import functional

from cpt_model.arithmetic.affine import EXACT_FLOAT32
from cpt_model.arithmetic.float32_probe import float32_is_exact
from cpt_model.step.memory import Codes, Memory, to_blocks, to_channels
from cpt_model.step.native import KINDS, Run, multiplies_bytes, native_run
from cpt_model.step.vector import tally
from sim.contract import (
    CHANNEL_BLOCK,
    REQUANTISED,
    Command,
    Flag,
    Format,
    code_range,
    operand_a,
    operand_b,
    output,
    pack_words,
    tally_of,
    terms,
)
from sim.reference.epilogue import requantise

LIFT = 128  # makes unsigned bytes of signed ones
BYTE_PRODUCT = 255 * 128
WORD_LIMIT = 1 << 31


def bind_conv(command: Command, memory: Memory) -> Run:
    a, b = _operands(command, memory)
    out = None
    if command.out_format == Format.PLANES:
        out = memory.new_codes(output(command), command.flag(Flag.OUT_SIGNED))
        run = _byte_conv(command, memory, a, b, out)
        if run is not None:
            return run
    return partial(run_conv, command, memory, a, b, out)


def _byte_conv(command: Command, memory: Memory, a: Codes, b: Codes, out: Codes) -> Run | None:
    """Where both operands are bytes and sums, rounded, fit 32 bits."""
    half, statistics = command.flag(Flag.HALF), tally_of(command)
    sums = terms(command) * (BYTE_PRODUCT << half) + (1 << command.shift)
    narrow = a.dtype in (torch.uint8, torch.int8) and (b.dtype == torch.int8 or command.b_bits < 8)
    if not narrow or b.dtype == torch.int16 or sums >= WORD_LIMIT or command.flag(Flag.STOCHASTIC):
        return None
    if not multiplies_bytes():
        return None
    low, high = code_range(command.out_bits, command.flag(Flag.OUT_SIGNED))
    return native_run(
        "conv",
        *(command.images, command.a_blocks, command.y_blocks),
        *(command.a_height, command.y_height, command.kernel_h, command.stride_y, command.up_y, command.pad_top),
        *(command.a_width, command.y_width, command.kernel_w, command.stride_x, command.up_x, command.pad_left),
        *(a, *a.stride()[:2], b, *b.stride()[:2], out, *out.stride()[:2], KINDS[out.dtype]),
        *(LIFT if command.flag(Flag.A_SIGNED) else 0, half, command.shift, low, high),
        0 if statistics is None else memory.pointer(statistics.address),
    )


def bind_wgrad(command: Command, memory: Memory) -> Run:
    a, b = _operands(command, memory)
    place = output(command)
    pixels = command.y_height * command.y_width
    narrow = a.dtype in (torch.uint8, torch.int8) and b.dtype == torch.int8
    if narrow and multiplies_bytes() and 4 * BYTE_PRODUCT * pixels < WORD_LIMIT:
        size = place.dtype.itemsize
        run = native_run(
            "gradient",
            *(command.images, command.a_blocks, command.y_blocks),
            *(command.kernel_h, command.stride_y, command.pad_top, command.a_height, command.y_height),
            *(command.kernel_w, command.stride_x, command.pad_left, command.a_width, command.y_width),
            *(a, *a.stride()[:2], b, *b.stride()[:2]),
            *(memory.pointer(place.address), place.image_stride // size, place.block_stride // size),
            *(command.out_format == Format.INT64, LIFT if command.flag(Flag.A_SIGNED) else 0),
        )
        if run is not None and command.out_format in (Format.INT32, Format.INT64):
            return run
    return partial(run_wgrad, command, memory, a, b)


def _operands(command: Command, memory: Memory) -> tuple[Codes, Codes]:
    return (
        memory.codes(operand_a(command), command.flag(Flag.A_SIGNED)),
        memory.codes(operand_b(command), command.flag(Flag.B_SIGNED)),
    )


def run_conv(command: Command, memory: Memory, a: Codes, b: Codes, out: Codes | None) -> None:
    weights = to_channels(b).double()
    if command.flag(Flag.HALF):
        weights = 2 * weights + 1
    bound = (1 << command.a_bits) * weights.abs().sum((1, 2, 3)).max()
    dtype = torch.float32 if bound <= EXACT_FLOAT32 and float32_is_exact() else torch.float64
    maps, stride = _padded(command, to_channels(a).to(dtype)), (command.stride_y, command.stride_x)
    _store(command, memory, functional.conv2d(maps, weights.to(dtype), stride=stride).long(), out)


def run_wgrad(command: Command, memory: Memory, a: Codes, b: Codes) -> None:
    """A convolution of the maps with the errors, channels and images having changed places."""
    x, e = (to_channels(each).double().transpose(0, 1) for each in (a, b))
    acc = functional.conv2d(_padded(command, x), e, dilation=(command.stride_y, command.stride_x))
    _store(command, memory, acc[:, :, : command.kernel_h, : command.kernel_w].long(), None)


def _padded(command: Command, maps: torch.Tensor) -> torch.Tensor:
    """With zeros inserted and around."""
    if (command.up_y, command.up_x) != (1, 1):
        n, c, h, w = maps.shape
        spread = maps.new_zeros((n, c, (h - 1) * command.up_y + 1, (w - 1) * command.up_x + 1))
        spread[:, :, :: command.up_y, :: command.up_x] = maps
        maps = spread
    return functional.pad(maps, (command.pad_left, command.pad_right, command.pad_top, command.pad_bottom))


def _store(command: Command, memory: Memory, maps: torch.Tensor, out: Codes | None) -> None:
    """Accumulators (n, c, h, w) rounded as the reference does it, and their statistics."""
    if command.out_format in REQUANTISED:
        maps = torch.from_numpy(requantise(maps.numpy(), command))
    if out is not None:
        out.copy_(to_blocks(maps))
    else:
        output(command).write(memory.raw, pack_words(maps.numpy(), Format(command.out_format)))
    statistics = tally_of(command)
    if statistics is not None:
        blocks = maps.unflatten(1, (-1, CHANNEL_BLOCK)).permute(0, 1, 3, 4, 2)
        tally(blocks, blocks, statistics, memory)
