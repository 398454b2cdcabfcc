"""Command lists that run one behind the other on unpacked tensors: decoded and bound to memory once, run many times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cpt_model.step.masters import bind_update, bind_weights
from cpt_model.step.memory import Codes, Memory, Pool
from cpt_model.step.native import Run
from cpt_model.step.products import bind_conv, bind_wgrad
from cpt_model.step.scalars import bind_scalar
from cpt_model.step.vector import bind_map
from sim.contract import (
    PLANE_WORD,
    Command,
    Encoded,
    Opcode,
    Tensor,
    operand_a,
    operand_b,
    operands,
    output,
)

BIND = {
    Opcode.CONV: bind_conv,
    Opcode.WGRAD: bind_wgrad,
    Opcode.MAP: bind_map,
    **dict.fromkeys((Opcode.NORM, Opcode.SCALE, Opcode.JOIN, Opcode.ERROR), bind_scalar),
    Opcode.UPDATE: bind_update,
    Opcode.WEIGHTS: bind_weights,
}


class Program:
    """Lists in the order in which they run; between two of them the host reads and writes `memory`.

    The commands must be legal ones, and write what they read first, as lists of the compiler do: nothing is checked.
    """

    def __init__(self, raw: np.ndarray, lists: Sequence[Sequence[Encoded]], pool: Pool | None = None) -> None:
        places = (place for commands in lists for command in commands for place in planes_of(command))
        self.memory = Memory(raw, places, pool)
        self.lists = lists
        self._bound: list[list[Run]] = [
            [BIND[Opcode(command.opcode)](command, self.memory) for command in commands]  # type: ignore[operator]
            for commands in lists
        ]

    def run(self, number: int) -> None:
        """One of the lists."""
        for run in self._bound[number]:
            run()

    def codes(self, place: Tensor, signed: bool) -> Codes:
        """(images, blocks, height, width, 16), to read or to write."""
        return self.memory.codes(place, signed)


def planes_of(command: Encoded) -> Iterator[Tensor]:
    """Tensors of bit planes that a command reads or writes, but for masks."""
    if isinstance(command, Command):
        places: Sequence = (operand_a(command), operand_b(command), output(command))
    else:
        found = operands(command)
        named = {**found.reads, **found.changes, **found.writes}
        places = [place for name, place in named.items() if name != "mask"]
    yield from (place for place in places if isinstance(place, Tensor) and place.dtype == PLANE_WORD)
