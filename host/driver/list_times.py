"""Seconds of an iteration by layer and kind of command: its lists are run in parts, each timed by the host's clock.

A part is a run of commands of one kind for one layer. Results are the same bit for bit, but a part costs what starting
a list does (`cpt bench driver`): it is for some iterations, not for all.
"""

from __future__ import annotations

import time
from collections import defaultdict
from itertools import groupby

from host.compiler.command_list import CommandList
from host.driver.machine import Machine
from sim.contract import Opcode

Key = tuple[str, str]  # layer, kind


class ListTimes:
    """Of the lists that it has run."""

    def __init__(self) -> None:
        self.seconds: dict[Key, float] = defaultdict(float)

    def run(self, machine: Machine, commands: CommandList, what: str) -> None:
        first = 0
        for (layer, kind), group in groupby(keys(commands)):
            end = first + len(list(group))
            began = time.perf_counter()
            machine.run(commands.part(first, end), f"{what}, {kind} of {layer}")
            self.seconds[layer, kind] += time.perf_counter() - began
            first = end


def keys(commands: CommandList) -> list[Key]:
    """Layer and kind of each command."""
    kinds = (Opcode(command.opcode).name for command in commands.commands)
    return list(zip(commands.layers, kinds, strict=True))
