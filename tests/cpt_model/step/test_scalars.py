"""NORM, SCALE, JOIN and ERROR in C++ against the reference, on usual and on odd numbers."""

from __future__ import annotations

import numpy as np
import pytest

from sim.contract import Block, Opcode, ScalarCommand, ScalarFlag, flag_bits
from sim.reference.scalar import Scalar, scalar
from tests.cpt_model.step.tools import Region, check

CHANNELS = (1, 16, 24)
COUNT = {"images": 4, "height": 6, "width": 5}
N = 120


def usual(random: np.random.Generator) -> Scalar:
    return scalar(int(random.integers(1 << 40)), int(random.integers(-50, -35)))


def odd(random: np.random.Generator) -> Scalar:
    """Zeros, and exponents at their limits."""
    number = scalar(int(random.integers(-(1 << 40), 1 << 40)), int(random.integers(-60, 20)))
    ends = (scalar(1, 20000), scalar(-1, 20000), scalar(1, -16384), scalar(0), scalar((1 << 31) - 1), number)
    return ends[int(random.integers(len(ends)))]


def put(region: Region, records: np.ndarray, names: tuple[str, ...], draw) -> None:
    for name in names:
        for record in records:
            value = draw(region.random)
            record[name] = abs(value) if name == "variance" else value


def blocks(region: Region, channels: int, strange: bool) -> dict[str, int]:
    """All blocks a scalar command can name."""
    random, padded, draw = region.random, -(-channels // 16) * 16, odd if strange else usual
    made = {}
    for name in ("tally", "tally1"):
        place = made[name] = region.block(Block.TALLY, padded)
        header, records = place.begin(region.bytes)
        header["count"] = N
        values = (
            random.integers(-3000, 3000, (N, padded)) if not strange else random.choice([-32768, 32767, 0], (N, padded))
        )
        others = random.integers(-3000, 3000, (N, padded))
        if strange:
            values[:, ::3] = 7  # all equal
        else:
            others = values
        records["sum"], records["second"] = (
            values.sum(0),
            (values * others).sum(0) if not strange else (values**2).sum(0),
        )
        records["least"], records["most"] = values.min(0), values.max(0)
    for name in ("norm", "norm1"):
        place = made[name] = region.block(Block.NORM, padded)
        _, records = place.begin(region.bytes)
        put(region, records, ("mean", "rho", "unit", "gain", "offset", "top", "bottom"), draw)
    place = made["parameters"] = region.block(Block.PARAMETERS, padded)
    _, records = place.begin(region.bytes)
    high = (1 << 31) - 1 if strange else 1 << 25
    for name in ("gamma", "beta", "gamma_velocity", "beta_velocity"):
        records[name] = random.integers(-high, high, padded)
    if strange:
        records["gamma"][1::4] = 0
    put(region, records, ("mean", "variance"), draw)
    for name in ("units", "units1"):
        place = made[name] = region.block(Block.UNITS, padded)
        for record in place.begin(region.bytes)[1]:
            value = usual(random)
            record["m"], record["e"] = value
    for name in ("in", "in1", "out"):
        place = made[name] = region.block(Block.TENSOR)
        header, _ = place.begin(region.bytes)
        header["step"], header["bound"], header["fraction"] = draw(random), draw(random), random.integers(-20, 40)
    made["coefficients"] = region.block(Block.COEFFICIENTS, padded)
    place = made["step"] = region.block(Block.STEP)
    header, _ = place.begin(region.bytes)
    for name in ("momentum", "parameter_decay", "parameter_rate"):
        header[name] = random.integers(1 << 32) if strange else random.integers(1 << 24)
    header["keep"] = scalar(round(0.1 * 2**40), -40)
    return {f"{name}_addr": place.address for name, place in made.items()}


E, RELU, NODE = ScalarFlag.EVALUATE, ScalarFlag.RELU, ScalarFlag.NODE
STREAM, BRANCH, POWER = ScalarFlag.STREAM, ScalarFlag.BRANCH, ScalarFlag.POWER
COMMANDS = [
    (Opcode.NORM, ()),
    (Opcode.NORM, (E,)),
    (Opcode.SCALE, (RELU,)),
    (Opcode.SCALE, ()),
    *((Opcode.SCALE, (NODE, *relu, *second)) for relu in ((), (RELU,)) for second in ((), (STREAM,), (BRANCH,))),
    *((Opcode.JOIN, (*power, *second)) for power in ((), (POWER,)) for second in ((), (STREAM,), (BRANCH,))),
    (Opcode.ERROR, ()),
    (Opcode.ERROR, (POWER,)),
]


@pytest.mark.parametrize(("opcode", "flags"), COMMANDS)
@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("strange", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_all(opcode, flags, channels, strange, seed):
    region = Region(seed=seed + 10 * channels)
    places = blocks(region, channels, strange)
    wide = opcode == Opcode.JOIN or NODE in flags
    command = ScalarCommand(
        opcode,
        bits=int(region.random.integers(3, 9)) if opcode in (Opcode.SCALE, Opcode.ERROR) else 0,
        wide_bits=12 if wide else 0,
        shift=3 if opcode != Opcode.SCALE else 0,
        shift1=5 if opcode == Opcode.JOIN else 0,
        flags=flag_bits(*flags),
        channels=channels,
        **COUNT,
        **places,
    )
    check(region, [command])


def test_a_node_without_history():
    region = Region()
    places = blocks(region, 24, strange=False)
    region.bytes[places["out_addr"] : places["out_addr"] + 64] = 0
    command = ScalarCommand(
        Opcode.SCALE, bits=4, wide_bits=10, flags=flag_bits(NODE, RELU), channels=24, **COUNT, **places
    )
    check(region, [command])


def test_all_zeros():
    """Dead channels: no variance, no error."""
    for opcode, flags in COMMANDS:
        region = Region()
        places = blocks(region, 16, strange=False)
        for name in ("tally", "tally1", "norm", "norm1"):
            start = places[f"{name}_addr"] + 64
            region.bytes[start : start + 16 * (32 if "tally" in name else 64)] = 0
        wide = 12 if opcode == Opcode.JOIN or NODE in flags else 0
        bits = 8 if opcode in (Opcode.SCALE, Opcode.ERROR) else 0
        check(region, [ScalarCommand(opcode, bits=bits, wide_bits=wide, flags=flag_bits(*flags), **COUNT, **places)])
