"""MAP on a memory: the formulas of `sim.reference.vector`, in C++ or by PyTorch's 64-bit integers."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch

from cpt_model.arithmetic.affine import noise
from cpt_model.step.memory import Codes, Memory
from cpt_model.step.native import Run, native_run, operand
from sim.contract import ACCUMULATOR_BITS, CHANNEL_BLOCK, COEFFICIENT_BITS, BlockPlace, MapCommand, MapFlag
from sim.contract.operands import map_operands
from sim.reference.epilogue import shift_half_even
from sim.reference.vector import SEEDS, sign_extend, symmetric_range

MASKS = {MapFlag.MASK_X0: 1, MapFlag.MASK_OUT: 2, MapFlag.MASK_WRITE: 3}  # as in step_map.cpp
Tensors = dict[str, Codes]


def bind_map(command: MapCommand, memory: Memory) -> Run:
    places = map_operands(command)
    signs = {"x0": command.flag(MapFlag.X0_SIGNED), "x1": command.flag(MapFlag.X1_SIGNED), "x2": True}
    made = {"out0": command.flag(MapFlag.OUT_SIGNED), "out1": command.flag(MapFlag.OUT_SIGNED)}
    found = {name: memory.codes(places.tensor(name), signs[name]) for name in signs if name in places.reads}
    mask_use = sum(number for flag, number in MASKS.items() if command.flag(flag))
    if mask_use:
        found["mask"] = memory.mask(places.tensor("mask"))
    found |= {name: memory.new_codes(places.tensor(name), made[name]) for name in made if name in places.writes}
    run = native_run(
        "map",
        *(command.images, command.blocks, command.height * command.width),
        *(each for name in ("x0", "x1", "x2", "out0", "out1") for each in operand(_dense(found.get(name)))),
        *(found.get("mask"), mask_use, command.flag(MapFlag.BROADCAST)),
        *(command.out0_bits, command.out1_bits, command.flag(MapFlag.OUT_SIGNED), command.flag(MapFlag.STOCHASTIC)),
        command.seed_hi << 32 | command.seed_lo,
        memory.pointer(command.coefficients_addr) if command.out0_bits else 0,
        memory.pointer(command.tally_addr) if command.flag(MapFlag.TALLY) else 0,
        memory.pointer(command.step_addr),
    )
    return run or partial(run_map, command, memory, found)


def _dense(codes: Codes | None) -> Codes | None:
    if codes is not None and not codes.is_contiguous():
        raise ValueError("a MAP reads and writes whole tensors")
    return codes


def run_map(command: MapCommand, memory: Memory, found: Tensors) -> None:
    places, raw = map_operands(command), memory.raw
    result = found["x0"].long().expand(command.images, command.blocks, command.height, command.width, CHANNEL_BLOCK)
    mask = torch.empty(0)
    if command.flag(MapFlag.MASK_X0) or command.flag(MapFlag.MASK_OUT):
        mask = found["mask"].long()[..., None] >> torch.arange(CHANNEL_BLOCK) & 1
    if command.flag(MapFlag.MASK_X0):
        result = result * mask
    if command.out0_bits:
        header = places.block("coefficients").header(raw)[0]
        records = places.block("coefficients").records(raw)
        a, c = (by_channel(sign_extend(records[name].astype(np.int64), COEFFICIENT_BITS)) for name in "ac")
        total = result * a + by_channel(records["b"])
        if command.x1_bits:
            second, j = found["x1"].long() * c, int(header["j"])
            total = total + (second << j if j >= 0 else second >> -j)
        spare = 64 - ACCUMULATOR_BITS
        total = total << spare >> spare
        if command.flag(MapFlag.MASK_WRITE):
            found["mask"].copy_(((total > 0).long() << torch.arange(CHANNEL_BLOCK)).sum(-1))
        k, signed = int(header["k"]), command.flag(MapFlag.OUT_SIGNED)
        if command.flag(MapFlag.STOCHASTIC):
            seed = int(places.block("step").header(raw)[0]["seed"]) + (command.seed_hi << 32 | command.seed_lo)
            result = total + (noise(seed % SEEDS, total.numel()).view(total.shape) >> 32 - k) >> k
        else:
            result = shift_half_even(total, k)
        result = result.clamp(*symmetric_range(command.out0_bits, signed))
        if command.flag(MapFlag.MASK_OUT):
            result = result * mask
        found["out0"].copy_(result)
        if command.out1_bits:
            multiplier = int(sign_extend(header["multiplier"].astype(np.int64), COEFFICIENT_BITS))
            scaled = shift_half_even(result * multiplier, int(header["scale_shift"]))
            found["out1"].copy_(scaled.clamp(*symmetric_range(command.out1_bits, signed)))
    if command.flag(MapFlag.TALLY):
        other = found["x2"].long() if command.x2_bits else torch.zeros((), dtype=torch.int64)
        tally(result, other, places.block("tally"), memory)


def by_channel(values: np.ndarray) -> torch.Tensor:
    """To be multiplied with (n, blocks, h, w, 16)."""
    return torch.from_numpy(values.astype(np.int64)).view(-1, 1, 1, CHANNEL_BLOCK)


def tally(values: torch.Tensor, others: torch.Tensor, place: BlockPlace, memory: Memory) -> None:
    """As `sim.reference.tallies.tally`, of (n, blocks, h, w, 16)."""
    header, records = place.begin(memory.raw)
    header["count"] = values.numel() // place.channels
    axes = (0, 2, 3)
    found = (values.sum(axes), (values * others).sum(axes), values.amin(axes), values.amax(axes))
    for name, each in zip(("sum", "second", "least", "most"), found, strict=True):
        records[name] = each.flatten().numpy()
