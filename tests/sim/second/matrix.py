"""CONV and WGRAD, product after product (sections 2 to 5), as far as vectors of the vector unit use them."""

from __future__ import annotations

from itertools import product

from tests.sim.second.maps import element, random_part, write_tally
from tests.sim.second.numbers import near, sat
from tests.sim.second.operands import Fields
from tests.sim.second.region import Index, Planes, Region, block, every, planes

PLANES, BYTES = 3, {0: 2, 1: 4, 2: 8}


def operand(c: Fields, name: str, shape: Index, bits: int) -> Planes:
    strides = getattr(c, f"{name}_image_stride"), getattr(c, f"{name}_block_stride")
    return planes(getattr(c, f"{name}_addr"), shape, bits, strides)


def run_matrix(c: Fields, region: Region) -> None:
    conv, a_channels, y_channels = c.opcode == 1, 16 * c.a_blocks, 16 * c.y_blocks
    kernel, pixels = (c.kernel_h, c.kernel_w), (c.y_height, c.y_width)
    a = operand(c, "a", (c.images, a_channels, c.a_height, c.a_width), c.a_bits)
    b_shape = (y_channels, a_channels, *kernel) if conv else (c.images, y_channels, *pixels)
    b = operand(c, "b", b_shape, c.b_bits)
    a_codes = {index: region.code(a, index, c.has("A_SIGNED")) for index in every(a.shape)}
    b_codes = {index: region.code(b, index, c.has("B_SIGNED")) for index in every(b.shape)}

    def tap(n: int, ci: int, y: int, x: int, ky: int, kx: int) -> int:
        row, column = y * c.stride_y + ky - c.pad_top, x * c.stride_x + kx - c.pad_left
        if row % c.up_y or column % c.up_x:
            return 0
        return a_codes.get((n, ci, row // c.up_y, column // c.up_x), 0)

    shape = (c.images, y_channels, *pixels) if conv else (a_channels, y_channels, *kernel)
    sums, results = {}, {}
    for row in every((shape[0], 1, *shape[2:])):
        if conv:
            n, _, y, x = row
            terms = list(product(range(a_channels), range(c.kernel_h), range(c.kernel_w)))
            mine = [tap(n, ci, y, x, ky, kx) for ci, ky, kx in terms]
        else:
            ci, _, ky, kx = row
            terms = list(product(range(c.images), range(c.y_height), range(c.y_width)))
            mine = [tap(n, ci, y, x, ky, kx) for n, y, x in terms]
        sums[row] = sum(mine)
        used = [(term, code) for term, code in zip(terms, mine, strict=True) if code]
        for co in range(y_channels):
            if conv:
                acc = sum(code * b_codes[co, term[0], term[1], term[2]] for term, code in used)
            else:
                acc = sum(code * b_codes[term[0], co, term[1], term[2]] for term, code in used)
            results[row[0], co, row[2], row[3]] = 2 * acc + sums[row] if c.has("HALF") else acc
    finish(c, region, shape, results, sums)


def finish(c: Fields, region: Region, shape: Index, results: dict[Index, int], sums: dict[Index, int]) -> None:
    if c.out_format in (0, PLANES):
        for index, acc in results.items():
            if c.has("STOCHASTIC"):
                seed = c.seed_hi << 32 | c.seed_lo
                q = (acc + random_part(seed, element(index, shape), c.shift)) // 2**c.shift
            else:
                q = near(acc, c.shift)
            results[index] = sat(q, c.out_bits) if c.has("OUT_SIGNED") else min(max(q, 0), 2**c.out_bits - 1)
    if c.out_format == PLANES:
        region.store_codes(operand(c, "out", shape, c.out_bits), results.__getitem__)
    else:
        size = BYTES[c.out_format]
        for index in every(shape):
            n, channel, y, x = index
            tile = c.out_addr + n * c.out_image_stride + channel // 16 * c.out_block_stride
            region.store(tile + ((y * shape[3] + x) * 16 + channel % 16) * size, size, results[index])
    if c.has("ROW_SUMS"):
        for number, row in enumerate(every((shape[0], 1, *shape[2:]))):
            region.store(c.sums_addr + 4 * number, 4, sums[row])
    if c.has("STATS"):
        write_tally(region, block("TALLY", c.tally_addr, shape[1]), results, results)
