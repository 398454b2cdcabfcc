"""Vectors of MAP: widths, signs, second operands, masks, outputs, tallies, ends of every range."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from sim.contract import Block, BlockPlace, Build, MapCommand, MapFlag, flag_bits
from sim.contract.noise import random_codes
from sim.vectors.build import extreme_codes, greatest_codes, least_codes
from sim.vectors.step.region import Fill, Region, Shape, integers
from sim.vectors.vector import Vector

SHAPE: Shape = (2, 16, 3, 4)
MASKS = {"x0": MapFlag.MASK_X0, "out": MapFlag.MASK_OUT, "write": MapFlag.MASK_WRITE}


def coefficients(region: Region, blocks: int, k: int = 24, **change: Any) -> BlockPlace:
    """Coefficients that leave few results saturated; `change` overrides header or records."""
    count, top = 16 * blocks, 1 << 24
    values: dict[str, Any] = {"k": k, "j": 0, "multiplier": 3 << 20, "scale_shift": 23, **change}
    records = {name: values.pop(name, None) for name in "acb"}
    records["a"] = records["a"] or integers(1 - top, top - 1, count, region.seed)
    records["c"] = records["c"] or integers(1 - top, top - 1, count, region.seed)
    records["b"] = records["b"] or integers(-64 << max(0, k), 64 << max(0, k), count, region.seed)
    return region.block(Block.COEFFICIENTS, count, records, **values)


def add_map(
    region: Region,
    x0: tuple[int, bool] = (8, True),
    x1: tuple[int, bool] | None = None,
    x2: int = 0,
    out0: int = 8,
    out1: int = 0,
    signed: bool = True,
    mask: str = "",
    tally: bool = False,
    broadcast: bool = False,
    seed: int | None = None,
    shape: Shape = SHAPE,
    fill: Fill = random_codes,
    places: dict[str, BlockPlace] | None = None,
    **change: Any,
) -> MapCommand:
    """A MAP with operands of its own; `seed` asks for stochastic rounding."""
    n, c, h, w = shape
    flags = [MapFlag.X0_SIGNED] * x0[1] + [MapFlag.OUT_SIGNED] * (signed and out0 > 0)
    flags += [MapFlag.TALLY] * tally + [MapFlag.BROADCAST] * broadcast + ([MASKS[mask]] if mask else [])
    flags += [MapFlag.X1_SIGNED] * bool(x1 and x1[1]) + [MapFlag.STOCHASTIC] * (seed is not None)
    command = MapCommand(
        x0_bits=x0[0], x1_bits=x1[0] if x1 else 0, x2_bits=x2, out0_bits=out0, out1_bits=out1, flags=flag_bits(*flags)
    )
    command.images, command.blocks, command.height, command.width = n, -(-c // 16), h, w
    command.x0_addr = region.codes((n, c, 1, 1) if broadcast else shape, *x0, fill).address
    if x1:
        command.x1_addr = region.codes(shape, *x1, fill).address
    if x2:
        command.x2_addr = region.codes(shape, x2, True, fill).address
    if mask:
        written = mask == "write"
        command.mask_addr = (region.empty(shape, 1) if written else region.codes(shape, 1)).address
    for name, bits in (("out0", out0), ("out1", out1)):
        if bits:
            setattr(command, f"{name}_addr", region.empty(shape, bits).address)
    blocks = dict(places or {})
    if out0:
        blocks["coefficients"] = blocks.get("coefficients") or coefficients(region, command.blocks, **change)
    if tally:
        blocks["tally"] = blocks.get("tally") or region.absent(Block.TALLY, c)
    if seed is not None:
        command.seed_lo, command.seed_hi = seed & 0xFFFFFFFF, seed >> 32
        blocks["step"] = blocks.get("step") or region.block(Block.STEP, seed=0xFEDC_BA98_7654_3210)
    region.add_at(blocks, command)
    return command


def map_widths(build: Build) -> Iterator[Vector]:
    """Every width of x0 and of out0, both signs of each."""
    for bits in range(1, 17):
        region = Region(f"map-width-{bits}", build)
        for x0_signed, signed in product((False, True), repeat=2):
            out = max(2, 17 - bits) if signed else bits
            add_map(region, (bits, x0_signed), out0=out, signed=signed, k=min(30, 24 + max(0, bits - out)))
        yield region.vector()


def map_operands(build: Build) -> Iterator[Vector]:
    """Second operands, second outputs, masks, broadcasts, tallies: each alone and together."""
    cases: dict[str, dict[str, Any]] = {
        "x1": {"x1": (9, True)},
        "x1-unsigned": {"x1": (16, False), "j": 3, "c": [1] * 16},
        "x1-right": {"x1": (12, True), "j": -9},
        "out1": {"out0": 12, "out1": 5, "signed": False},
        "out1-signed": {"out0": 12, "out1": 3},
        "mask-x0": {"mask": "x0"},
        "mask-out": {"mask": "out", "out1": 4, "tally": True, "x2": 8},
        "mask-write": {"mask": "write", "signed": False},
        "broadcast": {"broadcast": True, "mask": "out", "tally": True},
        "broadcast-mask-x0": {"broadcast": True, "mask": "x0", "out0": 0, "tally": True, "x2": 6},
        "sums": {"out0": 0, "tally": True, "x2": 14, "mask": "x0"},
        "sums-unsigned": {"x0": (16, False), "out0": 0, "tally": True},
        "everything": {"x1": (5, False), "x2": 7, "out0": 9, "out1": 4, "mask": "write", "tally": True, "seed": 5},
    }
    for name, case in cases.items():
        region = Region(f"map-{name}", build)
        add_map(region, **case)
        yield region.vector()


def map_shapes(build: Build) -> Iterator[Vector]:
    """Maps that fill no beat, one pixel, several blocks, one row, one channel."""
    shapes = ((1, 16, 1, 1), (3, 48, 1, 1), (1, 32, 1, 13), (2, 1, 5, 1), (3, 17, 3, 3), (1, 80, 2, 33))
    for shape in shapes:
        region = Region("map-shape-" + "x".join(map(str, shape)), build)
        add_map(region, (5, True), (3, False), x2=4, out0=7, out1=2, mask="write", tally=True, seed=9, shape=shape)
        yield region.vector()


def map_ends(build: Build) -> Iterator[Vector]:
    """Codes at the ends of their range against multipliers at theirs: saturation, and the sum's wrap."""
    top, wide = (1 << 24) - 1, 1 << 46
    fills = {"least": least_codes, "greatest": greatest_codes, "extreme": extreme_codes}
    for (name, fill), signed in product(fills.items(), (False, True)):
        region = Region(f"map-ends-{name}-{'s' if signed else 'u'}", build)
        for a, b in ((top, wide - 1), (-top, 1 - wide), (-top - 1, 0), (1, -1)):
            more: dict[str, Any] = {
                "a": [a] * 16,
                "c": [-a] * 16,
                "b": [b] * 16,
                "k": 30,
                "multiplier": top,
                "scale_shift": 24,
            }
            add_map(region, (16, signed), (16, signed), 16, 16, 16, signed, "write", True, fill=fill, **more)
        yield region.vector()
    region = Region("map-wrap", build)
    for j, b in ((47, 0), (-47, -1), (8, (1 << 47) - 1), (0, -(1 << 47)), (1, -(1 << 63))):
        more = {"a": [top] * 16, "c": [-top - 1] * 16, "b": [b] * 16, "k": 30, "j": j}
        add_map(region, (16, False), (16, True), 0, 16, 0, True, "write", True, fill=extreme_codes, **more)
    yield region.vector()
    region = Region("map-coefficients-of-25-bits", build)
    add_map(region, (7, True), (7, True), a=[0x7E00_0001] * 16, c=[-0x7FFF_FFFF] * 16, out1=9, multiplier=0x4012_3456)
    yield region.vector()
    region = Region("map-coefficients-next-bits", build)  # the lowest that do not count, against the sign's
    wrong: dict[str, Any] = {"a": [1 << 25 | 77] * 16, "c": [(1 << 24) - (1 << 26) + 5] * 16, "k": 6}
    add_map(region, (7, True), (7, True), out0=16, out1=16, b=[1 << 48 | 9] * 16, multiplier=1 << 25 | 3 << 20, **wrong)
    yield region.vector()
    region = Region("map-one-operand-thrice", build)
    command = add_map(region, (7, True), (7, True), 7, tally=True)
    command.x1_addr = command.x2_addr = command.x0_addr
    yield region.vector()


def map_rounding(build: Build) -> Iterator[Vector]:
    """Ties of both signs, shifts at their limits, seeds that carry into the high word."""
    region = Region("map-ties", build)
    for k in (1, 2):
        add_map(region, (6, True), out0=6, k=k, a=[1, 2, 3, -1] * 4, b=[0] * 16)
        half: dict[str, Any] = {"a": [1 << k] * 16, "b": [0] * 16, "multiplier": 1, "scale_shift": k}
        add_map(region, (6, True), out0=6, out1=6, k=k, **half)
    yield region.vector()
    region = Region("map-floor", build)
    for j in (-1, -3, -47):
        add_map(region, (2, True), (6, True), out0=12, k=0, j=j, a=[1] * 16, c=[1, -1, 3, -7] * 4, b=[0, 1] * 8)
    yield region.vector()
    region = Region("map-shifts", build)
    for k, s in ((0, 0), (30, 47), (1, 1)):
        add_map(region, (4, True), out0=16, out1=16, k=k, scale_shift=s, multiplier=1 if s < 2 else (1 << 24) - 1)
    yield region.vector()
    for k in (0, 1, 13, 30):
        region = Region(f"map-stochastic-{k}", build)
        for number, seed in enumerate((0, 0x0123_4567_89AB_CDEF, 1)):
            base = region.block(Block.STEP, seed=(0, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF)[number])
            add_map(region, (8, True), out0=9, k=k, seed=seed, places={"step": base}, b=[1 << k >> 1] * 16)
        yield region.vector()
