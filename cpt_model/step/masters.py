"""UPDATE and WEIGHTS on a memory; without C++ by the reference's own functions."""

from __future__ import annotations

from functools import partial

import torch

from cpt_model.step.memory import Memory, to_blocks
from cpt_model.step.native import Run, native_run
from sim.contract import CHANNEL_BLOCK, Format, WeightCommand, WeightFlag, unpack_planes
from sim.contract.operands import bundle_channels, weight_operands
from sim.reference.masters import run_update, run_weights


def _layer(command: WeightCommand) -> tuple[int, ...]:
    groups = (command.group_in, command.group_out, *bundle_channels(command))
    return command.in_channels, command.out_channels, *groups, command.kernel_h * command.kernel_w


def bind_update(command: WeightCommand, memory: Memory) -> Run:
    names = ("acc", "w", "v", "max_out", "max_in", "x", "e", "step")
    places = (memory.pointer(getattr(command, f"{name}_addr")) for name in names)
    run = native_run("update", *_layer(command), command.acc_format == Format.INT64, *places)
    return run or partial(run_update, command, memory.raw)


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


def weights(command: WeightCommand, memory: Memory, codes: torch.Tensor, codes_in: torch.Tensor | None) -> None:
    """By the reference, whose planes are then unpacked."""
    run_weights(command, memory.raw)
    places = weight_operands(command)
    for name, made in (("codes", codes), ("codes_in", codes_in)):
        if made is not None:
            planes = places.tensor(name).read(memory.raw)
            made.copy_(to_blocks(torch.from_numpy(unpack_planes(planes, CHANNEL_BLOCK * planes.shape[1], signed=True))))
