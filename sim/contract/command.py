"""A command: 32 little-endian words in memory, a dataclass here. The layout comes from contract.toml."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from sim.contract.constants import COMMAND_BYTES, COMMAND_WORDS, FIELDS, Flag, Format, Opcode


@dataclass
class Command:
    """One matrix pass. Field names and units are those of the contract's command table.

    Values are not checked here: a test must be able to write a wrong command. `sim.contract.checks` judges them.
    """

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

    def flag(self, flag: Flag) -> bool:
        return bool(self.flags >> flag & 1)

    def encode(self) -> bytes:
        """The command as it lies in memory; a value too wide for its field is refused, never truncated."""
        words = np.zeros(COMMAND_WORDS, dtype="<u4")
        for name, (word, lsb, width) in FIELDS.items():
            value = int(getattr(self, name))
            if not 0 <= value < 1 << width:
                raise ValueError(f"command field {name} = {value} does not fit its {width} bits")
            words[word] |= np.uint32(value << lsb)
        return words.tobytes()

    @classmethod
    def decode(cls, data: bytes) -> Command:
        words = np.frombuffer(data, dtype="<u4", count=COMMAND_WORDS)
        return cls(**{name: int(words[word]) >> lsb & (1 << width) - 1 for name, (word, lsb, width) in FIELDS.items()})


assert {field.name for field in fields(Command)} == set(FIELDS), "Command and contract.toml have different fields"


def flag_bits(*flags: Flag) -> int:
    """The `flags` field with the given flags set."""
    return sum(1 << flag for flag in flags)


def encode_list(commands: Sequence[Command]) -> bytes:
    """A command list as it lies in memory."""
    return b"".join(command.encode() for command in commands)


def reserved_bits_set(data: bytes) -> bool:
    """True when a bit that belongs to no field, or an undefined flag, is set."""
    allowed = np.zeros(COMMAND_WORDS, dtype="<u4")
    for word, lsb, width in FIELDS.values():
        allowed[word] |= np.uint32(((1 << width) - 1) << lsb)
    word, lsb, width = FIELDS["flags"]
    undefined_flags = ((1 << width) - 1) ^ flag_bits(*Flag)
    allowed[word] &= np.uint32(~(undefined_flags << lsb) & 0xFFFFFFFF)
    words = np.frombuffer(data, dtype="<u4", count=COMMAND_WORDS)
    return bool((words & ~allowed).any())


assert COMMAND_BYTES == 4 * COMMAND_WORDS
