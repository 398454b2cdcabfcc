"""A machine that runs command lists on unpacked tensors: each list is decoded and bound to memory once, run many times.

Nothing is checked: commands must be legal ones, and read what lists before them, or the host, wrote.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from cpt_model.step.masters import bind_update, bind_weights
from cpt_model.step.memory import Codes, Memory, to_blocks
from cpt_model.step.native import Run
from cpt_model.step.products import bind_conv, bind_wgrad
from cpt_model.step.scalars import bind_scalar
from cpt_model.step.vector import bind_map
from host.compiler.command_list import CommandList
from host.compiler.plan import Plan
from sim.contract import PLANE_WORD, Build, Command, Encoded, Opcode, Tensor, operand_a, operand_b, operands, output

BIND: dict[Opcode, Callable[[Any, Memory], Run]] = {
    Opcode.CONV: bind_conv,
    Opcode.WGRAD: bind_wgrad,
    Opcode.MAP: bind_map,
    **dict.fromkeys((Opcode.NORM, Opcode.SCALE, Opcode.JOIN, Opcode.ERROR), bind_scalar),
    Opcode.UPDATE: bind_update,
    Opcode.WEIGHTS: bind_weights,
}


@dataclass
class Bound:
    """A list on its tensors. `inputs` are those that the host writes before it runs."""

    runs: list[Run]
    inputs: dict[Tensor, Codes]


class TensorMachine:
    """A region; its bit planes are not in `memory`. Lists are told apart by identity, and bound in the order in which
    they first run: what one reads of another's results must have been made just before.
    """

    def __init__(self, build: Build, size: int) -> None:
        self.build = build
        self.memory = np.zeros(size, dtype=np.uint8)
        self._tensors = Memory(self.memory)
        self._written: dict[Tensor, tuple[npt.NDArray[np.integer], bool]] = {}
        self._bound: dict[int, Bound] = {}

    def codes(self, place: Tensor, signed: bool) -> Codes:
        """(images, blocks, height, width, 16), of the list that was bound last."""
        return self._tensors.codes(place, signed)

    def mask(self, place: Tensor) -> Codes:
        """(images, blocks, height, width), channel k in bit k."""
        return self._tensors.mask(place)

    def write_codes(self, place: Tensor, codes: npt.NDArray[np.integer], signed: bool) -> None:
        """(n, c, h, w), by the host, for the next list; channels that are not there are 0."""
        self._written[place] = (codes, signed)

    def run(self, commands: CommandList, what: str = "") -> None:
        bound = self._bound.get(id(commands)) or self._bind(commands)
        self.take_inputs(bound.inputs)
        for run in bound.runs:
            run()

    def _bind(self, commands: CommandList) -> Bound:
        inputs = self.hold_inputs()
        self._tensors.expect(place for command in commands.commands for place in planes_of(command))
        runs = [BIND[Opcode(command.opcode)](command, self._tensors) for command in commands.commands]
        self._bound[id(commands)] = bound = Bound(runs, inputs)
        weakref.finalize(commands, self._bound.pop, id(commands), None)
        return bound

    def hold_inputs(self) -> dict[Tensor, Codes]:
        """Tensors for what the host has written."""
        return {place: self._tensors.new_codes(place, signed) for place, (_, signed) in self._written.items()}

    def take_inputs(self, inputs: dict[Tensor, Codes]) -> None:
        for place, tensor in inputs.items():
            if place in self._written:
                codes, _ = self._written.pop(place)
                tensor.copy_(to_blocks(torch.from_numpy(np.require(codes, requirements="W"))))

    def wrote(self, start: int, end: int) -> None:
        pass

    def reads(self, start: int, end: int) -> None:
        pass

    def close(self) -> None:
        pass


class TensorDevice:
    """What makes such a machine for a plan; the build says which networks the board could not run."""

    def __init__(self, build: Build | None = None) -> None:
        self.build = Build.named("zc706") if build is None else build

    def machine(self, plan: Plan) -> TensorMachine:
        return TensorMachine(self.build, plan.bytes)


def planes_of(command: Encoded) -> Iterator[Tensor]:
    """Tensors of bit planes that a command reads or writes, but for masks."""
    if isinstance(command, Command):
        places: Sequence = (operand_a(command), operand_b(command), output(command))
    else:
        found = operands(command)
        named = {**found.reads, **found.changes, **found.writes}
        places = [place for name, place in named.items() if name != "mask"]
    yield from (place for place in places if isinstance(place, Tensor) and place.dtype == PLANE_WORD)
