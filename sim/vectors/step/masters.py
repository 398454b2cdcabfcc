"""Vectors of UPDATE and WEIGHTS: gradients of both formats, groups, ends of every range, every width of codes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from sim.contract import (
    WORD_TYPES,
    Block,
    BlockPlace,
    Build,
    Format,
    Opcode,
    Tensor,
    WeightCommand,
    WeightFlag,
    blocks_of,
    flag_bits,
)
from sim.contract.operands import bundle_channels
from sim.reference.scalar import Scalar, scalar
from sim.vectors.step.norms import END, step_block
from sim.vectors.step.region import Region, integers
from sim.vectors.vector import Vector

Numbers = npt.NDArray[np.int64]


def spread(region: Region, low: int, high: int, shape: tuple[int, ...]) -> Numbers:
    return np.array(integers(low, high, int(np.prod(shape)), region.seed), dtype=np.int64).reshape(shape)


def grouped(channels: tuple[int, int], groups: tuple[int, int]) -> Numbers:
    """1 where both channels are of one group, shape (in, out, 1, 1)."""
    if not groups[0]:
        return np.ones((*channels, 1, 1), dtype=np.int64)
    ins, outs = (np.arange(count) // size for count, size in zip(channels, groups, strict=True))
    return (ins[:, None] == outs[None, :]).astype(np.int64)[:, :, None, None]


def bundle_sides(channels: tuple[int, int], groups: tuple[int, int]) -> tuple[int, int]:
    """Input and output channels of a bundle, with their padding."""
    command = WeightCommand(in_channels=channels[0], out_channels=channels[1], group_in=groups[0], group_out=groups[1])
    ins, outs = bundle_channels(command)
    return 16 * blocks_of(ins), 16 * blocks_of(outs)


def add_update(
    region: Region,
    channels: tuple[int, int] = (16, 16),
    kernel: tuple[int, int] = (3, 3),
    groups: tuple[int, int] = (0, 0),
    acc: tuple[int, int] = (-(1 << 20), 1 << 20),
    acc_format: Format = Format.INT32,
    steps: tuple[Scalar, Scalar] = (scalar(3, -9), scalar(5, -12)),
    w: tuple[int, int] = (-(1 << 26), 1 << 26),
    v: tuple[int, int] = (-(1 << 22), 1 << 22),
    everywhere: bool = False,
    **rates: Any,
) -> None:
    """An UPDATE whose numbers are drawn from ranges, ends included; `everywhere`: also where no weight is."""
    live: Numbers | int = 1 if everywhere else grouped(channels, groups)
    sides = (16 * blocks_of(channels[0]), bundle_sides(channels, groups)[1]) if everywhere else channels
    dtype = WORD_TYPES[acc_format]
    tensors = {
        "acc": region.words(sides, kernel, lambda shape: spread(region, *acc, shape), dtype),
        "w": region.words(sides, kernel, lambda shape: spread(region, *w, shape) * live),
        "v": region.words(sides, kernel, lambda shape: spread(region, *v, shape) * live),
    }
    blocks = {
        "x": region.block(Block.TENSOR, step=steps[0]),
        "e": region.block(Block.TENSOR, step=steps[1]),
        "step": step_block(region, **rates),
        "max_out": region.absent(Block.MAXIMA, channels[1]),
        "max_in": region.absent(Block.MAXIMA, channels[0]),
    }
    command = WeightCommand(Opcode.UPDATE, acc_format=acc_format, in_channels=channels[0], out_channels=channels[1])
    _finish(region, command, kernel, groups, {**tensors, **blocks})


def _finish(
    region: Region,
    command: WeightCommand,
    kernel: tuple[int, int],
    groups: tuple[int, int],
    places: dict[str, Tensor | BlockPlace],
) -> None:
    command.kernel_h, command.kernel_w = kernel
    command.group_in, command.group_out = groups
    region.add_at(places, command)


def update_shapes(build: Build) -> Iterator[Vector]:
    """Channels that fill no block, kernels, groups, both formats of gradients."""
    cases: dict[str, dict[str, Any]] = {
        "16": {},
        "int64": {"acc_format": Format.INT64},
        "1-channel": {"channels": (1, 1), "kernel": (1, 1)},
        "17-to-33": {"channels": (17, 33), "kernel": (1, 2)},
        "kernel-15": {"channels": (1, 2), "kernel": (15, 1)},
        "depthwise": {"channels": (13, 13), "groups": (1, 1)},
        "groups": {"channels": (12, 20), "groups": (3, 5), "kernel": (2, 2)},
    }
    for name, case in cases.items():
        region = Region(f"update-{name}", build)
        add_update(region, **case)
        yield region.vector()


def update_ends(build: Build) -> Iterator[Vector]:
    """Numbers at their ends, rates at theirs, steps from nothing to beyond what a velocity holds."""
    all_32, all_48, all_64 = (-END - 1, END), (-(1 << 47), (1 << 47) - 1), (-(1 << 63), (1 << 63) - 1)
    most = dict.fromkeys(("momentum", "weight_decay", "weight_rate"), 0xFFFFFFFF)
    cases: dict[str, dict[str, Any]] = {
        "ends": {"acc": all_32, "w": all_32, "v": all_32},
        "ends-greatest-rates": {"acc": all_32, "w": all_32, "v": all_32, **most},
        "ends-no-rates": {"acc": all_32, "w": all_32, "v": all_32, **dict.fromkeys(most, 0)},
        "acc-of-48-bits": {"acc": all_48, "acc_format": Format.INT64},
        "acc-beyond-48-bits": {"acc": all_64, "acc_format": Format.INT64},
        "step-0": {"steps": (scalar(0), scalar(1))},
        "step-great": {"steps": (scalar(1), scalar(1)), "acc": (-3, 3)},
        "step-greatest": {"steps": (scalar(1, 16000), scalar(1, 300)), "acc": (-3, 3)},
        "step-least": {"steps": (scalar(1, -16000), scalar(1, -300)), "acc": all_48, "acc_format": Format.INT64},
        "step-72": {"steps": (scalar(1, -48), scalar(1, -24)), "acc": all_48, "acc_format": Format.INT64},
        "step-negative": {"steps": (scalar(-3, -9), scalar(5, -12))},
        "step-negative-odd": {"steps": (scalar(-0x49C5_1A7B, -42), scalar(5, -14)), "acc": all_32},
        "step-not-normalised": {"steps": (Scalar(3, -9), Scalar(-5, -12))},
        "ties": {"steps": (scalar(1, -12), scalar(1, -13)), "acc": (-40, 40), "v": (0, 0), "w": (0, 0)},
    }
    for name, case in cases.items():
        region = Region(f"update-{name}", build)
        add_update(region, (3, 5), (2, 1), **case)
        yield region.vector()


def add_weights(
    region: Region,
    bits: int = 5,
    half: bool = True,
    both: bool = True,
    channels: tuple[int, int] = (16, 16),
    kernel: tuple[int, int] = (3, 3),
    groups: tuple[int, int] = (0, 0),
    w: tuple[int, int] = (-(1 << 26), 1 << 26),
    maxima: int | None = None,
    everywhere: bool = False,
) -> None:
    """A WEIGHTS of drawn weights; `maxima` in place of the true ones; `everywhere`: drawn, also where no weight is."""
    flags = [WeightFlag.HALF] * half + [WeightFlag.BOTH] * both
    ins, outs = (16 * blocks_of(count) for count in channels)
    bundle_in, bundle_out = bundle_sides(channels, groups)
    sides = (ins, bundle_out) if everywhere else channels
    values = spread(region, *w, (*sides, *kernel)) * (1 if everywhere else grouped(channels, groups))
    places: dict[str, Tensor | BlockPlace] = {"w": region.words(sides, kernel, lambda _: values)}
    for name, axes, count in (("max_out", (0, 2, 3), channels[1]), ("max_in", (1, 2, 3), channels[0])):
        if name == "max_out" or both:
            if everywhere:
                most = integers(w[1] // 2, w[1], 16 * blocks_of(count), region.seed)
            else:
                true = np.minimum(np.abs(values).max(axes), END)
                most = list(true) if maxima is None else [maxima] * count
            places[name] = region.block(Block.MAXIMA, len(most), most)
    places["codes"], places["units"] = region.empty((outs, bundle_in, *kernel), bits), region.absent(Block.UNITS, outs)
    if both:
        places["codes_in"] = region.empty((ins, bundle_out, *kernel), bits)
        places["units_in"] = region.absent(Block.UNITS, ins)
    command = WeightCommand(Opcode.WEIGHTS, bits, 0, flag_bits(*flags), 0, *channels)
    _finish(region, command, kernel, groups, places)


def weights_widths(build: Build) -> Iterator[Vector]:
    """Every width, with the half grid and without."""
    for half in (True, False):
        region = Region(f"weights-widths-{'half' if half else 'symmetric'}", build)
        for bits in range(1 if half else 2, 17):
            add_weights(region, bits, half, channels=(3, 2), kernel=(1, 2))
        yield region.vector()


def weights_shapes(build: Build) -> Iterator[Vector]:
    """Kernels that flip, channels that fill no block, one pass only, groups."""
    cases: dict[str, dict[str, Any]] = {
        "3x3": {},
        "one-pass": {"both": False},
        "1-channel": {"channels": (1, 1), "kernel": (1, 1)},
        "17-to-33": {"channels": (17, 33), "kernel": (2, 1), "bits": 3},
        "kernel-15": {"channels": (1, 1), "kernel": (1, 15), "bits": 2},
        "depthwise": {"channels": (14, 14), "groups": (1, 1), "half": False},
        "groups": {"channels": (12, 20), "groups": (3, 5), "half": False, "kernel": (1, 1)},
    }
    for name, case in cases.items():
        region = Region(f"weights-{name}", build)
        add_weights(region, **case)
        yield region.vector()


def weights_ends(build: Build) -> Iterator[Vector]:
    """Weights at their ends, all 0, all of one size, maxima that are not theirs."""
    cases: dict[str, dict[str, Any]] = {
        "ends": {"w": (-END - 1, END)},
        "zero": {"w": (0, 0)},
        "ones": {"w": (-1, 1)},
        "equal": {"w": (77, 77)},
        "negative": {"w": (-78, -77)},
        "maxima-too-small": {"maxima": 1 << 20},
        "maxima-too-great": {"maxima": END},
        "maxima-0": {"maxima": 0},
        "maxima-negative": {"maxima": -END - 1},
    }
    for name, case in cases.items():
        region = Region(f"weights-{name}", build)
        for bits, half in ((3, True), (3, False), (16, True), (16, False)):
            add_weights(region, bits, half, channels=(3, 5), kernel=(2, 1), **case)
        yield region.vector()
    region = Region("weights-ties", build)
    for bits in (2, 3, 4):
        add_weights(region, bits, False, channels=(9, 5), kernel=(1, 1), w=(-8, 8), maxima=8)
    yield region.vector()
    region = Region("weights-shifts-at-their-limits", build)
    for bits, half, most in ((1, True, END), (2, False, END), (16, True, 1)):
        add_weights(region, bits, half, channels=(3, 5), kernel=(1, 1), w=(-END - 1, END), maxima=most)
    yield region.vector()
