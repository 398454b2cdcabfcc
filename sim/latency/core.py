"""The core's dimensions and timing, as the model needs them.

The upper numbers stand in the RTL under the names in brackets. The lower ones were fitted on `vivado/cycles.json`.
"""

from __future__ import annotations

from math import gcd

from sim.contract import CHANNEL_BLOCK, Build, Command, Format, Opcode
from sim.latency.time import Memory

MOST_RING = 31  # rows of a lane's ring (RowDepth - 1)
MOST_AHEAD = 22  # row steps that the loader is ahead of the array (MostAhead)
BATCHES_AHEAD = 3  # of a CONV
WRITES = 64  # writes in flight (MaxWrites)
ACCUMULATORS = 1024  # entries of the accumulator, two lanes' results each (AccDepth)
LANE_PIECES = 64  # pieces of 32 bytes that a lane has in the store buffer (LanePieces)
QUEUED_BEATS = 33  # before each load writer, and one that it is at
WORDS_A_CYCLE = 4  # that a writer puts into a lane's memory
WORD_BYTES = 2
PIXELS_A_WINDOW = 3  # of a lane, in a WGRAD

QUEUED_REQUESTS = 22  # of a writer in flight: a queue of 16, and those in registers
WRITER_STARTS = 1.0  # cycles between two requests of a writer,
SHORT_STARTS = 3.0  # and behind those that are done in less than
SHORT_WRITING = 8  # cycles
REQUEST_WAY = 12  # cycles from the loader, or the store, to the bus and back, apart from the memory's latency
COMMAND_BEGINS = 60  # cycles from the command before to the first request, if nothing was loaded ahead
COMMAND_ENDS = 110  # and from the last store to the next command
LOADER_BEGINS = 120  # cycles from the last word of a command to the next one's first, and to deal its rows to the lanes
PLANNING = 310  # cycles to plan a product, if no other one runs meanwhile
LIST_BEGINS = 700  # cycles from the start of a list to its first command, planned and all
ROW_BEGINS = 3  # cycles lost at each row step


def ceil_div(count: int, size: int) -> int:
    return -(-count // size)


def memories(build: Build) -> int:
    """Lane memories, which a WGRAD deals its rows to: a triple of slots of each column has one (memories_of).

    >>> memories(Build.named("zc706")), memories(Build.named("zc706_train"))
    (48, 48)
    """
    return CHANNEL_BLOCK * build.slice_groups // 3


def compact(build: Build) -> bool:
    """Of what memory's bandwidth would hide, such a build has half (compact in core_pkg).

    >>> [compact(Build.named(name)) for name in ("tiny", "zc706", "zc706_train")]
    [False, False, True]
    """
    return build.lanes < memories(build)


def writers(build: Build) -> int:
    """Load writers (load_writers)."""
    return build.bus_bytes // (16 if compact(build) else 4)


def map_bytes(build: Build) -> int:
    """Of a beat of the MAP engine (PortBytes of the vector unit)."""
    return min(build.bus_bytes, 32) if compact(build) else build.bus_bytes


def weight_bytes(build: Build) -> int:
    """Likewise of the engine of UPDATE and WEIGHTS (NarrowBytes)."""
    return min(build.bus_bytes, 16) if compact(build) else build.bus_bytes


def round_words(build: Build) -> int:
    """Cycles that draining a result of every lane takes, two lanes a cycle."""
    return build.lanes // 2


def store_cycles(size: float, grain: int, build: Build, memory: Memory) -> float:
    """Of the bus, for one write; short ones wait for the answers to those before them."""
    on_the_bus = beats(size, grain, build.bus_bytes) * max(1.0, build.bus_bytes / memory.bytes_per_cycle)
    return max(on_the_bus, (memory.latency + REQUEST_WAY) / WRITES)


def widening(command: Command) -> int:
    """How many times the 16 bits of INT16 a result is wide on its way out."""
    return {Format.INT32: 2, Format.INT64: 4}.get(Format(command.out_format), 1)


def pitch_of(command: Command) -> int:
    """Row steps of an image."""
    return max(ceil_div(command.a_height * command.up_y, command.stride_y), command.y_height)


def draining(command: Command, build: Build) -> int:
    """Cycles that a stored result of every lane takes on its way out; a compact build rounds one lane's in a cycle."""
    return max(widening(command), 1 + compact(build)) * round_words(build)


def lane_rows(command: Command, build: Build) -> tuple[int, float]:
    """Row steps of a lane: the images' rows are dealt to the lanes in equal shares; and which part of them is real."""
    pitch = pitch_of(command)
    lanes = memories(build) if command.opcode == Opcode.WGRAD else build.lanes
    rows = ceil_div(pitch * command.images, lanes)
    return rows, command.images * pitch / (rows * lanes)


def beats(size: float, grain: int, bus_bytes: int) -> float:
    """Beats of a request, on average over the places where it may begin: multiples of `grain`.

    >>> beats(192, 192, 64), beats(96, 32, 64)
    (3.0, 2.0)
    """
    return (size - gcd(grain, bus_bytes)) / bus_bytes + 1


def requests_of(rows: float, height: int) -> float:
    """Rows that follow each other are read together, as long as they are of one image; on average over the lanes.

    >>> requests_of(3, height=4), requests_of(3, height=1)
    (1.5, 3.0)
    """
    return max(1.0, 1 + (rows - 1) / height)
