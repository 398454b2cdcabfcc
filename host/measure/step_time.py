"""Cycles of a whole training iteration by the latency model, from the lists that the compiler makes for it.

Results have the widths they start with: an iteration whose results have been seen stores fewer bits, and takes less.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from host.compiler.bits import Bits
from host.compiler.step.backward import named_backward
from host.compiler.step.forward import named_forward
from host.compiler.step.network import Block, Network
from host.compiler.step.places import Places
from host.compiler.step.space import Space
from sim.contract import Build, Command, Encoded, Opcode
from sim.latency import CommandTime, Memory, anywhere, command_time


class Work(str, Enum):
    """What an iteration is spent on, in the order of a layer's commands."""

    WEIGHTS = "weights to codes"
    FORWARD = "forward"
    NORMALISE = "batch norm, ReLU, residual"
    NORMALISE_BACK = "their backward pass"
    INPUT_ERROR = "input-error"
    GRADIENT = "weight-gradient"
    UPDATE = "update"


NOTHING = CommandTime(0, 0, 0, 0)
PRODUCTS = (Work.FORWARD, Work.INPUT_ERROR, Work.GRADIENT)
ALIKE = {Opcode.WGRAD: Work.GRADIENT, Opcode.UPDATE: Work.UPDATE, Opcode.WEIGHTS: Work.WEIGHTS}


class LayerWork(NamedTuple):
    """A kind of work that an iteration does for a layer; what ends a block counts as its last layer's."""

    layer: str
    work: Work


def iteration_time(network: Network, batch: int, bits: Bits, build: Build, memory: Memory) -> dict[Work, CommandTime]:
    """Each kind of work, its commands one after the other."""
    times = dict.fromkeys(Work, NOTHING)
    for each in distinct(network, batch, bits, build):
        times[each.work] += each.number * command_time(each.command, build, memory, each.alone)
    return times


def layer_times(network: Network, batch: int, bits: Bits, build: Build, memory: Memory) -> dict[LayerWork, CommandTime]:
    """The same for each layer, in the order of the lists."""
    times: dict[LayerWork, CommandTime] = {}
    for layer_work, command, alone in _commands(network, batch, bits, build):
        time = command_time(command, build, memory, alone)
        times[layer_work] = times[layer_work] + time if layer_work in times else time
    return times


class Distinct(NamedTuple):
    """A command of an iteration apart from its places, and how many there are of it."""

    work: Work
    command: Encoded
    alone: bool
    number: int


@lru_cache(maxsize=256)  # the same at every clock and with every memory
def distinct(network: Network, batch: int, bits: Bits, build: Build) -> tuple[Distinct, ...]:
    """The commands of an iteration: a deep network has few kinds of blocks, and each is compiled once."""
    short, alike = shortened(network)
    found: dict[tuple[Work, bytes, bool], Distinct] = {}
    for (layer, work), command, alone in _commands(short, batch, bits, build):
        key, number = (work, anywhere(command).encode(), alone), alike.get(layer, 1)
        known = found.setdefault(key, Distinct(work, command, alone, 0))
        found[key] = known._replace(number=known.number + number)
    return tuple(found.values())


def shortened(network: Network) -> tuple[Network, dict[str, int]]:
    """The network with at most three blocks alike in succession, and how many each layer of the middle one stands for.

    Blocks alike have the same commands, but for the first and the last, whose neighbours differ.

    >>> from host.compiler.step.networks import named
    >>> [len(shortened(named(f"cifar10_resnet_{depth}"))[0].blocks) for depth in (8, 74)]
    [4, 12]
    """
    kept: list[Block] = []
    alike: dict[str, int] = {}
    for _, group in groupby(network.blocks, key=_kind):
        blocks = list(group)
        middle = blocks[1:-1]
        kept += [blocks[0], *middle[:1], *blocks[1:][-1:]]
        alike |= {unit.name: len(middle) for block in middle[:1] for unit in block.units}
    return replace(network, blocks=tuple(kept)), alike


def _kind(block: Block) -> tuple[object, ...]:
    """What makes two blocks alike: all but their names."""
    return block.stream, block.relu, block.branch and block.branch.layer, tuple(unit.layer for unit in block.chain)


def work_of(opcode: int, backward: bool) -> Work:
    """What a command of the forward or the backward list is for."""
    if opcode == Opcode.CONV:
        return Work.INPUT_ERROR if backward else Work.FORWARD
    return ALIKE.get(Opcode(opcode), Work.NORMALISE_BACK if backward else Work.NORMALISE)


def _commands(network: Network, batch: int, bits: Bits, build: Build) -> Iterator[tuple[LayerWork, Encoded, bool]]:
    """Each command, and whether it follows one that is not a product, as at the beginning of a list."""
    places = Places(Space(), network, batch, bits, lambda unit, which, start: start)
    for backward, commands in enumerate((named_forward(places, build), named_backward(places, build))):
        alone = True
        for layer, command in commands:
            yield LayerWork(layer, work_of(command.opcode, bool(backward))), command, alone
            alone = not isinstance(command, Command)
