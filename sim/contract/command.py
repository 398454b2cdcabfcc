"""Commands: 32 little-endian words in memory, dataclasses here. The layouts come from contract.toml."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import ClassVar, TypeVar

import numpy as np

from sim.contract.constants import (
    COMMAND_BYTES,
    COMMAND_WORDS,
    FIELDS,
    MAP_FIELDS,
    SCALAR_FIELDS,
    WEIGHT_FIELDS,
    Flag,
    Format,
    MapFlag,
    Opcode,
    ScalarFlag,
    WeightFlag,
)

Kind = TypeVar("Kind", bound="Encoded")


class Encoded:
    """What all commands share: a table of fields, flags, and their words.

    Values are not checked here: a test must be able to write a wrong command. `sim.contract.checks` judges them.
    """

    TABLE: ClassVar[dict[str, tuple[int, int, int]]]
    FLAGS: ClassVar[type[IntEnum]]
    opcode: int
    flags: int

    def flag(self, flag: IntEnum) -> bool:
        return bool(self.flags >> flag & 1)

    def encode(self) -> bytes:
        """The command as it lies in memory; a value too wide for its field is refused, never cut."""
        words = np.zeros(COMMAND_WORDS, dtype="<u4")
        for name, (word, lsb, width) in self.TABLE.items():
            value = int(getattr(self, name))
            if not 0 <= value < 1 << width:
                raise ValueError(f"command field {name} = {value} does not fit its {width} bits")
            words[word] |= np.uint32(value << lsb)
        return words.tobytes()

    @classmethod
    def decode(cls: type[Kind], data: bytes) -> Kind:
        words = np.frombuffer(data, dtype="<u4", count=COMMAND_WORDS)
        return cls(
            **{name: int(words[word]) >> lsb & (1 << width) - 1 for name, (word, lsb, width) in cls.TABLE.items()}
        )

    @classmethod
    def reserved_bits_set(cls, data: bytes) -> bool:
        """True when a bit that belongs to no field, or an undefined flag, is set."""
        allowed = np.zeros(COMMAND_WORDS, dtype="<u4")
        for word, lsb, width in cls.TABLE.values():
            allowed[word] |= np.uint32(((1 << width) - 1) << lsb)
        word, lsb, width = cls.TABLE["flags"]
        undefined_flags = ((1 << width) - 1) ^ flag_bits(*cls.FLAGS)
        allowed[word] &= np.uint32(~(undefined_flags << lsb) & 0xFFFFFFFF)
        words = np.frombuffer(data, dtype="<u4", count=COMMAND_WORDS)
        return bool((words & ~allowed).any())


@dataclass
class Command(Encoded):
    """CONV or WGRAD, one matrix pass. Field names and units are those of the contract's tables."""

    TABLE = FIELDS
    FLAGS = Flag

    opcode: int = Opcode.CONV
    a_bits: int = 0
    b_bits: int = 0
    out_bits: int = 0
    flags: int = 0
    out_format: int = Format.INT32
    shift: int = 0
    tag: int = 0
    images: int = 1
    a_blocks: int = 1
    y_blocks: int = 1
    a_height: int = 1
    a_width: int = 1
    y_height: int = 1
    y_width: int = 1
    kernel_h: int = 1
    kernel_w: int = 1
    stride_y: int = 1
    stride_x: int = 1
    up_y: int = 1
    up_x: int = 1
    pad_top: int = 0
    pad_left: int = 0
    pad_bottom: int = 0
    pad_right: int = 0
    a_addr: int = 0
    a_image_stride: int = 0
    a_block_stride: int = 0
    b_addr: int = 0
    b_image_stride: int = 0
    b_block_stride: int = 0
    out_addr: int = 0
    out_image_stride: int = 0
    out_block_stride: int = 0
    sums_addr: int = 0
    seed_lo: int = 0
    seed_hi: int = 0
    tally_addr: int = 0


@dataclass
class MapCommand(Encoded):
    """MAP: one pass of the vector lanes over a map."""

    TABLE = MAP_FIELDS
    FLAGS = MapFlag
    opcode: int = Opcode.MAP
    x0_bits: int = 0
    x1_bits: int = 0
    x2_bits: int = 0
    flags: int = 0
    out0_bits: int = 0
    out1_bits: int = 0
    tag: int = 0
    images: int = 1
    blocks: int = 1
    height: int = 1
    width: int = 1
    x0_addr: int = 0
    x1_addr: int = 0
    x2_addr: int = 0
    mask_addr: int = 0
    out0_addr: int = 0
    out1_addr: int = 0
    coefficients_addr: int = 0
    tally_addr: int = 0
    step_addr: int = 0
    seed_lo: int = 0
    seed_hi: int = 0


@dataclass
class ScalarCommand(Encoded):
    """NORM, SCALE, JOIN or ERROR: the scalar unit on the channels of a map."""

    TABLE = SCALAR_FIELDS
    FLAGS = ScalarFlag
    opcode: int = Opcode.NORM
    bits: int = 0
    wide_bits: int = 0
    shift: int = 0
    flags: int = 0
    shift1: int = 0
    tag: int = 0
    images: int = 1
    channels: int = 16
    height: int = 1
    width: int = 1
    tally_addr: int = 0
    tally1_addr: int = 0
    norm_addr: int = 0
    norm1_addr: int = 0
    parameters_addr: int = 0
    units_addr: int = 0
    units1_addr: int = 0
    in_addr: int = 0
    in1_addr: int = 0
    out_addr: int = 0
    coefficients_addr: int = 0
    step_addr: int = 0

    @property
    def count(self) -> int:
        """Pixels of a channel."""
        return self.images * self.height * self.width


@dataclass
class WeightCommand(Encoded):
    """UPDATE or WEIGHTS: the master weights of a layer."""

    TABLE = WEIGHT_FIELDS
    FLAGS = WeightFlag
    opcode: int = Opcode.UPDATE
    bits: int = 0
    acc_format: int = Format.INT32
    flags: int = 0
    tag: int = 0
    in_channels: int = 16
    out_channels: int = 16
    group_in: int = 0
    group_out: int = 0
    kernel_h: int = 1
    kernel_w: int = 1
    acc_addr: int = 0
    w_addr: int = 0
    v_addr: int = 0
    max_out_addr: int = 0
    max_in_addr: int = 0
    x_addr: int = 0
    e_addr: int = 0
    codes_addr: int = 0
    codes_in_addr: int = 0
    units_addr: int = 0
    units_in_addr: int = 0
    step_addr: int = 0


AnyCommand = Command | MapCommand | ScalarCommand | WeightCommand
CLASSES: dict[int, type[Encoded]] = {
    **dict.fromkeys((Opcode.CONV, Opcode.WGRAD), Command),
    Opcode.MAP: MapCommand,
    **dict.fromkeys((Opcode.NORM, Opcode.SCALE, Opcode.JOIN, Opcode.ERROR), ScalarCommand),
    **dict.fromkeys((Opcode.UPDATE, Opcode.WEIGHTS), WeightCommand),
}
for _class in (Command, MapCommand, ScalarCommand, WeightCommand):
    assert [field.name for field in fields(_class)] == list(_class.TABLE), f"{_class.__name__} and contract.toml differ"


def flag_bits(*flags: IntEnum) -> int:
    """The `flags` field with the given flags set."""
    return sum(1 << flag for flag in flags)


def encode_list(commands: Sequence[Encoded]) -> bytes:
    """A command list as it lies in memory."""
    return b"".join(command.encode() for command in commands)


assert COMMAND_BYTES == 4 * COMMAND_WORDS
