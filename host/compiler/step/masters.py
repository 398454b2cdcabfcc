"""Commands on a unit's master weights: their codes before the forward pass, their update behind the gradient."""

from __future__ import annotations

from typing import Any

from host.compiler.step.network import Unit
from host.compiler.step.places import Places
from sim.contract import Block, Format, Opcode, WeightCommand, WeightFlag, flag_bits


def weights(places: Places, unit: Unit, both: bool) -> WeightCommand:
    """Codes for the forward pass, and for the input-error pass if there is one."""
    flags = [*([WeightFlag.HALF] if places.half(unit) else []), *([WeightFlag.BOTH] if both else [])]
    back: dict[str, int] = {}
    if both:
        back["codes_in_addr"] = places.weight_codes_in(unit).address
        back["units_in_addr"] = places.of_input(Block.UNITS, unit).address
    return WeightCommand(
        Opcode.WEIGHTS,
        bits=places.bits.forward,
        acc_format=Format.INT16,
        flags=flag_bits(*flags),
        codes_addr=places.weight_codes(unit).address,
        units_addr=places.of_unit(Block.UNITS, unit).address,
        **_masters(places, unit),
        **back,
    )


def update(places: Places, unit: Unit, acc_format: int, acc_addr: int) -> WeightCommand:
    return WeightCommand(
        Opcode.UPDATE,
        acc_format=acc_format,
        acc_addr=acc_addr,
        v_addr=places.words(unit, "velocity").address,
        x_addr=places.source(unit).step.address,
        e_addr=places.of_unit(Block.TENSOR, unit, "error").address,
        step_addr=places.step().address,
        **_masters(places, unit),
    )


def _masters(places: Places, unit: Unit) -> dict[str, Any]:
    layer = unit.layer
    groups = layer.groups if unit.grouped else 0
    return {
        "in_channels": layer.in_channels,
        "out_channels": layer.out_channels,
        "group_in": layer.in_channels // groups if groups else 0,
        "group_out": layer.out_channels // groups if groups else 0,
        "kernel_h": layer.kernel[0],
        "kernel_w": layer.kernel[1],
        "w_addr": places.words(unit, "weight").address,
        "max_out_addr": places.of_unit(Block.MAXIMA, unit, kept=True).address,
        "max_in_addr": places.of_input(Block.MAXIMA, unit, kept=True).address,
    }
