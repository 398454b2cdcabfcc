"""A machine that runs command lists on unpacked tensors: each list is decoded and bound to memory once, run many times.

Nothing is checked: commands must be legal ones, and read what lists before them, or the host, wrote. Row sums are not
made, and unsigned codes have at most 15 bits: no list of a whole step has others.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
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
from sim.contract import PLANE_WORD, Build, Encoded, Opcode, Tensor, operands

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

    def pack(self, place: Tensor, codes: npt.NDArray[np.integer], signed: bool) -> Any:
        """(n, c, h, w), by the host; channels that are not there are 0."""
        return codes, signed

    def write_packed(self, place: Tensor, packed: Any) -> None:
        """For the next list."""
        self._written[place] = packed

    def run(self, commands: CommandList, what: str = "", meanwhile: Callable[[], object] | None = None) -> None:
        if meanwhile is not None:
            meanwhile()
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
    for name, place in operands(command).all.items():
        if isinstance(place, Tensor) and place.dtype == PLANE_WORD and name != "mask":
            yield place
