"""What a command reads, changes and writes: tensors and blocks, each with its place in the region."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gcd, lcm

import numpy as np

from sim.contract.blocks import BlockPlace
from sim.contract.command import Command, Encoded, MapCommand, ScalarCommand, WeightCommand
from sim.contract.constants import CHANNEL_BLOCK, Block, Flag, Format, MapFlag, Opcode, ScalarFlag, WeightFlag
from sim.contract.layout import WORD_TYPES, blocks_of
from sim.contract.tensors import Tensor, operand_a, operand_b, output, planes_at, row_sums, weights_at

Place = Tensor | BlockPlace
MASTER = np.dtype("<i4")


@dataclass
class Operands:
    """By name. What is changed is read and written in place; `history` is read if an earlier list has left it."""

    reads: dict[str, Place] = field(default_factory=dict)
    changes: dict[str, Place] = field(default_factory=dict)
    writes: dict[str, Place] = field(default_factory=dict)
    history: dict[str, BlockPlace] = field(default_factory=dict)

    @property
    def all(self) -> dict[str, Place]:
        """Each place once; what is read as history may be written, too."""
        return {**self.history, **self.reads, **self.changes, **self.writes}

    @property
    def sources(self) -> dict[str, Place]:
        """Whatever is read."""
        return {**self.reads, **self.changes, **self.history}

    @property
    def results(self) -> dict[str, Place]:
        """Whatever is written."""
        return {**self.changes, **self.writes}

    def tensor(self, name: str) -> Tensor:
        found = self.all[name]
        assert isinstance(found, Tensor)
        return found

    def block(self, name: str) -> BlockPlace:
        found = self.all[name]
        assert isinstance(found, BlockPlace)
        return found


def operands(command: Encoded) -> Operands:
    """Of a legal command."""
    if isinstance(command, Command):
        return matrix_operands(command)
    if isinstance(command, MapCommand):
        return map_operands(command)
    if isinstance(command, ScalarCommand):
        return scalar_operands(command)
    assert isinstance(command, WeightCommand)
    return weight_operands(command)


def matrix_operands(command: Command) -> Operands:
    made = {"out": output(command), "sums": row_sums(command), "tally": tally_of(command)}
    return Operands(
        reads={"a": operand_a(command), "b": operand_b(command)},
        writes={name: place for name, place in made.items() if place is not None},
    )


def tally_of(command: Command) -> BlockPlace | None:
    """Statistics of a CONV's results by channel; None when not asked for."""
    if not command.flag(Flag.STATS):
        return None
    return BlockPlace(Block.TALLY, command.tally_addr, CHANNEL_BLOCK * command.y_blocks)


def map_operands(command: MapCommand) -> Operands:
    def planes(name: str, bits: int, broadcast: bool = False) -> Tensor:
        extents = (1, 1) if broadcast else (command.height, command.width)
        return planes_at(getattr(command, f"{name}_addr"), command.images, command.blocks, *extents, bits)

    found = Operands()
    channels = 16 * command.blocks
    found.reads["x0"] = planes("x0", command.x0_bits, command.flag(MapFlag.BROADCAST))
    for name in ("x1", "x2"):
        if getattr(command, f"{name}_bits"):
            found.reads[name] = planes(name, getattr(command, f"{name}_bits"))
    for name in ("out0", "out1"):
        if getattr(command, f"{name}_bits"):
            found.writes[name] = planes(name, getattr(command, f"{name}_bits"))
    if command.flag(MapFlag.MASK_X0) or command.flag(MapFlag.MASK_OUT):
        found.reads["mask"] = planes("mask", 1)
    elif command.flag(MapFlag.MASK_WRITE):
        found.writes["mask"] = planes("mask", 1)
    if command.out0_bits:
        found.reads["coefficients"] = BlockPlace(Block.COEFFICIENTS, command.coefficients_addr, channels)
    if command.flag(MapFlag.STOCHASTIC):
        found.reads["step"] = BlockPlace(Block.STEP, command.step_addr)
    if command.flag(MapFlag.TALLY):
        found.writes["tally"] = BlockPlace(Block.TALLY, command.tally_addr, channels)
    return found


def scalar_operands(command: ScalarCommand) -> Operands:
    channels = 16 * blocks_of(command.channels)

    def block(kind: Block, name: str) -> BlockPlace:
        return BlockPlace(kind, getattr(command, f"{name}_addr"), 0 if kind is Block.TENSOR else channels)

    found = Operands()
    if command.opcode == Opcode.NORM:
        found.reads |= {"tally": block(Block.TALLY, "tally"), "units": block(Block.UNITS, "units")}
        found.reads["in"] = block(Block.TENSOR, "in")
        parameters = {"parameters": block(Block.PARAMETERS, "parameters")}
        if command.flag(ScalarFlag.EVALUATE):
            found.reads |= parameters
        else:
            found.reads["step"] = BlockPlace(Block.STEP, command.step_addr)
            found.changes |= parameters
        found.writes["norm"] = block(Block.NORM, "norm")
        return found
    found.writes["coefficients"] = block(Block.COEFFICIENTS, "coefficients")
    if command.opcode == Opcode.SCALE:
        found.reads["norm"] = block(Block.NORM, "norm")
        if command.flag(ScalarFlag.STREAM):
            found.reads |= {"tally1": block(Block.TALLY, "tally1"), "in1": block(Block.TENSOR, "in1")}
        if command.flag(ScalarFlag.BRANCH):
            found.reads["norm1"] = block(Block.NORM, "norm1")
        if command.flag(ScalarFlag.NODE):
            found.history = {"tally": block(Block.TALLY, "tally"), "out": block(Block.TENSOR, "out")}
        found.writes["out"] = block(Block.TENSOR, "out")
        return found
    found.reads |= {"tally": block(Block.TALLY, "tally"), "in": block(Block.TENSOR, "in")}
    if not command.flag(ScalarFlag.POWER):
        found.reads["units"] = block(Block.UNITS, "units")
    found.writes["out"] = block(Block.TENSOR, "out")
    if command.opcode == Opcode.JOIN:
        if command.flag(ScalarFlag.STREAM) or command.flag(ScalarFlag.BRANCH):
            found.reads |= {"tally1": block(Block.TALLY, "tally1"), "in1": block(Block.TENSOR, "in1")}
        if command.flag(ScalarFlag.BRANCH):
            found.reads["units1"] = block(Block.UNITS, "units1")
    else:
        found.reads |= {"tally1": block(Block.TALLY, "tally1"), "norm": block(Block.NORM, "norm")}
        found.reads["step"] = BlockPlace(Block.STEP, command.step_addr)
        found.changes["parameters"] = block(Block.PARAMETERS, "parameters")
    return found


def bundle_channels(command: WeightCommand) -> tuple[int, int]:
    """Input and output channels of a bundle: the fewest groups that fill whole blocks on both sides, or all there are.

    What lies between groups of different bundles is not stored: words of an input channel and codes of either side have
    the other side's channels of the same bundle alone. A layer without groups is one bundle.

    >>> bundle_channels(WeightCommand(in_channels=96, out_channels=96, group_in=1, group_out=1))
    (16, 16)
    """
    if not command.group_in:
        return command.in_channels, command.out_channels
    sides = (command.group_in, command.group_out)
    groups = min(lcm(*(CHANNEL_BLOCK // gcd(CHANNEL_BLOCK, side) for side in sides)), command.in_channels // sides[0])
    return groups * sides[0], groups * sides[1]


def weight_operands(command: WeightCommand) -> Operands:
    kernel = (command.kernel_h, command.kernel_w)
    outs, ins = 16 * blocks_of(command.out_channels), 16 * blocks_of(command.in_channels)
    bundle_in, bundle_out = bundle_channels(command)

    def words(name: str, dtype: np.dtype = MASTER) -> Tensor:
        return weights_at(getattr(command, f"{name}_addr"), command.in_channels, bundle_out, kernel, dtype)

    found = Operands()
    max_out = BlockPlace(Block.MAXIMA, command.max_out_addr, outs)
    max_in = BlockPlace(Block.MAXIMA, command.max_in_addr, ins)
    if command.opcode == Opcode.UPDATE:
        found.reads["acc"] = words("acc", WORD_TYPES[Format(command.acc_format)])
        found.reads |= {name: BlockPlace(Block.TENSOR, getattr(command, f"{name}_addr")) for name in ("x", "e")}
        found.reads["step"] = BlockPlace(Block.STEP, command.step_addr)
        found.changes |= {"w": words("w"), "v": words("v")}
        found.writes |= {"max_out": max_out, "max_in": max_in}
        return found
    found.reads |= {"w": words("w"), "max_out": max_out}
    found.writes["units"] = BlockPlace(Block.UNITS, command.units_addr, outs)
    found.writes["codes"] = planes_at(command.codes_addr, outs, blocks_of(bundle_in), *kernel, command.bits)
    if command.flag(WeightFlag.BOTH):
        found.reads["max_in"] = max_in
        found.writes["units_in"] = BlockPlace(Block.UNITS, command.units_in_addr, ins)
        found.writes["codes_in"] = planes_at(command.codes_in_addr, ins, blocks_of(bundle_out), *kernel, command.bits)
    return found
