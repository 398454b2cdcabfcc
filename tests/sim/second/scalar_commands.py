"""NORM, SCALE, JOIN and ERROR in exact fractions (section 9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from tests.sim.second.numbers import (
    ONE,
    ZERO,
    add,
    div,
    exponent,
    low,
    mul,
    near,
    room,
    root,
    sat,
    scalar,
    scaled,
    whole,
)
from tests.sim.second.operands import Fields, the_block, used_by
from tests.sim.second.region import Region

Get = Callable[..., Any]


def getter(c: Fields, region: Region) -> Get:
    used = used_by(c)
    return lambda name, member, channel=None: region.get(the_block(used, name), member, channel)


def size(get: Get, name: str, channel: int) -> int:
    return max(abs(low(get(name, member, channel), 17)) for member in ("least", "most"))


def moved(p: int, v: int, d: int, momentum: int, decay: int, rate: int) -> tuple[int, int]:
    v = sat(near(v * momentum + p * decay, 24) + d, 32)
    return sat(p - near(v * rate, 24), 32), v


def run_norm(c: Fields, region: Region) -> None:
    used, get, count = used_by(c), getter(c, region), c.count
    norm, parameters = the_block(used, "norm"), the_block(used, "parameters")
    region.begin(norm)
    for ch in range(c.channels):
        unit = scaled(mul(get("in", "step"), get("units", "unit", ch)), c.shift)
        old = {name: get("parameters", name, ch) for name in ("mean", "variance")}
        if c.has("EVALUATE"):
            mean, variance = div(old["mean"], unit), div(old["variance"], mul(unit, unit))
        else:
            total, squares = low(get("tally", "sum", ch), 37), low(get("tally", "second", ch), 53)
            mean = div(scalar(total), scalar(count))
            variance = div(scalar(count * squares - total * total), scalar(count * count))
            seen = {"mean": mul(mean, unit)}
            seen["variance"] = div(mul(mul(variance, mul(unit, unit)), scalar(count)), scalar(count - 1))
            for name in seen:
                way = mul(add(seen[name], -old[name]), get("step", "keep"))
                region.put(parameters, name, add(old[name], way), ch)
        rho = div(ONE, root(add(variance, scalar(1, -2))))
        gain = mul(scalar(get("parameters", "gamma", ch), -24), rho)
        offset = add(scalar(get("parameters", "beta", ch), -24), -mul(mean, gain))
        ends = [add(mul(gain, scalar(low(get("tally", name, ch), 17))), offset) for name in ("least", "most")]
        members = {"mean": mean, "rho": rho, "unit": unit, "gain": gain, "offset": offset}
        for name, value in {**members, "top": max(ends), "bottom": min(ends)}.items():
            region.put(norm, name, value, ch)


def write_coefficients(command: Fields, region: Region, header: dict[str, int], **columns: Sequence[int]) -> None:
    place = the_block(used_by(command), "coefficients")
    region.begin(place)
    for name, value in header.items():
        region.put(place, name, value)
    for name, column in columns.items():
        for channel, value in enumerate(column):
            region.put(place, name, value, channel)


def write_tensor(command: Fields, region: Region, **members: Fraction | int) -> None:
    place = the_block(used_by(command), "out")
    region.begin(place)
    for name, value in members.items():
        region.put(place, name, value)


def step_of(bound: Fraction, levels: int) -> Fraction:
    return div(bound, scalar(levels)) or ONE


def fraction_of(bound: Fraction, width: int) -> int:
    return width - 31 - exponent(add(bound, scaled(bound, -20))) if bound else 0


def limited_shift(value: int) -> int:
    return min(max(value, -47), 47)


def run_scale(c: Fields, region: Region) -> None:
    get, channels = getter(c, region), range(c.channels)
    relu, node, stream, branch = (c.has(flag) for flag in ("RELU", "NODE", "STREAM", "BRANCH"))

    def reach(name: str, ch: int) -> Fraction:
        top, bottom = get(name, "top", ch), get(name, "bottom", ch)
        return max(ZERO, top) if relu else max(abs(top), abs(bottom))

    levels = 2**c.bits - 1 if relu else 2 ** (c.bits - 1) - 1
    gains = [get("norm", "gain", ch) for ch in channels]
    offsets = [get("norm", "offset", ch) for ch in channels]
    reaches = [reach("norm", ch) for ch in channels]
    if not node:
        bound = max([ZERO, *reaches])
        step = step_of(bound, levels)
        k = room(30, 25, [div(gain, step) for gain in gains])
        a = [whole(div(gain, step), k, 25) for gain in gains]
        b = [whole(div(offset, step), k, 47) for offset in offsets]
        write_coefficients(c, region, {"k": k}, a=a, b=b)
        write_tensor(c, region, step=step, bound=bound)
        return
    f1 = get("in1", "fraction") if stream else 0
    if stream:
        reaches = [add(reaches[ch], scalar(size(get, "tally1", ch), -f1)) for ch in channels]
    if branch:
        reaches = [add(reaches[ch], reach("norm1", ch)) for ch in channels]
    bound = max([ZERO, *reaches])
    width = c.wide_bits if relu else c.wide_bits - 1
    f = fraction_of(bound, width)
    firsts = [scaled(gain, f) for gain in gains]
    seconds = [scaled(get("norm1", "gain", ch), f) for ch in channels] if branch else []
    k = room(29 if width == 16 else 30, 25, [*firsts, *seconds])
    sums = [scaled(offset, f) for offset in offsets]
    if branch:
        sums = [add(sums[ch], scaled(get("norm1", "offset", ch), f)) for ch in channels]
    ratio = last_ratio(c, region)
    step = step_of(mul(bound, ratio), levels)
    scale = div(scalar(1, -f), step)
    s = room(47, 25, [scale])
    header = {"k": k, "multiplier": whole(scale, s, 25), "scale_shift": s}
    header["j"] = limited_shift(k + f - f1) if stream else 0
    columns = {"a": [whole(each, k, 25) for each in firsts], "b": [whole(each, k, 47) for each in sums]}
    columns["c"] = [whole(each, k, 25) for each in seconds] or [int(stream)] * c.channels
    write_coefficients(c, region, header, **columns)
    write_tensor(c, region, step=step, bound=bound, ratio=ratio, fraction=f)


def last_ratio(c: Fields, region: Region) -> Fraction:
    used, get = used_by(c), getter(c, region)
    tally = the_block(used, "tally")
    if not region.written(tally) or not region.written(the_block(used, "out")):
        return ONE
    greatest = max(size(get, "tally", ch) for ch in range(tally.channels))
    return div(scalar(greatest, -get("out", "fraction")), get("out", "bound")) or ONE


def units_of(c: Fields, get: Get, suffix: str, power: bool, shift: int) -> list[Fraction]:
    if power:
        return [scalar(1, -get(f"in{suffix}", "fraction"))] * c.channels
    step = get(f"in{suffix}", "step")
    return [scaled(mul(step, get(f"units{suffix}", "unit", ch)), shift) for ch in range(c.channels)]


def run_join(c: Fields, region: Region) -> None:
    get, channels = getter(c, region), range(c.channels)
    stream, branch = c.has("STREAM"), c.has("BRANCH")
    firsts = units_of(c, get, "", c.has("POWER"), c.shift)
    reaches = [mul(firsts[ch], scalar(size(get, "tally", ch))) for ch in channels]
    seconds = units_of(c, get, "1", stream, c.shift1) if stream or branch else []
    if seconds:
        reaches = [add(reaches[ch], mul(seconds[ch], scalar(size(get, "tally1", ch)))) for ch in channels]
    bound = max([ZERO, *reaches])
    f = fraction_of(bound, c.wide_bits - 1)
    a = [scaled(unit, f) for unit in firsts]
    other = [scaled(unit, f) for unit in seconds] if branch else []
    k = room(30, 25, [*a, *other])
    header = {"k": k, "j": limited_shift(k + f - get("in1", "fraction")) if stream else 0}
    more = [whole(each, k, 25) for each in other] or [int(stream)] * c.channels
    write_coefficients(c, region, header, a=[whole(each, k, 25) for each in a], c=more)
    write_tensor(c, region, bound=bound, fraction=f)


def run_error(c: Fields, region: Region) -> None:
    get, count, used = getter(c, region), c.count, used_by(c)
    units = units_of(c, get, "", c.has("POWER"), c.shift)
    bases, slopes, evens, reaches = [], [], [], []
    for ch, m in enumerate(units):
        total, products = low(get("tally", "sum", ch), 37), low(get("tally", "second", ch), 53)
        spread = scalar(count * products - total * low(get("tally1", "sum", ch), 37))
        rho, unit, mean = (get("norm", name, ch) for name in ("rho", "unit", "mean"))
        base = mul(mul(scalar(get("parameters", "gamma", ch), -24), div(rho, unit)), m)
        slope = -mul(mul(base, mul(rho, rho)), div(spread, scalar(count * count)))
        bases.append(base)
        slopes.append(slope)
        evens.append(-add(div(mul(base, scalar(total)), scalar(count)), mul(slope, mean)))
        reaches.append(mul(abs(base), scalar(size(get, "tally", ch))))
        gradients = {"gamma": div(mul(mul(m, rho), spread), scalar(count)), "beta": mul(m, scalar(total))}
        rates = [get("step", name) for name in ("momentum", "parameter_decay", "parameter_rate")]
        for name, gradient in gradients.items():
            p, v = get("parameters", name, ch), get("parameters", f"{name}_velocity", ch)
            p, v = moved(p, v, whole(gradient, 24, 32), *rates)
            region.put(the_block(used, "parameters"), name, p, ch)
            region.put(the_block(used, "parameters"), f"{name}_velocity", v, ch)
    bound = max([ZERO, *reaches])
    step = step_of(bound, 2 ** (c.bits - 1) - 1)
    firsts, seconds, sums = ([div(each, step) for each in group] for group in (bases, slopes, evens))
    k = room(30, 25, [*firsts, *seconds])
    columns = {"a": [whole(each, k, 25) for each in firsts], "c": [whole(each, k, 25) for each in seconds]}
    write_coefficients(c, region, {"k": k}, **columns, b=[whole(each, k, 47) for each in sums])
    write_tensor(c, region, step=step, bound=bound)
