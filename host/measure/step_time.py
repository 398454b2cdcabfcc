"""Cycles of a whole training iteration by the latency model, from the lists that the compiler makes for it.

Results have the widths they start with: an iteration whose results have been seen stores fewer bits, and takes less.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from host.compiler.bits import Bits
from host.compiler.step.backward import backward_list
from host.compiler.step.forward import forward_list
from host.compiler.step.network import Network
from host.compiler.step.places import Places
from host.compiler.step.space import Space
from sim.contract import Build, Encoded, Opcode
from sim.latency import CommandTime, Memory, list_times


class Work(str, Enum):
    """What an iteration is spent on, in the order of a layer's commands."""

    WEIGHTS = "weights to codes"
    FORWARD = "forward"
    NORMALISE = "batch norm, ReLU, residual"
    NORMALISE_BACK = "their backward pass"
    INPUT_ERROR = "input-error"
    GRADIENT = "weight-gradient"
    UPDATE = "update"


PRODUCTS = (Work.FORWARD, Work.INPUT_ERROR, Work.GRADIENT)
ALIKE = {Opcode.WGRAD: Work.GRADIENT, Opcode.UPDATE: Work.UPDATE, Opcode.WEIGHTS: Work.WEIGHTS}


def iteration_time(network: Network, batch: int, bits: Bits, build: Build, memory: Memory) -> dict[Work, CommandTime]:
    """Each kind of work, its commands one after the other."""
    times = dict.fromkeys(Work, CommandTime(0, 0, 0, 0))
    works, commands = zip(*_commands(network, batch, bits, build), strict=True)
    for work, time in zip(works, list_times(commands, build, memory), strict=True):
        times[work] += time
    return times


def _commands(network: Network, batch: int, bits: Bits, build: Build) -> Iterator[tuple[Work, Encoded]]:
    places = Places(Space(), network, batch, bits, lambda unit, which, start: start)
    directions = (
        (forward_list(places, build), Work.FORWARD, Work.NORMALISE),
        (backward_list(places, build), Work.INPUT_ERROR, Work.NORMALISE_BACK),
    )
    for commands, products, others in directions:
        for command in commands:
            yield ALIKE.get(Opcode(command.opcode), products if command.opcode == Opcode.CONV else others), command
