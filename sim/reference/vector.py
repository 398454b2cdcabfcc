"""MAP: one pass over a map, element by element.

t    = x0·A + (x1·C)·2^j + B            A, C, B by channel; modulo 2^48, signed
out0 = saturate(round(t / 2^k))         half to even, or stochastic
out1 = saturate(round(out0·M / 2^s))    half to even
mask = t > 0
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.contract.command import MapCommand
from sim.contract.constants import ACCUMULATOR_BITS, CHANNEL_BLOCK, COEFFICIENT_BITS, MapFlag
from sim.contract.layout import pack_planes, unpack_planes
from sim.contract.operands import map_operands
from sim.contract.tensors import Memory, Tensor
from sim.reference.epilogue import rounding_bits, shift_half_even
from sim.reference.tallies import sign_extend, tally

Integers = npt.NDArray[np.int64]
SEEDS = 1 << 64


def run_map(command: MapCommand, memory: Memory) -> None:
    """A checked command."""
    places = map_operands(command)
    channels = CHANNEL_BLOCK * command.blocks

    def read(name: str, signed: bool) -> Integers:
        return unpack_planes(places.tensor(name).read(memory), channels, signed).astype(np.int64)

    x0 = read("x0", command.flag(MapFlag.X0_SIGNED))
    result = np.broadcast_to(x0, (command.images, channels, command.height, command.width))
    if command.flag(MapFlag.MASK_X0):
        result = result * read("mask", signed=False)
    if command.out0_bits:
        header = places.block("coefficients").header(memory)[0]
        records = places.block("coefficients").records(memory)
        a, c = (_column(sign_extend(records[name], COEFFICIENT_BITS)) for name in "ac")
        total = result * a + _column(records["b"])
        if command.x1_bits:
            second, j = read("x1", command.flag(MapFlag.X1_SIGNED)) * c, int(header["j"])
            total = total + (second << j if j >= 0 else second >> -j)
        total = sign_extend(total, ACCUMULATOR_BITS)
        if command.flag(MapFlag.MASK_WRITE):
            _store(places.tensor("mask"), memory, (total > 0).astype(np.int64), 1, signed=False)
        k, signed = int(header["k"]), command.flag(MapFlag.OUT_SIGNED)
        if command.flag(MapFlag.STOCHASTIC):
            seed = int(places.block("step").header(memory)[0]["seed"]) + (command.seed_hi << 32 | command.seed_lo)
            result = total + rounding_bits(total.shape, seed % SEEDS, k) >> k
        else:
            result = shift_half_even(total, k)
        result = np.clip(result, *symmetric_range(command.out0_bits, signed))
        if command.flag(MapFlag.MASK_OUT):
            result = result * read("mask", signed=False)
        _store(places.tensor("out0"), memory, result, command.out0_bits, signed)
        if command.out1_bits:
            multiplier = sign_extend(header["multiplier"], COEFFICIENT_BITS)
            scaled = shift_half_even(result * multiplier, int(header["scale_shift"]))
            scaled = np.clip(scaled, *symmetric_range(command.out1_bits, signed))
            _store(places.tensor("out1"), memory, scaled, command.out1_bits, signed)
    if command.flag(MapFlag.TALLY):
        other = read("x2", signed=True) if command.x2_bits else np.zeros((), dtype=np.int64)
        tally(result, other, places.block("tally"), memory)


def symmetric_range(bits: int, signed: bool) -> tuple[int, int]:
    """What a vector command saturates to: signed codes leave out the least one."""
    return (-(1 << bits - 1) + 1, (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def _column(by_channel: npt.NDArray) -> Integers:
    return by_channel.astype(np.int64)[None, :, None, None]


def _store(tensor: Tensor, memory: Memory, values: Integers, bits: int, signed: bool) -> None:
    tensor.write(memory, pack_planes(values, bits, signed))
