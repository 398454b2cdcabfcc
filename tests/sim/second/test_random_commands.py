"""Random commands on both executors: widths, flags, shapes and coefficients drawn anywhere within their limits."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from sim.contract import Block, Format, ScalarFlag
from sim.reference.scalar import Scalar, scalar
from sim.vectors.step.backward import add_error, add_join, error_tallies
from sim.vectors.step.maps import add_map
from sim.vectors.step.masters import add_update, add_weights
from sim.vectors.step.norms import add_norm, step_block
from sim.vectors.step.region import Region
from sim.vectors.step.scales import add_scale, norm_block
from sim.vectors.step.tallies import drawn_tally
from tests.sim.second.executor import run_list
from tests.tools import TINY

BUNDLES = [((24, 24), (1, 1)), ((20, 40), (1, 2)), ((40, 20), (4, 2)), ((20, 40), (2, 4))]  # more than one


def shape(random: Random) -> tuple[int, int, int, int]:
    return random.choice([1, 1, 2, 3]), random.choice([1, 7, 16, 17, 33]), random.randint(1, 3), random.randint(1, 4)


def signed(random: Random, bits: int) -> int:
    """A number of any size up to `bits` bits."""
    return random.randint(-(1 << random.randint(0, bits - 1)), (1 << random.randint(0, bits - 1)) - 1)


def any_scalar(random: Random) -> Scalar:
    return scalar(signed(random, 32), random.choice([random.randint(-60, 10), random.randint(-16384, 16384), 0]))


def random_map(region: Region, random: Random) -> None:
    size = shape(random)
    channels = -(-size[1] // 16) * 16
    coefficients: dict[str, Any] = {
        "k": random.choice([0, 1, 12, 24, 30, random.randint(0, 30)]),
        "j": random.choice([0, -47, 47, random.randint(-47, 47)]),
        "multiplier": signed(random, 32),
        "scale_shift": random.randint(0, 47),
        "a": [signed(random, 32) for _ in range(channels)],
        "c": [signed(random, 32) for _ in range(channels)],
        "b": [signed(random, 64) for _ in range(channels)],
    }
    has_result = random.random() < 0.9
    is_signed = random.random() < 0.5
    add_map(
        region,
        (random.randint(1, 16), random.random() < 0.5),
        (random.randint(1, 16), random.random() < 0.5) if has_result and random.random() < 0.7 else None,
        random.randint(1, 16) if (tally := random.random() < 0.6 or not has_result) and random.random() < 0.7 else 0,
        random.randint(1 + is_signed, 16) if has_result else 0,
        random.randint(1 + is_signed, 16) if has_result and random.random() < 0.5 else 0,
        is_signed,
        random.choice(["", "x0", "out", "write"] if has_result else ["", "x0"]),
        tally,
        random.random() < 0.2,
        random.getrandbits(64) if has_result and random.random() < 0.4 else None,
        size,
        **(coefficients if has_result else {}),
    )


def random_norm(region: Region, random: Random) -> None:
    statistics = drawn_tally(region, shape(random), random.randint(2, 16), random.random() < 0.8)
    channels = statistics.shape[1]
    change: dict[str, Any] = {}
    if random.random() < 0.5:
        change = {name: [signed(random, 32) for _ in range(channels)] for name in ("gamma", "beta")}
        change |= {name: [any_scalar(random) for _ in range(channels)] for name in ("mean", "variance")}
    places = {"step": step_block(region, keep=any_scalar(random))} if random.random() < 0.3 else {}
    evaluate = random.random() < 0.3
    add_norm(region, statistics, evaluate, random.randint(0, 47), {} if evaluate else places, **change)


def random_scale(region: Region, random: Random) -> None:
    flags = [flag for flag in (ScalarFlag.RELU, ScalarFlag.NODE) if random.random() < 0.6]
    if ScalarFlag.NODE in flags:
        flags += random.choice([[], [ScalarFlag.STREAM], [ScalarFlag.BRANCH]])
    size = shape(random)
    places = {}
    if random.random() < 0.5:
        members: dict[str, Any] = {
            name: [any_scalar(random) for _ in range(size[1])] for name in ("gain", "offset", "top", "bottom")
        }
        places["norm"] = norm_block(region, size[1], **members)
    if ScalarFlag.STREAM in flags:
        places["in1"] = region.block(
            Block.TENSOR, fraction=random.choice([random.randint(-20, 40), signed(random, 32)])
        )
    if ScalarFlag.NODE in flags and random.random() < 0.6:
        places["tally"] = drawn_tally(region, size, random.randint(1, 16), False).place
        places["out"] = region.block(Block.TENSOR, bound=any_scalar(random), fraction=signed(random, 32))
    least = 1 if ScalarFlag.RELU in flags else 2
    wide = random.randint(2, 16) if ScalarFlag.NODE in flags else 0
    add_scale(region, random.randint(least, 16), wide, flags, size, places)


def random_join(region: Region, random: Random) -> None:
    flags = [ScalarFlag.POWER] * (random.random() < 0.5)
    flags += random.choice([[], [ScalarFlag.STREAM], [ScalarFlag.BRANCH]])
    size = shape(random)
    places = {}
    if random.random() < 0.5:
        units = [any_scalar(random) for _ in range(size[1])]
        places = {"units": region.block(Block.UNITS, size[1], units)} if ScalarFlag.POWER not in flags else {}
        places["in"] = region.block(Block.TENSOR, step=any_scalar(random), fraction=signed(random, 32))
    add_join(region, random.randint(2, 16), flags, size, places, random.randint(0, 47))


def random_error(region: Region, random: Random) -> None:
    tallies = error_tallies(region, shape(random), (random.randint(1, 16), random.randint(1, 16)))
    channels = tallies[0].shape[1]
    places, change = {}, {}
    if random.random() < 0.4:
        members: dict[str, Any] = {
            name: [any_scalar(random) for _ in range(channels)] for name in ("rho", "unit", "mean")
        }
        places["norm"] = norm_block(region, channels, **members)
    if random.random() < 0.4:
        names = ("gamma", "beta", "gamma_velocity", "beta_velocity")
        change = {name: [signed(random, 32) for _ in range(channels)] for name in names}
        rates = {name: random.getrandbits(32) for name in ("momentum", "parameter_decay", "parameter_rate")}
        places["step"] = step_block(region, **rates)
    add_error(region, random.randint(2, 16), random.random() < 0.5, tallies, places, **change)


def random_update(region: Region, random: Random) -> None:
    dense = [((ins, outs), (0, 0)) for ins in (1, 6, 17) for outs in (1, 9, 18)]
    channels, groups = random.choice([*dense, ((11, 11), (1, 1)), ((6, 9), (2, 3)), *BUNDLES])
    limits = [tuple(sorted((signed(random, 32), signed(random, 32)))) for _ in range(2)]
    rates = {name: random.getrandbits(random.randint(1, 32)) for name in ("momentum", "weight_decay", "weight_rate")}
    wide = random.random() < 0.5
    acc = tuple(sorted((signed(random, 64 if wide else 32), signed(random, 64 if wide else 32))))
    steps = (any_scalar(random), any_scalar(random)) if random.random() < 0.5 else (scalar(5, -9), scalar(3, -14))
    add_update(
        region,
        channels,
        (random.randint(1, 3), random.randint(1, 2)),
        groups,
        (acc[0], acc[1]),
        Format.INT64 if wide else Format.INT32,
        steps,
        (limits[0][0], limits[0][1]),
        (limits[1][0], limits[1][1]),
        (channels, groups) in BUNDLES or random.random() < 0.5,
        **rates,
    )


def random_weights(region: Region, random: Random) -> None:
    half = random.random() < 0.5
    limits = sorted((signed(random, 32), signed(random, 32)))
    channels, groups = (random.choice([1, 6, 17]), random.choice([1, 9, 18])), (0, 0)
    everywhere = random.random() < 0.4
    if everywhere and random.random() < 0.5:
        channels, groups = random.choice(BUNDLES)
    kernel = (random.randint(1, 3), random.randint(1, 2))
    maxima = signed(random, 32) if random.random() < 0.3 else None
    bits, both = random.randint(2 - half, 16), random.random() < 0.7
    w = (limits[0], limits[1]) if not everywhere else (-(1 << random.randint(1, 31)), (1 << random.randint(2, 31)) - 1)
    add_weights(region, bits, half, both, channels, kernel, groups, w, maxima, everywhere)


@pytest.mark.parametrize(
    ("add", "turns"),
    [
        (random_map, 60),
        (random_norm, 60),
        (random_scale, 60),
        (random_join, 60),
        (random_error, 60),
        (random_update, 25),
        (random_weights, 20),
    ],
    ids=["map", "norm", "scale", "join", "error", "update", "weights"],
)
def test_both_executors_agree(add: Callable[[Region, Random], None], turns: int) -> None:
    for turn in range(turns):
        region = Region(f"{add.__name__}-{turn}", TINY)
        add(region, Random(turn))
        vector = region.vector()
        memory = vector.before.copy()
        outcome = run_list(memory, vector.list_offset, vector.list_bytes, vector.mem_bytes)
        assert outcome.error == vector.error
        assert np.flatnonzero(memory != vector.after)[:8].tolist() == [], f"{vector.name}: {region.commands}"
