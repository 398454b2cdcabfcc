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

WAITS = 3  # times that a command waits for the memory's latency: headers, first operands, last response
STREAMED = 1.04  # beats of a strip that are not full, and turns between reads and writes
MAP_BEGINS = 63
BLOCK_BEGINS, BLOCK_WAITS = 20, 0.8  # cycles of a MAP between two blocks of channels, and times it waits for memory
LAST_PIXELS, LAST_PLANES = 3.9, 5.8  # and for the pixels of the last row, and its planes on their way out
TALLY_ENDS = 47  # more, where the block has a tally
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
UPDATE_BEGINS, UPDATE_WAITS = 84, 5
UPDATE_BLOCK = 64  # cycles in which the maxima of 16 output channels are kept,
UPDATE_AHEAD = 15  # and of what an UPDATE begins with, in which streams go on
UPDATE_NARROW = 6, -16  # what a port narrower than the bus adds, at the beginning and for 16 output channels
CODES_BEGIN, CODES_WAITS = 260, 8
OUT_BLOCK, IN_BLOCK, SQUARE = 589, 178, 459  # of a WEIGHTS: divisions of 16 channels of either side, and a square
TILE = 4.07  # and of a plane of a tap of the last square
FIRST_SQUARES, LATER_SQUARES = 1.98, 0.19  # times its weights, of each of the first two squares, and of others
HIDDEN = 577  # cycles of a square's stream beside the divisions for the next one
ONE_SIDE = 1390, 1.06, 2.3  # of a WEIGHTS for one side: the divisions, and a square as above


def vector_time(command: VectorCommand, build: Build, memory: Memory) -> CommandTime:
    load, store = (size * STREAMED / memory.bytes_per_cycle for size in _bytes(operands(command)))
    if isinstance(command, MapCommand):
        pixels = float(command.images * command.blocks * command.height * command.width)  # one a cycle
        into, out, planes = _rows(command, build)
        compute = max(pixels, into, out)
        last = LAST_PIXELS * command.width + LAST_PLANES * planes
        block = BLOCK_BEGINS + BLOCK_WAITS * memory.latency + last + TALLY_ENDS * command.flag(MapFlag.TALLY)
        begins = MAP_BEGINS + WAITS * memory.latency + command.blocks * block
    elif isinstance(command, ScalarCommand):
        opcode = Opcode(command.opcode)
        first, each = PROGRAM_BEGINS[opcode], PROGRAM[opcode]
        added = [more for (of, flag), more in FLAGS.items() if of == opcode and command.flag(flag)]
        if opcode in UNITS_BY_CHANNEL and not command.flag(ScalarFlag.POWER):
            added.append(UNITS_BY_CHANNEL[opcode])
        begins = first + sum(more[0] for more in added) + SCALAR_WAITS * memory.latency
        compute = float((each + sum(more[1] for more in added)) * blocks_of(command.channels))
    elif command.opcode == Opcode.UPDATE:
        return _update(command, build, memory, load, store)
    else:
        return _weights(command, build, memory, load, store)
    bus = STREAMED * max(_bytes(operands(command))) / core.map_bytes(build)  # a beat a cycle either way
    return CommandTime(begins + max(compute, load + store, bus), compute, load, store)


def _rows(command: MapCommand, build: Build) -> tuple[float, float, int]:
    """Cycles that rows of bit planes take on their way in, and out: one each, or one for all that fill a beat; and how
    many leave for each row of pixels.
    """
    masked = command.flag(MapFlag.MASK_X0) or command.flag(MapFlag.MASK_OUT)
    first = 0 if command.flag(MapFlag.BROADCAST) else command.x0_bits
    reads = (first, command.x1_bits, command.x2_bits, int(masked))
    writes = (command.out0_bits, command.out1_bits, int(command.flag(MapFlag.MASK_WRITE)))
    row_bytes = 2 * command.width
    together = max(1, core.map_bytes(build) // row_bytes) if command.width in WHOLE_ROWS else 1
    rows = command.images * command.blocks * command.height
    beats = max(1, row_bytes / core.map_bytes(build))  # of rows that begin where a beat does
    if command.width not in WHOLE_ROWS:
        beats = core.beats(row_bytes, 2, core.map_bytes(build))
    pieces = rows * beats
    into, out = (sum(-(-bits // together) for bits in widths) for widths in (reads, writes))
    return pieces * into, pieces * out, out


def _update(command: WeightCommand, build: Build, memory: Memory, load: float, store: float) -> CommandTime:
    """Two weights a cycle with a wide bus, else one; each block of output channels ends with its maxima."""
    compute = _words(command) / (2 if core.weight_bytes(build) > 16 else 1)
    begins = UPDATE_BEGINS + UPDATE_WAITS * memory.latency
    blocks = blocks_of(command.out_channels)
    begins += blocks * UPDATE_BLOCK
    if core.weight_bytes(build) < build.bus_bytes:
        begins += UPDATE_NARROW[0] + blocks * UPDATE_NARROW[1]
    streams = (load + store) / STREAMED - UPDATE_AHEAD  # in order, so every beat is full
    return CommandTime(begins + max(compute, streams), compute, load, store)


def _weights(command: WeightCommand, build: Build, memory: Memory, load: float, store: float) -> CommandTime:
    """Four weights a cycle with a wide bus, else two; beside the first two squares of channels nothing is divided."""
    both, taps = command.flag(WeightFlag.BOTH), command.kernel_h * command.kernel_w
    outs, ins = blocks_of(command.out_channels), blocks_of(command.in_channels)
    square = CHANNEL_BLOCK * CHANNEL_BLOCK * taps / (4 if core.weight_bytes(build) > 16 else 2)
    squares = _words(command) // (CHANNEL_BLOCK * CHANNEL_BLOCK * taps)
    if both:
        divided, first, later = OUT_BLOCK * outs + IN_BLOCK * ins + SQUARE * squares, FIRST_SQUARES, LATER_SQUARES
    else:
        divided, first, later = ONE_SIDE
    after = max(later * square, (load + store) / squares - HIDDEN)
    coded = first * square * min(squares, 2) + after * max(0, squares - 2)
    begins = CODES_BEGIN + CODES_WAITS * memory.latency + TILE * taps * command.bits * (1 + both)
    compute = divided + coded
    return CommandTime(begins + compute, compute, load, store)


def _words(command: WeightCommand) -> int:
    return _size(operands(command).tensor("w")) // 4


def _bytes(found: Operands) -> tuple[int, int]:
    """Read and written; what is changed is both."""
    reads = (*found.history.values(), *found.reads.values(), *found.changes.values())
    writes = (*found.changes.values(), *found.writes.values())
    return sum(map(_size, reads)), sum(map(_size, writes))


def _size(place: Place) -> int:
    return place.images * place.blocks * place.tile_bytes if isinstance(place, Tensor) else place.bytes
