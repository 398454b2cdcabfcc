"""Vectors of SCALE: ranges with and without a ReLU, residual outputs with each kind of second operand, history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sim.contract import Block, BlockPlace, Build, Opcode, ScalarCommand, ScalarFlag, flag_bits
from sim.reference.scalar import Scalar, add, mul, scalar
from sim.vectors.step.norms import scalars
from sim.vectors.step.region import Region, integers
from sim.vectors.step.tallies import Statistics, made_tally
from sim.vectors.vector import Vector

CHANNELS = 20
# Mantissas of bounds where the fraction of a residual output is decided: the last below 2^31 / (1 + 2^-20), and on.
NEXT_TO_A_POWER = ((1 << 30), *((1 << 31) - less for less in (2048, 2047, 2046, 1536, 1)))
SHAPE = (2, CHANNELS, 3, 3)


def norm_block(region: Region, channels: int = CHANNELS, exponent: int = -36, **change: Any) -> BlockPlace:
    """A normalisation of y within ±2000: gains and offsets of both signs, ends to match; `change` overrides."""
    count = 2 * channels
    signs = [1 - 2 * (number & 1) for number in integers(0, 1, count, region.seed)]
    sizes = scalars(region, count, exponent)
    signed = [Scalar(sign * size.m, size.e) for sign, size in zip(signs, sizes, strict=True)]
    gains, offsets = signed[:channels], [mul(each, scalar(900)) for each in signed[channels:]]
    reach = [mul(abs(gain), scalar(2000)) for gain in gains]
    records: dict[str, Any] = {
        "mean": scalars(region, channels, -29),
        "rho": scalars(region, channels),
        "unit": scalars(region, channels),
        "gain": gains,
        "offset": offsets,
        "top": [add(offset, size) for offset, size in zip(offsets, reach, strict=True)],
        "bottom": [add(offset, -size) for offset, size in zip(offsets, reach, strict=True)],
        **change,
    }
    return region.block(Block.NORM, channels, records)


def add_scale(
    region: Region,
    bits: int = 5,
    wide_bits: int = 0,
    flags: Sequence[ScalarFlag] = (ScalarFlag.RELU,),
    shape: tuple[int, int, int, int] = SHAPE,
    places: dict[str, BlockPlace] | None = None,
    **change: Any,
) -> dict[str, BlockPlace]:
    """A SCALE with blocks of its own, but those given; `change` goes to its NORM block. With NODE, no history."""
    n, c, h, w = shape
    blocks = dict(places or {})
    if "norm" not in blocks:
        blocks["norm"] = norm_block(region, c, **change)
    if ScalarFlag.BRANCH in flags and "norm1" not in blocks:
        blocks["norm1"] = norm_block(region, c)
    if ScalarFlag.STREAM in flags and "tally1" not in blocks:
        blocks["tally1"] = stream_tally(region, shape).place
    if ScalarFlag.STREAM in flags and "in1" not in blocks:
        blocks["in1"] = region.block(Block.TENSOR, fraction=9)
    if ScalarFlag.NODE in flags and "tally" not in blocks:
        blocks["tally"] = region.absent(Block.TALLY, c)
    blocks["out"] = blocks.get("out") or region.absent(Block.TENSOR)
    blocks["coefficients"] = region.absent(Block.COEFFICIENTS, c)
    command = ScalarCommand(Opcode.SCALE, bits, wide_bits, flags=flag_bits(*flags), images=n, channels=c)
    command.height, command.width = h, w
    region.add_at(blocks, command)
    return blocks


def stream_tally(
    region: Region, shape: tuple[int, int, int, int] = SHAPE, ends: tuple[int, int] = (0, 3000)
) -> Statistics:
    channels = shape[1]
    sums, seconds = (integers(-100, 100, channels, region.seed) for _ in range(2))
    return made_tally(region, shape, sums, seconds, ends)


def scale_codes(build: Build) -> Iterator[Vector]:
    """Every width of codes, with a ReLU and without."""
    for relu in (True, False):
        region = Region(f"scale-widths-{'relu' if relu else 'signed'}", build)
        for bits in range(1 if relu else 2, 17):
            add_scale(region, bits, flags=(ScalarFlag.RELU,) * relu)
        yield region.vector()
    for channels in (1, 16, 33):
        region = Region(f"scale-channels-{channels}", build)
        add_scale(region, shape=(1, channels, 2, 2))
        yield region.vector()


def scale_degenerate(build: Build) -> Iterator[Vector]:
    """Dead channels, all of them or all but one; no gain; reach over the whole of the exponent."""
    zero, minus = (0, 0), scalar(-5, -2)
    cases: dict[str, dict[str, Any]] = {
        "all-dead": {"top": minus, "bottom": mul(minus, scalar(3))},
        "all-but-one-dead": {"top": [minus] * (CHANNELS - 1) + [scalar(1, -30)], "bottom": minus},
        "all-zero": {"gain": zero, "offset": zero, "top": zero, "bottom": zero},
        "gain-0": {"gain": zero, "top": scalar(3), "bottom": scalar(3), "offset": scalar(3)},
        "great": {"top": scalar(1, 16384), "gain": scalar(1, 16354)},
        "small": {"top": scalar(1, -16354), "bottom": zero, "gain": scalar(1, -16354), "offset": scalar(1, -16354)},
        **{f"bound-{m:x}": {"top": Scalar(m, -31), "bottom": zero, "gain": scalar(1, -12)} for m in NEXT_TO_A_POWER},
        "far-offset": {"top": scalar(1, -20), "bottom": scalar(-1, 40), "offset": scalar(-1, 40)},
        "wild": {"top": (1, 1), "bottom": (-3, 40000), "gain": (-1, -40000), "offset": (-(1 << 31), -(1 << 31))},
    }
    for name, change in cases.items():
        region = Region(f"scale-{name}", build)
        for flags in ((ScalarFlag.RELU,), (), (ScalarFlag.RELU, ScalarFlag.NODE), (ScalarFlag.NODE,)):
            add_scale(region, wide_bits=11 * (ScalarFlag.NODE in flags), flags=flags, **change)
        yield region.vector()


def scale_nodes(build: Build) -> Iterator[Vector]:
    """Residual outputs: alone, with a stream, with a branch; every width; the first iteration has no history."""
    seconds = {"alone": (), "stream": (ScalarFlag.STREAM,), "branch": (ScalarFlag.BRANCH,)}
    for name, second in seconds.items():
        for relu in (True, False):
            region = Region(f"scale-node-{name}-{'relu' if relu else 'signed'}", build)
            flags = (ScalarFlag.NODE, *second, *((ScalarFlag.RELU,) * relu))
            for bits, wide in ((2, 2), (3, 9), (8, 14), (16, 16)):
                add_scale(region, bits, wide, flags)
            add_scale(region, 4, 16, flags, exponent=-60)  # gains so small that the shift is at its limit
            yield region.vector()
    region = Region("scale-gains-beyond-limits", build)  # of a channel that reaches nowhere: A and C are cut
    great, little = [scalar(1, 40), scalar(-1, 40)] * (CHANNELS // 2), scalar(1, -10)
    change: dict[str, Any] = {"gain": great, "top": little, "bottom": (0, 0)}
    for offset, other in ((great, great), (scalar(1, 16400), scalar(-1, 16402))):
        places = {"norm1": norm_block(region, **change, offset=other)}
        flags = (ScalarFlag.NODE, ScalarFlag.BRANCH)
        add_scale(region, 5, 11, flags, places=places, **change, offset=offset)
    yield region.vector()


def scale_streams(build: Build) -> Iterator[Vector]:
    """Streams of any unit: of the same size as y, far greater, far smaller, all 0, where limits cut the shift."""
    flags = (ScalarFlag.NODE, ScalarFlag.STREAM, ScalarFlag.RELU)
    for fraction in (-(1 << 31), -16384, -60, 0, 9, 40, 16384, (1 << 31) - 1):
        region = Region(f"scale-stream-{'minus-' * (fraction < 0)}{abs(fraction)}", build)
        for ends in ((0, 65535), (-32768, 5), (0, 0)):
            tally = stream_tally(region, ends=ends).place
            places = {"tally1": tally, "in1": region.block(Block.TENSOR, fraction=fraction)}
            add_scale(region, 5, 11, flags, places=places)
        yield region.vector()


def scale_history(build: Build) -> Iterator[Vector]:
    """The ratio of the last iteration: below 1, above it, 0, a bound of 0; half a history is none; and two in turn."""
    flags = (ScalarFlag.NODE, ScalarFlag.RELU)
    tensor: dict[str, Any] = {"bound": scalar(9), "fraction": 8, "ratio": scalar(1), "step": scalar(1)}
    for name, most, change in (
        ("below", 2000, {}),
        ("above", 30000, {}),
        ("zero", 0, {}),
        ("bound-0", 2000, {"bound": (0, 0)}),
        ("far", 1, {"fraction": 1 << 30}),
        ("little", 1, {"bound": scalar(1, 60)}),
        ("not-normalised", 2000, {"bound": (9, 0)}),
    ):
        region = Region(f"scale-history-{name}", build)
        out = region.block(Block.TENSOR, **{**tensor, **change})
        add_scale(region, 4, 10, flags, places={"tally": stream_tally(region, ends=(0, most)).place, "out": out})
        yield region.vector()
    for name, has in (("tally-only", "tally"), ("tensor-only", "out"), ("other-channels", "other")):
        region = Region(f"scale-history-{name}", build)
        places = {"out": region.absent(Block.TENSOR) if has == "tally" else region.block(Block.TENSOR, **tensor)}
        if has != "out":
            shape = (2, CHANNELS + 20 * (has == "other"), 3, 3)
            places["tally"] = stream_tally(region, shape).place
        add_scale(region, 4, 10, flags, places=places)
        yield region.vector()
    for name, shape in {"other-count": (1, CHANNELS, 2, 2), "padding": (2, 32, 3, 3)}.items():
        region = Region(f"scale-history-{name}", build)
        tally = stream_tally(region, shape, (0, 1500))
        places = {"tally": tally.place, "out": region.block(Block.TENSOR, **tensor)}
        if name == "padding":  # the greatest of all is in a channel that is none
            places["tally"] = region.block(Block.TALLY, 32, {"most": [100] * 31 + [1500]}, count=18)
        add_scale(region, 4, 10, flags, places=places)
        yield region.vector()
    region = Region("scale-history-tensor-of-channels", build)
    places = {"tally": stream_tally(region).place, "out": region.block(Block.TENSOR, channels=32, **tensor)}
    add_scale(region, 4, 10, flags, places=places)
    yield region.vector()
    region = Region("scale-history-twice", build)
    blocks = add_scale(region, 4, 10, flags, places={"tally": stream_tally(region, ends=(0, 700)).place})
    add_scale(region, 6, 12, flags, places={name: blocks[name] for name in ("norm", "tally", "out")})
    yield region.vector()
