"""MAP, element by element (section 8)."""

from __future__ import annotations

from tests.sim.second.numbers import low, near
from tests.sim.second.operands import Fields, the_block, used_by
from tests.sim.second.region import BlockSpan, Index, Planes, Region, every
from tests.tools import python_noise


def limited(value: int, bits: int, signed: bool) -> int:
    least, most = (1 - 2 ** (bits - 1), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return min(max(value, least), most)


def random_part(seed: int, number: int, shift: int) -> int:
    u = python_noise(seed, number & 0xFFFFFFFF)
    return u << shift - 32 if shift > 32 else u >> 32 - shift


def element(index: Index, shape: Index) -> int:
    """Its number in the order [n][block][h][w][16]."""
    n, c, y, x = index
    _, channels, h, w = shape
    return (((n * (channels // 16) + c // 16) * h + y) * w + x) * 16 + c % 16


def write_tally(region: Region, place: BlockSpan, values: dict[Index, int], others: dict[Index, int]) -> None:
    region.begin(place)
    region.put(place, "count", len(values) // place.channels)
    for channel in range(place.channels):
        own = [index for index in values if index[1] == channel]
        row = [values[index] for index in own]
        second = sum(values[index] * others.get(index, 0) for index in own)
        for name, value in (("sum", sum(row)), ("second", second), ("least", min(row)), ("most", max(row))):
            region.put(place, name, value, channel)


def run_map(c: Fields, region: Region) -> None:
    used = used_by(c)
    shape = (c.images, 16 * c.blocks, c.height, c.width)
    tensors = {name: place for name, place in {**used.reads, **used.writes}.items() if isinstance(place, Planes)}
    signed = c.has("OUT_SIGNED")

    def read(name: str, index: Index, is_signed: bool) -> int:
        return region.code(tensors[name], index, is_signed)

    values, wide = {}, {}
    mask = {index: read("mask", index, False) for index in every(shape)} if "mask" in used.reads else {}
    for index in every(shape):
        x = read("x0", (*index[:2], 0, 0) if c.has("BROADCAST") else index, c.has("X0_SIGNED"))
        if c.has("MASK_X0") and not mask[index]:
            x = 0
        values[index] = x
        if not c.out0_bits:
            continue
        block, channel = the_block(used, "coefficients"), index[1]
        k, j = region.get(block, "k"), region.get(block, "j")
        t = x * low(region.get(block, "a", channel), 25) + region.get(block, "b", channel)
        if c.x1_bits:
            second = read("x1", index, c.has("X1_SIGNED")) * low(region.get(block, "c", channel), 25)
            t += second * 2**j if j >= 0 else second // 2**-j
        t = low(t, 48)
        wide[index] = t
        if c.has("STOCHASTIC"):
            seed = region.get(the_block(used, "step"), "seed") + (c.seed_hi << 32) + c.seed_lo
            r = (t + random_part(seed % 2**64, element(index, shape), k)) // 2**k
        else:
            r = near(t, k)
        values[index] = limited(r, c.out0_bits, signed)
        if c.has("MASK_OUT") and not mask[index]:
            values[index] = 0
    if c.out0_bits:
        region.store_codes(tensors["out0"], values.__getitem__)
    if c.has("MASK_WRITE"):
        region.store_codes(tensors["mask"], lambda index: int(wide[index] > 0))
    if c.out1_bits:
        block = the_block(used, "coefficients")
        m, s = low(region.get(block, "multiplier"), 25), region.get(block, "scale_shift")
        region.store_codes(tensors["out1"], lambda index: limited(near(values[index] * m, s), c.out1_bits, signed))
    if c.has("TALLY"):
        others = {index: read("x2", index, True) for index in values} if c.x2_bits else {}
        write_tally(region, the_block(used, "tally"), values, others)
