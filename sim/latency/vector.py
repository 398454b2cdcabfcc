"""Cycles of the vector unit's commands. One runs at a time, alone.

MAP and UPDATE are streams: as long as the slower of their lanes and of the memory, which reads and writes share. Scalar
commands run a program on 16 channels at a time; their records are few. WEIGHTS codes squares of 16 × 16 channels, each
of which also waits for a divider. The constants were read off the simulated RTL core (`vivado/README.md`).
"""

from __future__ import annotations

from sim.contract import (
    CHANNEL_BLOCK,
    Build,
    MapCommand,
    Opcode,
    Operands,
    Place,
    ScalarCommand,
    ScalarFlag,
    Tensor,
    WeightCommand,
    operands,
)
from sim.latency.time import CommandTime, Memory

VectorCommand = MapCommand | ScalarCommand | WeightCommand

BEGINS = 100  # cycles from the command before to the first request, and from the last response to the next command
WAITS = 3  # times that a command waits for the memory's latency: headers, first operands, last response
BLOCK_BEGINS = 60  # cycles of a MAP between two blocks of channels, whose coefficients and tallies are other ones
STREAMED = 1.04  # beats of a strip that are not full, and turns between reads and writes
SCALAR_BEGINS = {Opcode.NORM: 280, Opcode.SCALE: 410, Opcode.JOIN: 710, Opcode.ERROR: 860}
NODE_BEGINS = 600  # more of a SCALE with NODE
CHANNEL_CYCLES = {Opcode.NORM: 96, Opcode.SCALE: 37, Opcode.JOIN: 27, Opcode.ERROR: 111}
SQUARE_BEGINS = 409  # cycles of a square of weights apart from its taps, most of them for divisions


def vector_time(command: VectorCommand, build: Build, memory: Memory) -> CommandTime:
    load, store = (size * STREAMED / memory.bytes_per_cycle for size in _bytes(operands(command)))
    begins = BEGINS + WAITS * memory.latency
    if isinstance(command, MapCommand):
        begins += BLOCK_BEGINS * command.blocks
        compute = float(command.images * command.blocks * command.height * command.width)  # a pixel a cycle
    elif isinstance(command, ScalarCommand):
        begins += SCALAR_BEGINS[Opcode(command.opcode)] + NODE_BEGINS * command.flag(ScalarFlag.NODE)
        compute = float(CHANNEL_CYCLES[Opcode(command.opcode)] * command.channels)
    else:
        compute = _update(command, build) if command.opcode == Opcode.UPDATE else _weights(command, build)
    return CommandTime(begins + max(compute, load + store), compute, load, store)


def _update(command: WeightCommand, build: Build) -> float:
    """Two weights a cycle with a wide bus, else one."""
    return _words(command) / (2 if build.bus_bytes > 8 else 1)


def _weights(command: WeightCommand, build: Build) -> float:
    """Four weights a cycle with a wide bus, else two."""
    taps, rate = command.kernel_h * command.kernel_w, 4 if build.bus_bytes > 8 else 2
    square = CHANNEL_BLOCK * CHANNEL_BLOCK
    return _words(command) / (square * taps) * (SQUARE_BEGINS + square * taps / rate)


def _words(command: WeightCommand) -> int:
    return _size(operands(command).tensor("w")) // 4


def _bytes(found: Operands) -> tuple[int, int]:
    """Read and written; what is changed is both."""
    reads = (*found.history.values(), *found.reads.values(), *found.changes.values())
    writes = (*found.changes.values(), *found.writes.values())
    return sum(map(_size, reads)), sum(map(_size, writes))


def _size(place: Place) -> int:
    return place.images * place.blocks * place.tile_bytes if isinstance(place, Tensor) else place.bytes
