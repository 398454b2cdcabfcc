"""Vectors of CONV with HALF and STATS, each format, shape and bound that they touch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sim.contract import (
    WORD_TYPES,
    Block,
    Build,
    Command,
    Error,
    Flag,
    Format,
    Opcode,
    blocks_of,
    flag_bits,
)
from sim.contract.noise import random_codes
from sim.vectors.build import extreme_codes, greatest_codes, least_codes
from sim.vectors.step.region import Fill, Region
from sim.vectors.vector import Vector


def add_conv(
    region: Region,
    flags: Sequence[Flag],
    bits: tuple[int, int] = (4, 4),
    out_bits: int = 8,
    out_format: Format = Format.PLANES,
    shift: int = 4,
    shape: tuple[int, int, int, int] = (2, 16, 4, 4),
    out_channels: int = 16,
    kernel: int = 3,
    fill: Fill = random_codes,
    **change: Any,
) -> Command:
    """A CONV at stride 1 whose maps keep their size; its tensors are compact."""
    n, c, h, w = shape
    a = region.codes(shape, bits[0], Flag.A_SIGNED in flags, fill)
    b = region.codes((16 * blocks_of(out_channels), c, kernel, kernel), bits[1], Flag.B_SIGNED in flags, fill)
    requantised = out_format in (Format.PLANES, Format.INT16)
    command = Command(Opcode.CONV, *bits, out_bits if requantised else 0, flag_bits(*flags), out_format)
    command.shift = shift if requantised else 0
    command.images, command.a_blocks, command.y_blocks = n, blocks_of(c), blocks_of(out_channels)
    command.a_height = command.y_height = h
    command.a_width = command.y_width = w
    command.kernel_h = command.kernel_w = kernel
    command.pad_top = command.pad_left = command.pad_bottom = command.pad_right = kernel // 2
    for name, tensor in (("a", a), ("b", b)):
        setattr(command, f"{name}_addr", tensor.address)
        setattr(command, f"{name}_image_stride", tensor.image_stride)
        setattr(command, f"{name}_block_stride", tensor.block_stride)
    if out_format == Format.PLANES:
        out = region.empty((n, out_channels, h, w), out_bits)
        command.out_addr, command.out_block_stride = out.address, out.block_stride
        command.out_image_stride = out.image_stride
    else:
        command.out_block_stride = 16 * WORD_TYPES[out_format].itemsize * h * w
        command.out_image_stride = command.y_blocks * command.out_block_stride
        command.out_addr = region.place(n * command.out_image_stride)
    command.sums_addr = region.place(4 * n * h * w)
    if Flag.STATS in flags:
        command.tally_addr = region.absent(Block.TALLY, out_channels).address
    for name, value in change.items():
        setattr(command, name, value)
    region.add(command)
    return command


def conv_half(build: Build) -> Iterator[Vector]:
    """Odd weights, in every format of results, at every width and at the ends of all codes."""
    half = (Flag.HALF, Flag.B_SIGNED)
    for out_format in Format:
        region = Region(f"half-{out_format.name.lower()}", build)
        add_conv(region, (*half, Flag.ROW_SUMS), out_format=out_format)
        exact = out_format in (Format.INT32, Format.INT64)
        add_conv(region, (*half, Flag.A_SIGNED, *(() if exact else (Flag.OUT_SIGNED,))), out_format=out_format)
        yield region.vector()
    region = Region("half-widths", build)
    for width in (1, 2, 5, 8):
        add_conv(
            region, (*half, Flag.OUT_SIGNED), (width, 9 - width), 16, shape=(1, 17, 2, 3), out_channels=20, shift=2
        )
    yield region.vector()
    for name, fill in {"least": least_codes, "greatest": greatest_codes, "extreme": extreme_codes}.items():
        region = Region(f"half-{name}", build)
        add_conv(region, half, (8, 8), out_format=Format.INT32, fill=fill)
        add_conv(region, (*half, Flag.A_SIGNED), (16, 16), 16, Format.INT64, kernel=1, fill=fill)
        yield region.vector()
    region = Region("half-stochastic", build)
    add_conv(region, (*half, Flag.OUT_SIGNED, Flag.STOCHASTIC), shift=6, seed_lo=3, seed_hi=4)
    yield region.vector()
    region = Region("half-bound-int32", build)
    fills: dict[str, Any] = {"fill": greatest_codes, "out_format": Format.INT32, "shape": (1, 128, 1, 1), "kernel": 1}
    add_conv(region, half, (12, 12), **fills)
    yield region.vector()


def conv_stats(build: Build) -> Iterator[Vector]:
    """Tallies of signed and unsigned results, saturated ones, constant ones, of one pixel, of several blocks."""
    for out_format in (Format.PLANES, Format.INT16):
        for signed in (False, True):
            region = Region(f"stats-{out_format.name.lower()}-{'s' if signed else 'u'}", build)
            flags = (Flag.STATS, Flag.A_SIGNED, Flag.B_SIGNED, *((Flag.OUT_SIGNED,) * signed))
            for out_bits, shift in ((16, 0), (7, 4), (3, 0), (1, 9)):
                add_conv(region, flags, out_bits=out_bits, out_format=out_format, shift=shift)
            yield region.vector()
    region = Region("stats-shapes", build)
    for shape, outs in (((1, 1, 1, 1), 1), ((3, 16, 1, 5), 33), ((2, 33, 3, 3), 17)):
        add_conv(region, (Flag.STATS, Flag.B_SIGNED, Flag.OUT_SIGNED), shape=shape, out_channels=outs)
    yield region.vector()
    for name, fill in {"least": least_codes, "greatest": greatest_codes}.items():
        region = Region(f"stats-{name}", build)
        for flags in ((Flag.OUT_SIGNED, Flag.B_SIGNED), ()):
            add_conv(region, (Flag.STATS, *flags), (8, 8), 16, shift=0, kernel=1, fill=fill)
        yield region.vector()
    region = Region("stats-with-half-and-row-sums", build)
    both = (Flag.STATS, Flag.HALF, Flag.B_SIGNED, Flag.OUT_SIGNED, Flag.ROW_SUMS, Flag.STOCHASTIC)
    add_conv(region, both, seed_lo=8)
    yield region.vector()


def conv_flag_errors(build: Build) -> Iterator[Vector]:
    """What HALF and STATS do not go together with, and where a tally may not lie."""
    half, stats = (Flag.HALF, Flag.B_SIGNED), (Flag.STATS, Flag.B_SIGNED)
    many = {"images": 65535, "a_height": 5, "y_height": 5}
    cases: dict[str, tuple[Error, tuple[Flag, ...], dict[str, Any]]] = {
        "half-unsigned": (Error.UNSUPPORTED, (Flag.HALF,), {}),
        "half-wgrad": (Error.UNSUPPORTED, half, {"opcode": Opcode.WGRAD, "out_format": Format.INT16}),
        "half-sums": (Error.OVERFLOW, half, {"a_bits": 16, "b_bits": 1, "a_blocks": 229}),
        "stats-int32": (Error.UNSUPPORTED, stats, {"out_format": Format.INT32, "out_bits": 0, "shift": 0}),
        "stats-int64": (Error.UNSUPPORTED, stats, {"out_format": Format.INT64, "out_bits": 0, "shift": 0}),
        "stats-wgrad": (Error.UNSUPPORTED, stats, {"opcode": Opcode.WGRAD, "out_format": Format.INT16}),
        "stats-count": (Error.OVERFLOW, stats, many),
        "stats-alignment": (Error.ALIGNMENT, stats, {"tally_addr": 32}),
        "stats-range": (Error.RANGE, stats, {"tally_addr": 0xFFFF_FFC0}),
        "stats-on-a": (Error.OVERLAP, stats, {"tally_addr": 0}),
    }
    for name, (error, flags, changes) in cases.items():
        region = Region(f"conv-error-{name}", build)
        add_conv(region, flags, **changes)
        yield region.vector((error, 0))
    for name in ("out", "sums"):
        region = Region(f"conv-error-stats-on-{name}", build)
        command = add_conv(region, (*stats, Flag.ROW_SUMS))
        command.tally_addr = getattr(command, f"{name}_addr")
        yield region.vector((Error.OVERLAP, 0))
    region = Region("conv-tally-addr-without-stats", build)
    add_conv(region, (), tally_addr=0xFFFF_FFFF)
    yield region.vector()
