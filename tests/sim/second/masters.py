"""UPDATE and WEIGHTS, word by word (section 10)."""

from __future__ import annotations

from tests.sim.second.numbers import div, low, mul, near, parts, sat, scalar
from tests.sim.second.operands import Fields, bundle, the_block, used_by
from tests.sim.second.region import Index, Planes, Region, Words, every, whole_block
from tests.sim.second.scalar_commands import moved


def run_update(c: Fields, region: Region) -> None:
    used = used_by(c)
    acc, w, v = used.reads["acc"], used.changes["w"], used.changes["v"]
    assert isinstance(acc, Words)
    assert isinstance(w, Words)
    assert isinstance(v, Words)
    m, e = parts(mul(*(region.get(the_block(used, name), "step") for name in ("x", "e"))))
    rates = [region.get(the_block(used, "step"), name) for name in ("momentum", "weight_decay", "weight_rate")]
    by_out, by_in = [0] * whole_block(c.out_channels), [0] * w.shape[0]
    bundle_in, bundle_out = bundle(c)
    for index in every(w.shape):
        ci, co = index[0], index[0] // bundle_in * bundle_out + index[1]
        live = ci < c.in_channels and co < c.out_channels
        if live and c.group_in:
            live = ci // c.group_in == co // c.group_out
        value = region.integer(w.at(index), 4)
        if live:
            product, shift = low(region.integer(acc.at(index), acc.size), 48) * (m // 128), -(e + 31)
            d = sat(near(product, shift), 32)
            value, velocity = moved(value, region.integer(v.at(index), 4), d, *rates)
            region.store(w.at(index), 4, value)
            region.store(v.at(index), 4, velocity)
        by_in[ci] = max(by_in[ci], abs(value))
        if co < len(by_out):
            by_out[co] = max(by_out[co], abs(value))
    for name, maxima in (("max_out", by_out), ("max_in", by_in)):
        region.begin(the_block(used, name))
        for channel, most in enumerate(maxima):
            region.put(the_block(used, name), "maximum", min(most, 2**31 - 1), channel)


def multiplier(levels: int, most: int) -> tuple[int, int]:
    """M and s by trying every s."""
    found = [(levels * 2**s // most, s) for s in range(100)]
    (one,) = [pair for pair in found if 2**23 <= pair[0] < 2**24]
    return one


def word_of(c: Fields, index: Index, by_input: bool) -> Index:
    """Where the word of a code stands."""
    first, second, ky, kx = index
    if by_input:
        return first, second, c.kernel_h - 1 - ky, c.kernel_w - 1 - kx
    bundle_in, bundle_out = bundle(c)
    return first // bundle_out * bundle_in + second, first % bundle_out, ky, kx


def run_weights(c: Fields, region: Region) -> None:
    used = used_by(c)
    w, half = used.reads["w"], c.has("HALF")
    assert isinstance(w, Words)
    levels = 2**c.bits - 1 if half else 2 ** (c.bits - 1) - 1
    for suffix, maxima in (("", "max_out"), ("_in", "max_in")):
        if maxima not in used.reads:
            continue
        codes, units = used.writes[f"codes{suffix}"], the_block(used, f"units{suffix}")
        assert isinstance(codes, Planes)
        most = [max(1, region.get(the_block(used, maxima), "maximum", ch)) for ch in range(codes.shape[0])]
        scales = [multiplier(levels, each) for each in most]
        values = {}
        for index in every(codes.shape):
            place = word_of(c, index, bool(suffix))
            word = region.integer(w.at(place), 4) if place[0] < w.shape[0] else 0
            m, s = scales[index[0]]
            if half:
                values[index] = sat(word * m // 2 ** (s + 1), c.bits)
            else:
                values[index] = min(max(near(word * m, s), -levels), levels)
        region.store_codes(codes, values.__getitem__)
        region.begin(units)
        for channel, each in enumerate(most):
            region.put(units, "unit", div(scalar(each, -27), scalar(levels)), channel)
