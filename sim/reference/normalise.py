"""NORM and SCALE: batch normalisation as integer coefficients, and the ranges of what it makes.

    μ = Σy / N     V = (N·Σy² − (Σy)²) / N² + 1/4     ρ = 1 / √V     gain = γ·ρ     offset = β − μ·gain

y is normalised in its own unit, so no scale enters; ε is a quarter of that unit squared. `top` and `bottom` are the
greatest and least normalised value, exact since normalising keeps the order of y.
"""

from __future__ import annotations

import numpy as np

from sim.contract.blocks import BlockPlace
from sim.contract.command import ScalarCommand
from sim.contract.constants import (
    ACCUMULATOR_BITS,
    COEFFICIENT_BITS,
    MAX_MAP_SHIFT,
    MAX_SCALE_SHIFT,
    MAX_SHIFT,
    ScalarFlag,
)
from sim.contract.operands import Operands, scalar_operands
from sim.contract.tensors import Memory
from sim.reference.scalar import (
    ONE,
    ZERO,
    Scalar,
    add,
    div,
    get,
    greater,
    greatest,
    mul,
    room,
    root,
    scalar,
    scaled,
    sub,
    whole,
)
from sim.reference.tallies import ends, magnitudes, sums

FRACTION = 24  # bits behind the point of γ, β and their velocities
QUARTER = scalar(1, -2)
OFFSET_BITS = ACCUMULATOR_BITS - 1  # of B
STREAM_BITS = ACCUMULATOR_BITS - 3  # of what is added to a residual output


def put(records: np.ndarray, name: str, channel: int, value: Scalar) -> None:
    records[name][channel] = value


def run_norm(command: ScalarCommand, memory: Memory) -> None:
    """Statistics of y, γ and β to a normalisation, channel by channel; the running statistics follow."""
    places = scalar_operands(command)
    parameters = places.block("parameters").records(memory)
    totals, limits = sums(places.block("tally"), memory), ends(places.block("tally"), memory)
    units = places.block("units").records(memory)
    step = get(places.block("in").header(memory)["step"][0])
    evaluates = command.flag(ScalarFlag.EVALUATE)
    keep = ZERO if evaluates else get(places.block("step").header(memory)["keep"][0])
    _, norms = places.block("norm").begin(memory)
    count = command.count
    for channel in range(command.channels):
        parameter = parameters[channel]
        unit = scaled(mul(step, get(units[channel])), command.shift)
        if evaluates:
            mean = div(get(parameter["mean"]), unit)
            variance = div(get(parameter["variance"]), mul(unit, unit))
        else:
            total, squares = totals[channel]
            mean = div(scalar(total), scalar(count))
            variance = div(scalar(count * squares - total * total), scalar(count * count))
            _follow(parameters, channel, "mean", mul(mean, unit), keep)
            spread = div(mul(mul(variance, mul(unit, unit)), scalar(count)), scalar(count - 1))
            _follow(parameters, channel, "variance", spread, keep)
        rho = div(ONE, root(add(variance, QUARTER)))
        gain = mul(scalar(int(parameter["gamma"]), -FRACTION), rho)
        offset = sub(scalar(int(parameter["beta"]), -FRACTION), mul(mean, gain))
        bottom, top = (add(mul(gain, scalar(limit)), offset) for limit in limits[channel])
        if greater(bottom, top):
            bottom, top = top, bottom
        values = {"mean": mean, "rho": rho, "unit": unit, "gain": gain, "offset": offset, "top": top, "bottom": bottom}
        for name, value in values.items():
            put(norms, name, channel, value)


def _follow(parameters: np.ndarray, channel: int, name: str, seen: Scalar, keep: Scalar) -> None:
    """A running statistic moves by a share of the way."""
    old = get(parameters[name][channel])
    put(parameters, name, channel, add(old, mul(sub(seen, old), keep)))


def run_scale(command: ScalarCommand, memory: Memory) -> None:
    """A normalisation to the coefficients of a MAP and the range of what it makes."""
    places = scalar_operands(command)
    norms = places.block("norm").records(memory)[: command.channels]
    if command.flag(ScalarFlag.NODE):
        _scale_node(command, places, memory, norms)
    else:
        _scale_codes(command, places, memory, norms)


def _scale_codes(command: ScalarCommand, places: Operands, memory: Memory, norms: np.ndarray) -> None:
    """Inside a block: y to codes at once."""
    bound = greatest(ZERO, *(_reach(norm, command) for norm in norms))
    step = code_step(bound, command.bits, signed=not command.flag(ScalarFlag.RELU))
    gains = [div(get(norm["gain"]), step) for norm in norms]
    k = room(*gains, most=MAX_MAP_SHIFT, bits=COEFFICIENT_BITS)
    _, records = places.block("coefficients").begin(memory)
    for channel, gain in enumerate(gains):
        offset = div(get(norms["offset"][channel]), step)
        records["a"][channel] = whole(gain, k, COEFFICIENT_BITS)
        records["b"][channel] = whole(offset, k, OFFSET_BITS)
    places.block("coefficients").header(memory)["k"] = k
    write_tensor(places.block("out"), memory, step=step, bound=bound)


def _scale_node(command: ScalarCommand, places: Operands, memory: Memory, norms: np.ndarray) -> None:
    """A residual output: y, and what is added to it, to z with a power of two as its unit, and z to codes."""
    reaches = [_reach(norm, command) for norm in norms]
    branch = None
    if command.flag(ScalarFlag.BRANCH):
        branch = places.block("norm1").records(memory)[: command.channels]
        reaches = [add(reach, _reach(norm, command)) for reach, norm in zip(reaches, branch, strict=True)]
    fraction1 = 0
    if command.flag(ScalarFlag.STREAM):
        fraction1 = int(places.block("in1").header(memory)["fraction"][0])
        sizes = magnitudes(places.block("tally1"), memory)[: command.channels]
        reaches = [add(reach, scalar(size, -fraction1)) for reach, size in zip(reaches, sizes, strict=True)]
    signed = not command.flag(ScalarFlag.RELU)
    bound = greatest(ZERO, *reaches)
    width = command.wide_bits - signed
    fraction = fraction_for(bound, width)
    gains = [scaled(get(norm["gain"]), fraction) for norm in norms]
    offsets = [scaled(get(norm["offset"]), fraction) for norm in norms]
    more = [scaled(get(norm["gain"]), fraction) for norm in branch] if branch is not None else []
    # With the offset's 46 bits and the first product's 40, a stream of 45 leaves the sum within its 48.
    k = room(*gains, *more, most=min(MAX_MAP_SHIFT, STREAM_BITS - width), bits=COEFFICIENT_BITS)
    ratio = _ratio(places, memory)
    step = code_step(mul(bound, ratio), command.bits, signed)
    multiplier = div(scalar(1, -fraction), step)
    scale_shift = room(multiplier, most=MAX_SCALE_SHIFT, bits=COEFFICIENT_BITS)
    header, records = places.block("coefficients").begin(memory)
    for channel, (gain, offset) in enumerate(zip(gains, offsets, strict=True)):
        records["a"][channel] = whole(gain, k, COEFFICIENT_BITS)
        if branch is not None:
            records["c"][channel] = whole(more[channel], k, COEFFICIENT_BITS)
            offset = add(offset, scaled(get(branch["offset"][channel]), fraction))
        elif command.flag(ScalarFlag.STREAM):
            records["c"][channel] = 1
        records["b"][channel] = whole(offset, k, OFFSET_BITS)
    header["k"], header["scale_shift"] = k, scale_shift
    header["j"] = second_shift(k, fraction, fraction1) if command.flag(ScalarFlag.STREAM) else 0
    header["multiplier"] = whole(multiplier, scale_shift, COEFFICIENT_BITS)
    write_tensor(places.block("out"), memory, step=step, bound=bound, ratio=ratio, fraction=fraction)


def _reach(norm: np.ndarray, command: ScalarCommand) -> Scalar:
    """How far a channel's normalised values reach: upwards behind a ReLU, else to either side."""
    top, bottom = get(norm["top"]), get(norm["bottom"])
    return greatest(ZERO, top) if command.flag(ScalarFlag.RELU) else greatest(abs(top), abs(bottom))


def _ratio(places: Operands, memory: Memory) -> Scalar:
    """By how much z stayed below its bound the last time; 1 without a last time."""
    tally, out = places.block("tally"), places.block("out")
    if not tally.written(memory) or not out.written(memory):
        return ONE
    header = out.header(memory)[0]
    seen = scalar(max(magnitudes(tally, memory)), -int(header["fraction"]))
    ratio = div(seen, get(header["bound"]))
    return ratio if ratio.m else ONE


def code_step(bound: Scalar, bits: int, signed: bool) -> Scalar:
    """The value of code 1 when the greatest code is the bound; 1 if that is 0."""
    step = div(bound, scalar((1 << bits - signed) - 1))
    return step if step.m else ONE


def fraction_for(bound: Scalar, bits: int) -> int:
    """The greatest f with bound·(1 + 2^-20) < 2^(bits − f); 0 if the bound is 0."""
    wider = add(bound, scaled(bound, -20))
    return bits - (wider.e + 31) if wider.m else 0


def second_shift(k: int, fraction: int, fraction1: int) -> int:
    """j of a MAP that adds integers of 2^-fraction1; where the limits cut, they are all 0 or too small to count."""
    return max(-MAX_SHIFT, min(k + fraction - fraction1, MAX_SHIFT))


def write_tensor(
    place: BlockPlace,
    memory: Memory,
    step: Scalar = ZERO,
    bound: Scalar = ZERO,
    ratio: Scalar = ZERO,
    fraction: int = 0,
) -> None:
    """What a tensor's integers stand for."""
    header, _ = place.begin(memory)
    header["step"][0], header["bound"][0], header["ratio"][0] = step, bound, ratio
    header["fraction"] = fraction
