"""UPDATE and WEIGHTS: momentum SGD on fixed-point master weights, and their codes for both passes.

v ← saturate( round((v·MU + w·WD) / 2^24) + round(acc·G / 2^g) )     G·2^−g = step of x · step of e · 2^24
w ← saturate( w − round(v·RATE / 2^24) )                             w has 27 bits behind the point, v has 24
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.contract.blocks import BlockPlace
from sim.contract.command import WeightCommand
from sim.contract.constants import ACCUMULATOR_BITS, CHANNEL_BLOCK, SCALAR_BITS, WeightFlag
from sim.contract.layout import blocks_of, code_range, pack_planes
from sim.contract.operands import Operands, bundle_channels, weight_operands
from sim.contract.tensors import Memory, Tensor
from sim.reference import momentum
from sim.reference.epilogue import shift_half_even
from sim.reference.momentum import RATE_BITS
from sim.reference.scalar import div, get, mul, scalar
from sim.reference.tallies import sign_extend

Integers = npt.NDArray[np.int64]
WEIGHT_FRACTION = 27
MULTIPLIER_BITS = 24


def saturate(value: int, bits: int = 32) -> int:
    return max(-(1 << bits - 1), min(value, (1 << bits - 1) - 1))


def moved(w: int, v: int, gradient: int, momentum: int, decay: int, rate: int) -> tuple[int, int]:
    """A parameter and its velocity after a step; the gradient is in the velocity's unit."""
    v = saturate(shift_half_even(v * momentum + w * decay, RATE_BITS) + gradient)
    return saturate(w - shift_half_even(v * rate, RATE_BITS)), v


def run_update(command: WeightCommand, memory: Memory) -> None:
    """Every weight at once."""
    places = weight_operands(command)
    rates = places.block("step").header(memory)[0]
    factors = (int(rates[name]) for name in ("momentum", "weight_decay", "weight_rate"))
    product = mul(*(get(places.block(name).header(memory)["step"][0]) for name in ("x", "e")))
    multiplier, shift = product.m >> SCALAR_BITS - MULTIPLIER_BITS, -(product.e + SCALAR_BITS)
    words = {name: places.tensor(name).read(memory).astype(np.int64) for name in ("w", "v", "acc")}
    live = _live(command, words["w"].shape)
    words["acc"] = sign_extend(words["acc"], ACCUMULATOR_BITS)
    w, v, acc = (each[live] for each in words.values())
    gradient = momentum.gradients(acc, multiplier, shift) if product.m else np.zeros_like(acc)
    words["w"][live], words["v"][live] = momentum.moved(w, v, gradient, *factors)
    for name in ("w", "v"):
        places.tensor(name).write(memory, words[name])
    out_side, in_side = (np.abs(side) for side in sides(command, words["w"]))
    _write_maxima(places.block("max_out"), memory, out_side.max(axis=(1, 2, 3)))
    _write_maxima(places.block("max_in"), memory, in_side.max(axis=(1, 2, 3)))


def _live(command: WeightCommand, shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Which words (ci, block, ky, kx, co) are weights: real channels, of the same group."""
    bundle_in, bundle_out = bundle_channels(command)
    ci = np.arange(shape[0])[:, None, None, None, None]
    co = (CHANNEL_BLOCK * np.arange(shape[1])[:, None] + np.arange(CHANNEL_BLOCK))[None, :, None, None, :]
    live = (ci < command.in_channels) & (co < bundle_out)
    if command.group_in:
        co = co + ci // bundle_in * bundle_out
        live = live & (co < command.out_channels) & (ci // command.group_in == co // command.group_out)
    return np.broadcast_to(live, shape)


def sides(command: WeightCommand, words: npt.NDArray) -> tuple[Integers, Integers]:
    """Words (ci, block, ky, kx, co) by output channel, and by input channel: each (channel, others, ky, kx).

    The others are those of the channel's bundle, in whole blocks.
    """
    ci, blocks, kh, kw, lanes = words.shape
    bundle_in, bundle_out = bundle_channels(command)
    by_in = words.astype(np.int64).transpose(0, 1, 4, 2, 3).reshape(ci, blocks * lanes, kh, kw)
    outs, width = CHANNEL_BLOCK * blocks_of(command.out_channels), CHANNEL_BLOCK * blocks_of(bundle_in)
    by_out = np.zeros((outs, width, kh, kw), dtype=np.int64)
    for number, first in enumerate(range(0, command.in_channels, bundle_in)):
        part = by_in[first : first + width]
        rows = by_out[number * bundle_out :][: blocks * lanes]
        rows[:, : len(part)] = part.transpose(1, 0, 2, 3)[: len(rows)]
    return by_out, by_in


def _write_maxima(place: BlockPlace, memory: Memory, sizes: Integers) -> None:
    _, records = place.begin(memory)
    records[:] = np.minimum(sizes, (1 << 31) - 1)


def run_weights(command: WeightCommand, memory: Memory) -> None:
    """Codes by output channel, and on request by input channel, flipped."""
    places = weight_operands(command)
    by_out, by_in = sides(command, places.tensor("w").read(memory))
    half = command.flag(WeightFlag.HALF)
    wanted = [("", "max_out", by_out)]
    if command.flag(WeightFlag.BOTH):
        wanted.append(("_in", "max_in", by_in[:, :, ::-1, ::-1]))
    for suffix, name, values in wanted:
        maxima = np.maximum(places.block(name).records(memory).astype(np.int64), 1)
        _write_codes(places, memory, suffix, values, maxima, command.bits, half)


def _write_codes(
    places: Operands, memory: Memory, suffix: str, values: Integers, maxima: Integers, bits: int, half: bool
) -> None:
    levels = (1 << bits) - 1 if half else (1 << bits - 1) - 1
    multipliers, shifts = zip(*(multiplier_for(int(most), levels) for most in maxima), strict=True)
    product = values * np.array(multipliers, dtype=np.int64)[:, None, None, None]
    shift = np.array(shifts, dtype=np.int64)[:, None, None, None]
    if half:
        codes = np.clip(product >> shift + 1, *code_range(bits, signed=True))
    else:
        codes = np.clip(shift_half_even(product, shift), -levels, levels)
    tensor: Tensor = places.tensor(f"codes{suffix}")
    tensor.write(memory, pack_planes(codes, bits, signed=True))
    _, records = places.block(f"units{suffix}").begin(memory)
    records[:] = [div(scalar(int(most), -WEIGHT_FRACTION), scalar(levels)) for most in maxima]


def multiplier_for(most: int, levels: int) -> tuple[int, int]:
    """M and s with M = ⌊levels·2^s / most⌋ of 24 bits.

    >>> multiplier_for(1000, 255)
    (8556380, 25)
    """
    shift = MULTIPLIER_BITS + most.bit_length() - levels.bit_length()
    if (levels << shift) // most >> MULTIPLIER_BITS:
        shift -= 1
    return (levels << shift) // most, shift
