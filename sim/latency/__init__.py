"""The latency model: cycles of a command on the RTL core, from its structure, in milliseconds instead of minutes.

What is modelled: how rows are distributed to lanes and operands repeated (as the planner does it), windows that need
more reads than bits, results drained and stored slot by slot, requests that queue before the load writers, one memory
that loads and stores share, and the next command's operands, loaded meanwhile; of the vector unit, a MAP's strips and a
WEIGHTS' squares, one after the other. Constants were read off the RTL, or fitted on `vivado/cycles.json` and
`vivado/steps-*.json`; `cpt latency` prints the errors, also on randomly chosen layers and networks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from sim.contract import CLASSES, Build, Command, Encoded, Opcode
from sim.latency.conv import conv_time
from sim.latency.time import ROWS_BYTES_PER_CYCLE, CommandTime, Memory
from sim.latency.vector import VectorCommand, vector_time
from sim.latency.wgrad import wgrad_time

__all__ = ["ROWS_BYTES_PER_CYCLE", "CommandTime", "Memory", "anywhere", "command_time", "list_times"]


def list_times(commands: Sequence[Encoded], build: Build, memory: Memory) -> Iterator[CommandTime]:
    """Each command of a list: a product behind one of the vector unit's has nothing loaded ahead."""
    before: Encoded | None = None
    for command in commands:
        yield command_time(command, build, memory, not isinstance(before, Command))
        before = command


def command_time(
    command: Encoded, build: Build, memory: Memory, alone: bool = False, history: bool = True
) -> CommandTime:
    """One command between others of its kind in a list, or behind one that is not a product (`alone`).

    In the first iteration a node's SCALE has no `history` to read. Builds whose K-slice is not made of threes are
    refused.
    """
    if build.slice_groups % 3:
        raise ValueError(
            f"slice_groups = {build.slice_groups} of build '{build.name}': the model needs a multiple of 3"
        )
    return _time(anywhere(command).encode(), build, memory, alone, history)


def anywhere(command: Encoded) -> Encoded:
    """The command at address 0, without tag and seed: as long."""
    fields = {name: 0 for name in command.TABLE if name.endswith("_addr") or name.startswith(("tag", "seed"))}
    return replace(command, **fields)  # type: ignore[type-var]


@lru_cache(maxsize=1 << 14)  # a network has few kinds of commands
def _time(encoded: bytes, build: Build, memory: Memory, alone: bool, history: bool) -> CommandTime:
    command = CLASSES.get(encoded[0], Command).decode(encoded)
    if isinstance(command, VectorCommand):
        return vector_time(command, build, memory, history)
    assert isinstance(command, Command)
    model = conv_time if command.opcode == Opcode.CONV else wgrad_time
    return model(command, build, memory, alone)
