"""A command list: the commands of some programs, in order, with a place in the region."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from host.compiler.plan import Plan
from host.compiler.program import Program
from sim.contract import COMMAND_BYTES, Command, Memory, encode_list


@dataclass(frozen=True)
class CommandList:
    """What LIST_OFFSET and LIST_BYTES tell the accelerator."""

    commands: tuple[Command, ...]
    offset: int

    @classmethod
    def place(cls, programs: Sequence[Program], plan: Plan, name: str = "commands") -> CommandList:
        """Joins the programs' commands in order and reserves room for them."""
        commands = tuple(command for program in programs for command in program.commands)
        return cls(commands, plan.add(name, COMMAND_BYTES * len(commands)))

    @property
    def bytes(self) -> int:
        return COMMAND_BYTES * len(self.commands)

    def write(self, memory: Memory) -> None:
        encoded = np.frombuffer(encode_list(self.commands), dtype=np.uint8)
        memory[self.offset : self.offset + self.bytes] = encoded
