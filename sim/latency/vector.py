"""Cycles of the vector unit's commands. One runs at a time, alone.

MAP and UPDATE are streams: as long as the slowest of their lanes, of the memory, which reads and writes share, and
(MAP) of what turns rows of bit planes into pixels and back. Scalar commands run a program on 16 channels at a time.
WEIGHTS divides for the channels of each side once, and codes squares of 16 × 16 channels. The constants were fitted on
`vivado/steps-*.json`, draw "fitted on" (`cpt latency`).
"""

from __future__ import annotations

from sim.contract import (
    CHANNEL_BLOCK,
    Build,
    MapCommand,
    MapFlag,
    Opcode,
    Operands,
    Place,
    ScalarCommand,
    ScalarFlag,
    Tensor,
    WeightCommand,
    WeightFlag,
    blocks_of,
    operands,
)
from sim.latency import core
from sim.latency.time import CommandTime, Memory

VectorCommand = MapCommand | ScalarCommand | WeightCommand

BEGINS = 100  # cycles from the command before to the first request, and from the last response to the next command
WAITS = 3  # times that a command waits for the memory's latency: headers, first operands, last response
STREAMED = 1.04  # beats of a strip that are not full, and turns between reads and writes
BLOCK_BEGINS, BLOCK_WAITS = 60, 1.24  # cycles of a MAP between two blocks of channels, and times it waits for memory
TALLY_ENDS = 64  # more, where the block has a tally
WHOLE_ROWS = (4, 8, 16, 32)  # pixels of rows that fill their pitch: planes of them are taken together
SCALAR_WAITS = 3.5
PROGRAM_BEGINS = {Opcode.NORM: 250, Opcode.SCALE: 416, Opcode.JOIN: 716, Opcode.ERROR: 790}
PROGRAM = {Opcode.NORM: 1540, Opcode.SCALE: 570, Opcode.JOIN: 328, Opcode.ERROR: 1750}  # of 16 channels
# What a flag adds: at the beginning, and for 16 channels.
FLAGS = {
    (Opcode.SCALE, ScalarFlag.NODE): (525, -95),
    (Opcode.SCALE, ScalarFlag.STREAM): (105, 51),
    (Opcode.SCALE, ScalarFlag.BRANCH): (31, 208),
    (Opcode.JOIN, ScalarFlag.STREAM): (42, 0),
    (Opcode.JOIN, ScalarFlag.BRANCH): (0, 113),
}
UNITS_BY_CHANNEL = {Opcode.JOIN: (-66, 93), Opcode.ERROR: (40, 24)}  # what a first operand without POWER adds
CODES_WAITS = 8
OUT_BLOCK, IN_BLOCK, SQUARE = 713, 640, 190  # of a WEIGHTS: divisions of 16 channels of either side, and a square
TILE = 4  # and of a tap's plane in it
LAST_SQUARE, LAST_OF_BOTH = 1.46, 0.62  # times a square's weights, behind the last one


def vector_time(command: VectorCommand, build: Build, memory: Memory) -> CommandTime:
    load, store = (size * STREAMED / memory.bytes_per_cycle for size in _bytes(operands(command)))
    if isinstance(command, MapCommand):
        tallied = TALLY_ENDS * command.flag(MapFlag.TALLY)
        block = BLOCK_BEGINS + BLOCK_WAITS * memory.latency + tallied
        begins = BEGINS + WAITS * memory.latency + command.blocks * block
        pixels = float(command.images * command.blocks * command.height * command.width)  # one a cycle
        compute = max(pixels, *_rows(command, build))
    elif isinstance(command, ScalarCommand):
        opcode = Opcode(command.opcode)
        first, each = PROGRAM_BEGINS[opcode], PROGRAM[opcode]
        added = [more for (of, flag), more in FLAGS.items() if of == opcode and command.flag(flag)]
        if opcode in UNITS_BY_CHANNEL and not command.flag(ScalarFlag.POWER):
            added.append(UNITS_BY_CHANNEL[opcode])
        begins = first + sum(more[0] for more in added) + SCALAR_WAITS * memory.latency
        compute = float((each + sum(more[1] for more in added)) * blocks_of(command.channels))
    elif command.opcode == Opcode.UPDATE:
        begins, compute = BEGINS + 5 * memory.latency, _update(command, build)
    else:
        return _weights(command, build, memory, load, store)
    bus = STREAMED * max(_bytes(operands(command))) / build.bus_bytes  # a beat a cycle either way
    return CommandTime(begins + max(compute, load + store, bus), compute, load, store)


def _rows(command: MapCommand, build: Build) -> tuple[float, float]:
    """Cycles that rows of bit planes take on their way in, and out: one each, or one for all that fill a beat."""
    masked = command.flag(MapFlag.MASK_X0) or command.flag(MapFlag.MASK_OUT)
    first = 0 if command.flag(MapFlag.BROADCAST) else command.x0_bits
    reads = (first, command.x1_bits, command.x2_bits, int(masked))
    writes = (command.out0_bits, command.out1_bits, int(command.flag(MapFlag.MASK_WRITE)))
    row_bytes = 2 * command.width
    together = max(1, build.bus_bytes // row_bytes) if command.width in WHOLE_ROWS else 1
    rows = command.images * command.blocks * command.height
    pieces = rows if together > 1 else rows * core.beats(row_bytes, 2, build.bus_bytes)  # as much as a beat has
    into, out = (float(pieces * sum(-(-bits // together) for bits in widths)) for widths in (reads, writes))
    return into, out


def _update(command: WeightCommand, build: Build) -> float:
    """Two weights a cycle with a wide bus, else one."""
    return _words(command) / (2 if build.bus_bytes > 8 else 1)


def _weights(command: WeightCommand, build: Build, memory: Memory, load: float, store: float) -> CommandTime:
    """Four weights a cycle with a wide bus, else two; scales of the next square meanwhile."""
    both, taps = command.flag(WeightFlag.BOTH), command.kernel_h * command.kernel_w
    outs, ins = blocks_of(command.out_channels), blocks_of(command.in_channels)
    square = CHANNEL_BLOCK * CHANNEL_BLOCK * taps / (4 if build.bus_bytes > 8 else 2)
    squares = _words(command) / (CHANNEL_BLOCK * CHANNEL_BLOCK * taps)
    divided = OUT_BLOCK * outs + IN_BLOCK * ins * both + SQUARE * squares
    last = (LAST_SQUARE + LAST_OF_BOTH * both) * square
    divided += TILE * squares * taps * command.bits * (1 + both)
    compute = max(divided, squares * square)
    streams = max(divided + store, squares * square, load + store)  # a square's codes are stored before its successor's
    return CommandTime(CODES_WAITS * memory.latency + last + streams, compute, load, store)


def _words(command: WeightCommand) -> int:
    return _size(operands(command).tensor("w")) // 4


def _bytes(found: Operands) -> tuple[int, int]:
    """Read and written; what is changed is both."""
    reads = (*found.history.values(), *found.reads.values(), *found.changes.values())
    writes = (*found.changes.values(), *found.writes.values())
    return sum(map(_size, reads)), sum(map(_size, writes))


def _size(place: Place) -> int:
    return place.images * place.blocks * place.tile_bytes if isinstance(place, Tensor) else place.bytes
