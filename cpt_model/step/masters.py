"""UPDATE and WEIGHTS on a memory. Without C++, 64-bit integers of PyTorch where they suffice, else the reference."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch

from cpt_model.step.memory import Memory
from cpt_model.step.native import Run, native_run
from sim.contract import CHANNEL_BLOCK, SCALAR_BITS, Format, WeightCommand, WeightFlag, unpack_planes
from sim.contract.operands import bundle_channels, weight_operands
from sim.reference.epilogue import shift_half_even
from sim.reference.masters import MULTIPLIER_BITS, RATE_BITS, _live, run_update, run_weights, sides
from sim.reference.scalar import Scalar, mul

WORDS = (-(1 << 31), (1 << 31) - 1)


def _layer(command: WeightCommand) -> tuple[int, ...]:
    groups = (command.group_in, command.group_out, *bundle_channels(command))
    return command.in_channels, command.out_channels, *groups, command.kernel_h * command.kernel_w


def bind_update(command: WeightCommand, memory: Memory) -> Run:
    names = ("acc", "w", "v", "max_out", "max_in", "x", "e", "step")
    places = (memory.pointer(getattr(command, f"{name}_addr")) for name in names)
    run = native_run("update", *_layer(command), command.acc_format == Format.INT64, *places)
    return run or partial(update, command, memory)


def bind_weights(command: WeightCommand, memory: Memory) -> Run:
    both = command.flag(WeightFlag.BOTH)
    places = weight_operands(command)
    codes = memory.new_codes(places.tensor("codes"), signed=True)
    codes_in = memory.new_codes(places.tensor("codes_in"), signed=True) if both else None
    if command.bits <= 8:
        run = native_run(
            "weights",
            *_layer(command),
            *(command.bits, command.flag(WeightFlag.HALF), both),
            *(memory.pointer(getattr(command, f"{name}_addr")) for name in ("w", "max_out", "max_in")),
            *(codes, codes_in, memory.pointer(command.units_addr), memory.pointer(command.units_in_addr)),
        )
        if run is not None:
            return run
    return partial(weights, command, memory, codes, codes_in)


def update(command: WeightCommand, memory: Memory) -> None:
    """As `sim.reference.masters.run_update`, all weights at once."""
    raw, places = memory.raw, weight_operands(command)
    rates = places.block("step").header(raw)[0]
    momentum, decay, rate = (int(rates[name]) for name in ("momentum", "weight_decay", "weight_rate"))
    product = mul(*(Scalar(*map(int, places.block(name).header(raw)["step"][0])) for name in ("x", "e")))
    multiplier, shift = product.m >> SCALAR_BITS - MULTIPLIER_BITS, -(product.e + SCALAR_BITS)
    w, v, acc = (torch.from_numpy(places.tensor(name).read(raw).astype(np.int64)) for name in ("w", "v", "acc"))
    fits = momentum + decay < 1 << 32 and rate < 1 << 32 and int(acc.abs().max()) < 1 << 63 - MULTIPLIER_BITS
    if not fits or shift <= 0:
        return run_update(command, raw)
    step = shift_half_even(acc * multiplier, shift) if shift < 63 else torch.zeros_like(acc)
    live = torch.from_numpy(_live(command, tuple(w.shape)).copy())
    moved_v = (shift_half_even(v * momentum + w * decay, RATE_BITS) + step.clamp(*WORDS)).clamp(*WORDS)
    moved_w = (w - shift_half_even(moved_v * rate, RATE_BITS)).clamp(*WORDS)
    for name, old, new in (("w", w, moved_w), ("v", v, moved_v)):
        places.tensor(name).write(raw, torch.where(live, new, old).numpy())
    of_sides = zip(("max_out", "max_in"), sides(command, places.tensor("w").read(raw)), strict=True)
    for name, side in of_sides:
        _, records = places.block(name).begin(raw)
        records[:] = np.minimum(np.abs(side).max(axis=(1, 2, 3)), WORDS[1])
    return None


def weights(command: WeightCommand, memory: Memory, codes: torch.Tensor, codes_in: torch.Tensor | None) -> None:
    """By the reference, whose planes are then unpacked."""
    run_weights(command, memory.raw)
    places = weight_operands(command)
    for name, made in (("codes", codes), ("codes_in", codes_in)):
        if made is not None:
            planes = places.tensor(name).read(memory.raw)
            unpacked = unpack_planes(planes, CHANNEL_BLOCK * planes.shape[1], signed=True)
            by_block = unpacked.reshape(len(planes), -1, CHANNEL_BLOCK, *unpacked.shape[2:]).transpose(0, 1, 3, 4, 2)
            made.copy_(torch.from_numpy(np.ascontiguousarray(by_block)))
