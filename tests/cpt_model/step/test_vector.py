"""MAP on unpacked tensors against the reference, in all its uses."""

from __future__ import annotations

import numpy as np
import pytest

from sim.contract import Block, MapCommand, MapFlag, flag_bits
from tests.cpt_model.step.tools import Region, check

X0, X1, OUT = MapFlag.X0_SIGNED, MapFlag.X1_SIGNED, MapFlag.OUT_SIGNED
RANDOM, TALLY, BROADCAST = MapFlag.STOCHASTIC, MapFlag.TALLY, MapFlag.BROADCAST
ON_X0, ON_OUT, WRITE = MapFlag.MASK_X0, MapFlag.MASK_OUT, MapFlag.MASK_WRITE

USES = {
    "codes inside a block": ([X0, WRITE], 12, 0, 0, 5, 0),
    "codes of one bit": ([X0, WRITE], 12, 0, 0, 1, 0),
    "first node": ([X0, WRITE, TALLY], 12, 0, 0, 14, 8),
    "node with a stream": ([X0, WRITE, TALLY], 16, 14, 0, 14, 8),
    "node with a branch, no ReLU": ([X0, X1, OUT, TALLY], 14, 13, 0, 11, 3),
    "join": ([X0, X1, OUT, ON_OUT, TALLY], 11, 12, 13, 12, 0),
    "last error": ([X0, OUT, BROADCAST, ON_OUT, TALLY], 16, 0, 14, 12, 0),
    "sums": ([X0, ON_X0, TALLY], 11, 0, 16, 0, 0),
    "sums without a mask": ([X0, TALLY], 7, 0, 8, 0, 0),
    "sums of one thing": ([TALLY], 8, 0, 0, 0, 0),
    "error codes": ([X0, X1, OUT, RANDOM], 12, 14, 0, 8, 0),
    "error codes inside a block": ([X0, X1, OUT, RANDOM, ON_X0], 9, 8, 0, 6, 0),
    "stochastic, one operand": ([X0, RANDOM, WRITE], 9, 0, 0, 3, 0),
}
SHAPES = [(1, 1, 1, 1), (3, 2, 5, 7), (2, 1, 3, 33)]


def coefficients(region: Region, channels: int, kind: str, k: int, j: int) -> int:
    place = region.block(Block.COEFFICIENTS, channels)
    header, records = place.begin(region.bytes)
    random = region.random
    header["k"], header["j"], header["multiplier"], header["scale_shift"] = (
        k,
        j,
        random.integers(-(1 << 24), 1 << 24),
        20,
    )
    small, large = (1 << max(k - 6, 1), 1 << 24) if kind == "usual" else (1 << 24, 1 << 24)
    records["a"], records["c"] = (random.integers(-small, small, channels) for _ in range(2))
    records["b"] = random.integers(-(1 << min(k + 5, 46)), 1 << min(k + 5, 46), channels)
    if kind == "extreme":
        header["scale_shift"] = 0
        records["a"][::2], records["c"][::3] = large - 1, -large
        records["b"] = random.choice([-(1 << 46), (1 << 46) - 1, (1 << 63) - 1, 0], channels)
    return place.address


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("kind", "k", "j"), [("usual", 20, 3), ("usual", 7, -4), ("extreme", 0, 30), ("extreme", 30, 0)]
)
def test_uses(use, shape, kind, k, j):
    flags, x0, x1, x2, out0, out1 = USES[use]
    n, blocks, h, w = shape
    region = Region(seed=len(use) + k + n)
    command = MapCommand(
        x0_bits=x0, x1_bits=x1, x2_bits=x2, out0_bits=out0, out1_bits=out1, flags=flag_bits(*flags),
        images=n, blocks=blocks, height=h, width=w, seed_lo=0xFFFFFFF0, seed_hi=7,
    )  # fmt: skip
    signs = {"x0": X0 in flags, "x1": X1 in flags, "x2": True}
    for name, bits in (("x0", x0), ("x1", x1), ("x2", x2)):
        if bits:
            extents = (1, 1) if name == "x0" and BROADCAST in flags else (h, w)
            place = region.planes(n, blocks, *extents, bits)
            region.fill(place, signs[name])
            setattr(command, f"{name}_addr", place.address)
    for name, bits in (("out0", out0), ("out1", out1)):
        if bits:
            setattr(command, f"{name}_addr", region.planes(n, blocks, h, w, bits).address)
    if any(flag in flags for flag in (ON_X0, ON_OUT, WRITE)):
        mask = region.planes(n, blocks, h, w, 1)
        region.fill(mask, signed=False)
        command.mask_addr = mask.address
    if out0:
        command.coefficients_addr = coefficients(region, 16 * blocks, kind, k, j)
    if TALLY in flags:
        command.tally_addr = region.block(Block.TALLY, 16 * blocks).address
    if RANDOM in flags:
        step = region.block(Block.STEP)
        step.begin(region.bytes)[0]["seed"] = (1 << 64) - 5
        command.step_addr = step.address
    before = region.bytes.copy()
    assert not np.array_equal(check(region, [command], threads=(1, 2)), before)
