"""A command list: the commands of some programs, in order, with a place in the region."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from host.compiler.plan import Plan
from host.compiler.program import Program
from sim.contract import COMMAND_BYTES, Memory, encode_list


@dataclass(frozen=True)
class CommandList:
    """What LIST_OFFSET and LIST_BYTES tell the accelerator."""

    commands: tuple[Any, ...]  # of any kind
    offset: int
    layers: tuple[str, ...] = ()  # the name of each command's layer, where it is known

    @classmethod
    def place(cls, programs: Sequence[Program], plan: Plan, name: str = "commands") -> CommandList:
        """Joins the programs' commands in order and reserves room for them."""
        commands = tuple(command for program in programs for command in program.commands)
        return cls(commands, plan.add(name, COMMAND_BYTES * len(commands)))

    def part(self, first: int, end: int) -> CommandList:
        """Some commands of it, where they lie: nothing is carried over from list to list but the region."""
        offset = self.offset + COMMAND_BYTES * first
        return CommandList(self.commands[first:end], offset, self.layers[first:end])

    def moved(self, start: int, end: int, there: int) -> CommandList:
        """The same with all that lies in start..end somewhere else."""

        def elsewhere(command: Any) -> Any:
            found = {name: getattr(command, name) for name in command.TABLE if name.endswith("_addr")}
            places = {name: at - start + there for name, at in found.items() if start <= at < end}
            return replace(command, **places) if places else command

        return CommandList(tuple(map(elsewhere, self.commands)), self.offset, self.layers)

    @property
    def bytes(self) -> int:
        return COMMAND_BYTES * len(self.commands)

    @cached_property
    def encoded(self) -> npt.NDArray[np.uint8]:
        return np.frombuffer(encode_list(self.commands), dtype=np.uint8)

    def write(self, memory: Memory) -> None:
        memory[self.offset : self.offset + self.bytes] = self.encoded
