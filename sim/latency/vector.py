"""Cycles of the vector unit's commands. One runs at a time, alone."""

from __future__ import annotations

from sim.contract import (
    Build,
    MapCommand,
    Opcode,
    Operands,
    Place,
    ScalarCommand,
    Tensor,
    WeightCommand,
    blocks_of,
    operands,
)
from sim.latency import core
from sim.latency.map import map_time
from sim.latency.scalar import scalar_time
from sim.latency.time import CommandTime, Memory
from sim.latency.weights import weights_time

VectorCommand = MapCommand | ScalarCommand | WeightCommand

UPDATE_BEGINS, UPDATE_WAITS = 84, 5
UPDATE_BLOCK = 64  # cycles in which the maxima of 16 output channels are kept,
UPDATE_AHEAD = 15  # and of what an UPDATE begins with, in which streams go on
UPDATE_NARROW = 6, -16  # what a port narrower than the bus adds, at the beginning and for 16 output channels


def vector_time(command: VectorCommand, build: Build, memory: Memory, history: bool) -> CommandTime:
    load, store = (size / memory.bytes_per_cycle for size in _bytes(operands(command)))
    if isinstance(command, MapCommand):
        return map_time(command, build, memory, load, store)
    if isinstance(command, ScalarCommand):
        return scalar_time(command, memory, load, store, history)
    if command.opcode == Opcode.WEIGHTS:
        return weights_time(command, build, memory, load, store)
    return _update(command, build, memory, load, store)


def _update(command: WeightCommand, build: Build, memory: Memory, load: float, store: float) -> CommandTime:
    """Two weights a cycle with a wide bus, else one, as fast as memory and bus are; each block of output channels ends
    with its maxima.
    """
    compute = _size(operands(command).tensor("w")) / 4 / (2 if core.weight_bytes(build) > 16 else 1)
    begins = UPDATE_BEGINS + UPDATE_WAITS * memory.latency + blocks_of(command.out_channels) * UPDATE_BLOCK
    if core.weight_bytes(build) < build.bus_bytes:
        begins += UPDATE_NARROW[0] + blocks_of(command.out_channels) * UPDATE_NARROW[1]
    bus = max(load, store) * memory.bytes_per_cycle / core.weight_bytes(build)  # a beat a cycle either way
    streams = max(load + store, bus) - UPDATE_AHEAD  # in order, so every beat is full
    return CommandTime(begins + max(compute, streams), compute, load, store)


def _bytes(found: Operands) -> tuple[int, int]:
    """Read and written; what is changed is both."""
    reads = (*found.history.values(), *found.reads.values(), *found.changes.values())
    writes = (*found.changes.values(), *found.writes.values())
    return sum(map(_size, reads)), sum(map(_size, writes))


def _size(place: Place) -> int:
    return place.images * place.blocks * place.tile_bytes if isinstance(place, Tensor) else place.bytes
