"""JOIN and ERROR: coefficients of the backward pass, and the update of γ and β.

With m the unit of an error e by channel, and K = N·Σ(e·y) − Σe·Σy, an exact integer:

    base = γ·(ρ / unit)·m     b = −base·ρ²·K / N²     c = −(base·Σe / N + b·μ)     error of y = base·e + b·y + c
    dγ = m·ρ·K / N            dβ = m·Σe               range = max over channels of |base|·max|e|
"""

from __future__ import annotations

import numpy as np

from sim.contract.command import ScalarCommand
from sim.contract.constants import COEFFICIENT_BITS, MAX_MAP_SHIFT, ScalarFlag
from sim.contract.operands import Operands, scalar_operands
from sim.contract.tensors import Memory
from sim.reference.masters import moved
from sim.reference.normalise import (
    FRACTION,
    OFFSET_BITS,
    code_step,
    fraction_for,
    second_shift,
    write_tensor,
)
from sim.reference.scalar import ONE, ZERO, Scalar, add, div, get, greatest, mul, room, scalar, scaled, whole
from sim.reference.tallies import magnitudes, sums


def run_join(command: ScalarCommand, memory: Memory) -> None:
    """The coefficients that add two errors, or take one, to a unit that is a power of two."""
    places = scalar_operands(command)
    channels = command.channels
    first = _units(command, places, memory)
    sizes = magnitudes(places.block("tally"), memory)[:channels]
    reaches = [mul(unit, scalar(size)) for unit, size in zip(first, sizes, strict=True)]
    second: list[Scalar] = []
    fraction1 = 0
    if command.flag(ScalarFlag.STREAM) or command.flag(ScalarFlag.BRANCH):
        record = places.block("in1").header(memory)[0]
        if command.flag(ScalarFlag.STREAM):
            fraction1 = int(record["fraction"])
            second = [scalar(1, -fraction1)] * channels
        else:
            units = places.block("units1").records(memory)[:channels]
            second = [scaled(mul(get(record["step"]), get(unit)), command.shift1) for unit in units]
        sizes = magnitudes(places.block("tally1"), memory)[:channels]
        more = (mul(unit, scalar(size)) for unit, size in zip(second, sizes, strict=True))
        reaches = [add(*pair) for pair in zip(reaches, more, strict=True)]
    bound = greatest(ZERO, *reaches)
    fraction = fraction_for(bound, command.wide_bits - 1)
    by_channel = second if command.flag(ScalarFlag.BRANCH) else []
    wanted = [scaled(unit, fraction) for unit in (*first, *by_channel)]
    k = room(*wanted, most=MAX_MAP_SHIFT, bits=COEFFICIENT_BITS)
    header, records = places.block("coefficients").begin(memory)
    for channel in range(channels):
        records["a"][channel] = whole(wanted[channel], k, COEFFICIENT_BITS)
        if by_channel:
            records["c"][channel] = whole(wanted[channels + channel], k, COEFFICIENT_BITS)
        elif second:
            records["c"][channel] = 1
    header["k"] = k
    header["j"] = second_shift(k, fraction, fraction1) if command.flag(ScalarFlag.STREAM) else 0
    write_tensor(places.block("out"), memory, bound=bound, fraction=fraction)


def run_error(command: ScalarCommand, memory: Memory) -> None:
    """The coefficients of the error codes of y, and γ and β after their update."""
    places = scalar_operands(command)
    channels, count = command.channels, command.count
    errors, stats = sums(places.block("tally"), memory), sums(places.block("tally1"), memory)
    norms, parameters = places.block("norm").records(memory), places.block("parameters").records(memory)
    rates = places.block("step").header(memory)[0]
    sizes = magnitudes(places.block("tally"), memory)
    units = _units(command, places, memory)
    bases, slopes, offsets = [], [], []
    for channel in range(channels):
        norm, unit = norms[channel], units[channel]
        rho = get(norm["rho"])
        total, products = errors[channel]
        spread = scalar(count * products - total * stats[channel][0])
        gamma = scalar(int(parameters["gamma"][channel]), -FRACTION)
        base = mul(mul(gamma, div(rho, get(norm["unit"]))), unit)
        slope = -mul(mul(base, mul(rho, rho)), div(spread, scalar(count * count)))
        even = add(div(mul(base, scalar(total)), scalar(count)), mul(slope, get(norm["mean"])))
        bases.append(base)
        slopes.append(slope)
        offsets.append(-even)
        gradients = {
            "gamma": div(mul(mul(unit, rho), spread), scalar(count)),
            "beta": mul(unit, scalar(total)),
        }
        for name, gradient in gradients.items():
            pair = int(parameters[name][channel]), int(parameters[f"{name}_velocity"][channel])
            decay, rate = int(rates["parameter_decay"]), int(rates["parameter_rate"])
            value, velocity = moved(*pair, whole(gradient, FRACTION, 32), int(rates["momentum"]), decay, rate)
            parameters[name][channel], parameters[f"{name}_velocity"][channel] = value, velocity
    reaches = (mul(abs(base), scalar(size)) for base, size in zip(bases, sizes[:channels], strict=True))
    bound = greatest(ZERO, *reaches)
    step = code_step(bound, command.bits, signed=True)
    wanted = [[div(each, step) for each in group] for group in (bases, slopes, offsets)]
    k = room(*wanted[0], *wanted[1], most=MAX_MAP_SHIFT, bits=COEFFICIENT_BITS)
    header, records = places.block("coefficients").begin(memory)
    header["k"] = k
    for name, group, bits in zip("acb", wanted, (COEFFICIENT_BITS, COEFFICIENT_BITS, OFFSET_BITS), strict=True):
        records[name][:channels] = [whole(each, k, bits) for each in group]
    write_tensor(places.block("out"), memory, step=step, bound=bound)


def _units(command: ScalarCommand, places: Operands, memory: Memory) -> list[Scalar]:
    """The value of 1 in each channel of the first operand."""
    record = places.block("in").header(memory)[0]
    if command.flag(ScalarFlag.POWER):
        return [scaled(ONE, -int(record["fraction"]))] * command.channels
    units: np.ndarray = places.block("units").records(memory)[: command.channels]
    return [scaled(mul(get(record["step"]), get(unit)), command.shift) for unit in units]
