"""Vectors of JOIN and ERROR: units of each kind, one error and two, sums at their ends, γ and β that move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sim.contract import Block, BlockPlace, Build, Opcode, ScalarCommand, ScalarFlag, flag_bits
from sim.contract.noise import random_codes
from sim.reference.scalar import scalar
from sim.vectors.build import extreme_codes, greatest_codes, least_codes
from sim.vectors.step.norms import END, parameters, scalars, step_block
from sim.vectors.step.region import Fill, Region, Shape
from sim.vectors.step.scales import norm_block
from sim.vectors.step.tallies import Statistics, drawn_tally, made_tally, tally_of_codes
from sim.vectors.vector import Vector

SHAPE: Shape = (2, 20, 3, 4)


def add_join(
    region: Region,
    wide_bits: int = 12,
    flags: Sequence[ScalarFlag] = (),
    shape: Shape = SHAPE,
    places: dict[str, BlockPlace] | None = None,
    shift: int = 3,
) -> None:
    """A JOIN with blocks of its own, but those given."""
    n, c, h, w = shape
    blocks = dict(places or {})
    blocks["tally"] = blocks.get("tally") or drawn_tally(region, shape, 11).place
    blocks["in"] = blocks.get("in") or region.block(Block.TENSOR, step=scalar(3, -9), fraction=7)
    if ScalarFlag.POWER not in flags:
        blocks["units"] = blocks.get("units") or region.block(Block.UNITS, c, scalars(region, c))
    if ScalarFlag.STREAM in flags or ScalarFlag.BRANCH in flags:
        blocks["tally1"] = blocks.get("tally1") or drawn_tally(region, shape, 12).place
        blocks["in1"] = blocks.get("in1") or region.block(Block.TENSOR, step=scalar(5, -8), fraction=11)
    if ScalarFlag.BRANCH in flags:
        blocks["units1"] = blocks.get("units1") or region.block(Block.UNITS, c, scalars(region, c, -38))
    blocks["coefficients"], blocks["out"] = region.absent(Block.COEFFICIENTS, c), region.absent(Block.TENSOR)
    command = ScalarCommand(Opcode.JOIN, 0, wide_bits, shift, flag_bits(*flags), shift1=2, images=n, channels=c)
    command.height, command.width = h, w
    region.add_at(blocks, command)


def join_kinds(build: Build) -> Iterator[Vector]:
    """Each kind of first and second operand, widths from least to greatest."""
    kinds = {
        "channel": (),
        "channel-stream": (ScalarFlag.STREAM,),
        "channel-branch": (ScalarFlag.BRANCH,),
        "power": (ScalarFlag.POWER,),
        "power-stream": (ScalarFlag.POWER, ScalarFlag.STREAM),
        "power-branch": (ScalarFlag.POWER, ScalarFlag.BRANCH),
    }
    for name, flags in kinds.items():
        region = Region(f"join-{name}", build)
        for wide in (2, 12, 16):
            add_join(region, wide, flags)
        yield region.vector()


def join_degenerate(build: Build) -> Iterator[Vector]:
    """Errors that are all 0, either or both; units 0 and far apart; one channel; one pixel."""
    stream = (ScalarFlag.STREAM,)

    def silent(region: Region, shape: Shape = SHAPE) -> BlockPlace:
        channels = shape[1]
        return made_tally(region, shape, [0] * channels, [0] * channels, (0, 0)).place

    region = Region("join-both-0", build)
    add_join(region, 12, stream, places={"tally": silent(region), "tally1": silent(region)})
    yield region.vector()
    region = Region("join-first-0", build)
    add_join(region, 12, stream, places={"tally": silent(region)})
    yield region.vector()
    region = Region("join-second-0", build)
    for fraction in (0, 11, 200, -200):
        in1 = region.block(Block.TENSOR, fraction=fraction)
        add_join(region, 12, stream, places={"tally1": silent(region), "in1": in1})
    yield region.vector()
    region = Region("join-fractions", build)
    for fraction in (-(1 << 31), -70, 70, (1 << 31) - 1):
        in0 = region.block(Block.TENSOR, fraction=fraction)
        add_join(region, 12, (ScalarFlag.POWER, ScalarFlag.STREAM), places={"in": in0})
    yield region.vector()
    region = Region("join-negative", build)
    for flags in ((), stream):
        add_join(region, 12, flags, places={"in": region.block(Block.TENSOR, step=scalar(-3, 9))})
    yield region.vector()
    region = Region("join-units-beyond-limits", build)  # of a channel without an error: A and C are cut
    units = [scalar(1, -9)] * 10 + [scalar(1, 40), scalar(-1, 40)] * 5
    ends = {"least": 0, "most": [700] * 10 + [0] * 10}
    names = {"units": region.block(Block.UNITS, 20, units), "units1": region.block(Block.UNITS, 20, units)}
    for name in ("tally", "tally1"):
        names[name] = region.block(Block.TALLY, 20, ends, count=24)
    add_join(region, 12, (ScalarFlag.BRANCH,), places=names)
    yield region.vector()
    region = Region("join-units-0", build)
    add_join(region, 12, stream, places={"units": region.block(Block.UNITS, 20, (0, 0))})
    yield region.vector()
    for shape in ((1, 1, 1, 1), (3, 40, 1, 2)):
        region = Region("join-shape-" + "x".join(map(str, shape)), build)
        add_join(region, 12, (ScalarFlag.BRANCH,), shape, shift=47)
        yield region.vector()


def error_tallies(
    region: Region, shape: Shape = SHAPE, bits: tuple[int, int] = (12, 14), fill: Fill = random_codes
) -> tuple[Statistics, Statistics]:
    """Of an error and of y: Σ e and Σ e·y, Σ y and Σ y²."""
    e, y = (fill(shape, width, True, region.seed) for width in bits)
    return tally_of_codes(region, e, y), tally_of_codes(region, y)


def add_error(
    region: Region,
    bits: int = 8,
    power: bool = False,
    tallies: tuple[Statistics, Statistics] | None = None,
    places: dict[str, BlockPlace] | None = None,
    **change: Any,
) -> None:
    """An ERROR with blocks of its own, but those given; `change` goes to the parameters."""
    of_e, of_y = tallies or error_tallies(region)
    channels = of_e.shape[1]
    blocks = {"tally": of_e.place, "tally1": of_y.place, **(places or {})}
    blocks["in"] = blocks.get("in") or region.block(Block.TENSOR, step=scalar(3, -9), fraction=20)
    if not power:
        blocks["units"] = blocks.get("units") or region.block(Block.UNITS, channels, scalars(region, channels))
    blocks["norm"] = blocks.get("norm") or norm_block(region, channels)
    blocks["parameters"] = blocks.get("parameters") or parameters(region, channels, **change)
    blocks["step"] = blocks.get("step") or step_block(region)
    blocks["coefficients"] = region.absent(Block.COEFFICIENTS, channels)
    blocks["out"] = region.absent(Block.TENSOR)
    flags = flag_bits(ScalarFlag.POWER) if power else 0
    command = ScalarCommand(Opcode.ERROR, bits, shift=1, flags=flags, **of_e.fields)
    region.add_at(blocks, command)


def error_kinds(build: Build) -> Iterator[Vector]:
    """Widths of error codes, units of both kinds, shapes."""
    for power in (False, True):
        region = Region(f"back-{'power' if power else 'channel'}", build)
        for bits in (2, 6, 8, 16):
            add_error(region, bits, power)
        yield region.vector()
    for shape in ((1, 1, 1, 1), (1, 16, 1, 1), (3, 33, 2, 5)):
        region = Region("back-shape-" + "x".join(map(str, shape)), build)
        add_error(region, tallies=error_tallies(region, shape))
        yield region.vector()


def error_degenerate(build: Build) -> Iterator[Vector]:
    """No error, constant y, γ 0 and negative, ends of all codes, N at its bound, wild blocks."""
    for name, fill in {"least": least_codes, "greatest": greatest_codes, "extreme": extreme_codes}.items():
        region = Region(f"back-{name}", build)
        add_error(region, tallies=error_tallies(region, bits=(16, 16), fill=fill))
        yield region.vector()
    silent = made_tally(region := Region("back-no-error", build), SHAPE, [0] * 20, [0] * 20, (0, 0))
    add_error(region, tallies=(silent, error_tallies(region)[1]))
    yield region.vector()
    region = Region("back-constant-y", build)
    e, y = random_codes(SHAPE, 12, True, region.seed), np.full(SHAPE, -77, dtype=np.int64)
    add_error(region, tallies=(tally_of_codes(region, e, y), tally_of_codes(region, y)))
    yield region.vector()
    region = Region("back-count-bound", build)
    shape, top, count = (256, 16, 64, 64), 1 << 15, 1 << 20
    of_e = made_tally(region, shape, [count * -top] * 8 + [0] * 8, [count * top * top] * 16, (-top, top - 1))
    of_y = made_tally(region, shape, [count * -top] * 8 + [0] * 8, [count * top * top] * 16, (-top, top - 1))
    add_error(region, tallies=(of_e, of_y))
    yield region.vector()
    region = Region("back-beyond-limits", build)  # a channel without an error, of a great unit; means far away
    records = {"sum": 900, "second": 5000, "least": 0, "most": [700] * 10 + [0] * 10}
    quiet = Statistics(region.block(Block.TALLY, 20, records, count=24), SHAPE)
    of_units = region.block(Block.UNITS, 20, [scalar(1, -9)] * 10 + [scalar(1, 40), scalar(-1, 40)] * 5)
    norm = norm_block(region, 20, mean=[scalar(1, 60), scalar(-1, 60)] * 10)
    add_error(region, tallies=(quiet, error_tallies(region)[1]), places={"units": of_units, "norm": norm})
    yield region.vector()
    region = Region("back-wild-norm", build)
    wild: dict[str, Any] = {"rho": (-1, 40000), "unit": (5, -(1 << 31)), "mean": (-(1 << 31), 3)}
    add_error(region, places={"norm": norm_block(region, 20, **wild)})
    yield region.vector()


def error_parameters(build: Build) -> Iterator[Vector]:
    """γ and β that saturate, rates and decays at their ends, velocities that do."""
    cases: dict[str, dict[str, Any]] = {
        "gamma-0": {"gamma": 0},
        "gamma-negative": {"gamma": -(1 << 24)},
        "at-the-ends": {"gamma": END, "beta": -END - 1, "gamma_velocity": END, "beta_velocity": -END - 1},
    }
    rates: dict[str, dict[str, Any]] = {
        "": {},
        "-greatest-rates": dict.fromkeys(("momentum", "parameter_decay", "parameter_rate"), 0xFFFFFFFF),
        "-no-rates": dict.fromkeys(("momentum", "parameter_decay", "parameter_rate"), 0),
    }
    for name, change in cases.items():
        for suffix, rate in rates.items():
            region = Region(f"back-{name}{suffix}", build)
            add_error(region, places={"step": step_block(region, **rate)}, **change)
            yield region.vector()
