"""Vectors of NORM: statistics of every kind, N at both ends, γ of every sign, running statistics, evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sim.contract import Block, BlockPlace, Build, Opcode, ScalarCommand, ScalarFlag, flag_bits
from sim.contract.noise import random_codes
from sim.reference.scalar import Scalar, scalar
from sim.vectors.build import extreme_codes, greatest_codes, least_codes
from sim.vectors.step.region import Region, integers
from sim.vectors.step.tallies import Statistics, drawn_tally, made_tally, tally_of_codes
from sim.vectors.vector import Vector

KEEP = scalar(0xCCCCCCC, -31)  # 0.1
END = (1 << 31) - 1


def scalars(region: Region, count: int, exponent: int = -40) -> list[Scalar]:
    """Positive, within a factor of four."""
    return [scalar(number, exponent) for number in integers(1 << 30, (1 << 32) - 1, count, region.seed)]


def parameters(region: Region, channels: int, **change: Any) -> BlockPlace:
    """γ of every sign and 0, β, velocities, running statistics; `change` overrides members."""
    one = 1 << 24
    gammas = integers(-2 * one, 2 * one, channels, region.seed)
    gammas[2:3] = [0] * (channels > 2)
    records: dict[str, Any] = {
        "gamma": gammas,
        "beta": integers(-one, one, channels, region.seed),
        "gamma_velocity": integers(-one, one, channels, region.seed),
        "beta_velocity": integers(-one, one, channels, region.seed),
        "mean": scalars(region, channels, -34),
        "variance": scalars(region, channels, -32),
        **change,
    }
    return region.block(Block.PARAMETERS, channels, records)


def step_block(region: Region, **change: Any) -> BlockPlace:
    """Momentum 0.9, decay 1e-4, rate 0.1 in the units of each."""
    usual: dict[str, Any] = {
        "seed": 77,
        "momentum": 15099494,
        "weight_decay": 210,
        "weight_rate": 13421773,
        "parameter_decay": 1678,
        "parameter_rate": 1677722,
        "keep": KEEP,
        **change,
    }
    return region.block(Block.STEP, **usual)


def add_norm(
    region: Region,
    statistics: Statistics,
    evaluate: bool = False,
    shift: int = 2,
    places: dict[str, BlockPlace] | None = None,
    **change: Any,
) -> dict[str, BlockPlace]:
    """A NORM with blocks of its own, but those given; all its blocks. `change` goes to the parameters."""
    channels = statistics.shape[1]
    blocks = {"tally": statistics.place, **(places or {})}
    blocks.setdefault("units", region.block(Block.UNITS, channels, scalars(region, channels)))
    blocks.setdefault("in", region.block(Block.TENSOR, step=scalar(3, -7)))
    blocks.setdefault("parameters", parameters(region, channels, **change))
    blocks.setdefault("norm", region.absent(Block.NORM, channels))
    if not evaluate:
        blocks.setdefault("step", step_block(region))
    flags = flag_bits(ScalarFlag.EVALUATE) if evaluate else 0
    command = ScalarCommand(Opcode.NORM, shift=shift, flags=flags, **statistics.fields)
    region.add_at(blocks, command)
    return blocks


def norm_statistics(build: Build) -> Iterator[Vector]:
    """Widths of y, constant channels, dead ones, one pixel, one channel, padding channels, ends of the codes."""
    for bits in (2, 7, 12, 16):
        region = Region(f"norm-width-{bits}", build)
        add_norm(region, drawn_tally(region, bits=bits))
        yield region.vector()
    for channels in (1, 5, 17, 33):
        region = Region(f"norm-channels-{channels}", build)
        add_norm(region, drawn_tally(region, (1, channels, 3, 5)))
        yield region.vector()
    fills = {"least": least_codes, "greatest": greatest_codes, "extreme": extreme_codes}
    for name, fill in fills.items():
        region = Region(f"norm-{name}", build)
        add_norm(region, drawn_tally(region, bits=16, fill=fill))
        add_norm(region, drawn_tally(region, bits=16, signed=False, fill=fill))
        yield region.vector()
    region = Region("norm-constant-channels", build)
    values = np.broadcast_to(np.arange(-8, 8)[None, :, None, None], (2, 16, 3, 3)).astype(np.int64)
    add_norm(region, tally_of_codes(region, values), gamma=1 << 24)
    yield region.vector()
    region = Region("norm-one-pixel", build)
    add_norm(region, drawn_tally(region, (1, 16, 1, 1), 9))
    yield region.vector()
    region = Region("norm-two-pixels", build)
    add_norm(region, drawn_tally(region, (2, 16, 1, 1), 9))
    yield region.vector()


def norm_count_bound(build: Build) -> Iterator[Vector]:
    """N = 2^20: y at both ends half the time, always the same, or off by one once; and one pixel less than that."""
    for name, (n, c, h, w) in {"count-bound": (256, 16, 64, 64), "count-odd": (65535, 16, 4, 4)}.items():
        count, top = n * h * w, 1 << 15
        halves = [count // 2 * -top + (count - count // 2) * (top - 1), count * -top, count * (top - 1), count - 1]
        squares = [count // 2 * top**2 + (count - count // 2) * (top - 1) ** 2, count * top**2]
        squares += [count * (top - 1) ** 2, count - 1]
        region = Region(f"norm-{name}", build)
        add_norm(region, made_tally(region, (n, c, h, w), halves * 4, squares * 4, (-top, top - 1)))
        yield region.vector()


def norm_parameters(build: Build) -> Iterator[Vector]:
    """γ and β at their ends, no running statistics yet, all of the way at once, none of it."""
    cases: dict[str, dict[str, Any]] = {
        "gamma-0": {"gamma": 0},
        "gamma-negative": {"gamma": -(1 << 24)},
        "gamma-least": {"gamma": -END - 1, "beta": END},
        "gamma-greatest": {"gamma": END, "beta": -END - 1},
        "without-history": {"mean": (0, 0), "variance": (0, 0)},
        "history-at-its-ends": {"mean": (-END, 16384), "variance": (END, -16384)},
    }
    for name, change in cases.items():
        region = Region(f"norm-{name}", build)
        add_norm(region, drawn_tally(region), **change)
        yield region.vector()
    for name, keep in {"0": (0, 0), "1": scalar(1), "negative": scalar(-5, -3)}.items():
        region = Region(f"norm-keep-{name}", build)
        statistics = drawn_tally(region)
        add_norm(region, statistics, places={"step": step_block(region, keep=keep)})
        yield region.vector()
    region = Region("norm-keep-little", build)  # R − R·2^−30, 2^−31, 2^−32: where a sum no longer sees its lesser part
    for exponent in range(-33, -28):
        silent = made_tally(region, (1, 16, 2, 2), [0] * 16, [4] * 16, (-1, 1))
        add_norm(region, silent, places={"step": step_block(region, keep=scalar(1, exponent))})
    yield region.vector()
    region = Region("norm-headers-not-normalised", build)
    for step, exponent in (((-3, 7), -40), ((3, 40000), -16300)):
        places = {"step": step_block(region, keep=(3, -5)), "in": region.block(Block.TENSOR, step=step)}
        places["units"] = region.block(Block.UNITS, 16, scalars(region, 16, exponent))
        add_norm(region, drawn_tally(region), places=places)
    yield region.vector()


def norm_units(build: Build) -> Iterator[Vector]:
    """Units at the ends of the exponent, 0, negative, and whatever a host may have written as a scalar."""
    wild = [(1, 0), (-1, 5), (END, END), (-END - 1, -END - 1), (0, 7), (1 << 30, -16384), (3, 40000), (7, -40000)]
    cases: dict[str, Any] = {
        "great": [scalar(1, 16354)] * 16,
        "small": [scalar(1, -16350)] * 16,
        "zero": [(0, 0)] * 16,
        "negative": [scalar(-3, -9)] * 16,
        "wild": wild * 2,
    }
    for name, units in cases.items():
        region = Region(f"norm-units-{name}", build)
        for evaluate in (False, True):
            statistics = drawn_tally(region)
            add_norm(region, statistics, evaluate, places={"units": region.block(Block.UNITS, 16, units)}, shift=47)
        yield region.vector()
    region = Region("norm-wild-tally", build)
    sums, seconds = integers(-(1 << 63), (1 << 63) - 1, 16, region.seed), integers(-(1 << 63), 0, 16, region.seed)
    add_norm(region, made_tally(region, (65535, 16, 1, 16), sums, seconds, (-END - 1, END)))
    yield region.vector()
    region = Region("norm-tally-next-bits", build)  # the lowest that do not count, against the sign's
    sums, seconds = [1 << 37 | 5, (1 << 36) - (1 << 38)] * 8, [1 << 53 | 99] * 16
    add_norm(region, made_tally(region, (1, 16, 2, 2), sums, seconds, ((1 << 16) - (1 << 18), 1 << 17 | 3)))
    yield region.vector()


def norm_evaluation(build: Build) -> Iterator[Vector]:
    """Running statistics in place of the batch's; none, and a negative variance."""
    cases: dict[str, dict[str, Any]] = {
        "usual": {},
        "without-history": {"mean": (0, 0), "variance": (0, 0)},
        "negative-variance": {"variance": scalar(-1)},
        "not-normalised": {"mean": (3, -5), "variance": (5, 1)},
    }
    for name, change in cases.items():
        region = Region(f"norm-evaluate-{name}", build)
        add_norm(region, drawn_tally(region, (1, 20, 3, 3)), evaluate=True, **change)
        yield region.vector()


def norm_random(build: Build) -> Iterator[Vector]:
    """Parameters drawn from all 32 bits."""
    region = Region("norm-random", build)
    wide = random_codes((6, 32), 16, True, region.seed) << 16
    members = ("gamma", "beta", "gamma_velocity", "beta_velocity")
    change: dict[str, Any] = {name: list(wide[number]) for number, name in enumerate(members)}
    add_norm(region, drawn_tally(region, (3, 32, 5, 2)), **change)
    yield region.vector()
