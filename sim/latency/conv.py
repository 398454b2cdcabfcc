"""Cycles of a CONV: rows of all lanes in lock step, output block by output block, pixel by pixel."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from sim.contract import CHANNEL_BLOCK, Build, Command, Flag, Format
from sim.latency import core
from sim.latency.pipeline import Work, run
from sim.latency.stream import Batch, Requests, stream
from sim.latency.time import CommandTime, Memory

SEGMENT_BEGINS = 18  # cycles before the first lane of a segment is stored
DIVISION = 21  # cycles to find a row of a zero-inserted map
PASS_ENDS = 20
TALLIES_END, TALLY = 60, 20  # cycles of a CONV's statistics, and of those of each block
JOINED_PLANES = (8, 16, 32)  # widths of rows whose planes are stored by one write


def conv_time(command: Command, build: Build, memory: Memory, alone: bool = False) -> CommandTime:
    """The weights of as many output blocks as fit are loaded, then all rows pass by; again for the next blocks.

    The first blocks' operands are loaded while the command before is running, if that is a product and two such fit.
    """
    batches, ahead, ring = _batches(command, build, memory)
    loads = sum(batch.bus for batch in batches)
    asking = sum(max(batch.bus, batch.follows) for batch in batches)
    cycles = core.COMMAND_ENDS + core.PLANNING * alone + _tallies(command, memory)
    compute = load = store = 0.0
    entries = core.ceil_div(_groups(command), build.slice_groups) * command.b_bits
    most = max(1, build.column_words // entries)
    for first in range(0, command.y_blocks, most):
        blocks = min(most, command.y_blocks - first)
        weights = _weights(command, blocks, build, memory)
        work = _work(command, blocks, first == 0, ahead, build, memory)
        if not alone and first == 0 and 2 * ring <= build.lane_words and 2 * blocks * entries <= build.column_words:
            loaded = _loaded_ahead(batches, ahead)
            computed, stored = run((weights, *batches), work, loaded + 1)
            # The loader finishes a command before it begins the next.
            stored = max(
                stored, weights.follows + asking + batches[-1].there - batches[-1].follows + core.LOADER_BEGINS
            )
        else:
            computed, stored = run(batches, work)
            cycles += core.COMMAND_BEGINS + memory.latency + weights.there
        last = first + blocks == command.y_blocks
        cycles += stored if last else computed + PASS_ENDS
        rows = blocks * sum(batch.steps for batch in batches)
        compute += rows * sum(work.computing)
        store += rows * sum(work.storing)
        load += loads + weights.bus
    return CommandTime(max(cycles, load + store + core.COMMAND_ENDS), compute, load, store)


def _tallies(command: Command, memory: Memory) -> float:
    """Statistics by channel are stored behind the last results."""
    return TALLIES_END + memory.latency + TALLY * command.y_blocks if command.flag(Flag.STATS) else 0.0


def _loaded_ahead(batches: Sequence[Batch], ahead: int) -> int:
    """Batches that are loaded before the array begins."""
    steps = list(accumulate(batch.steps for batch in batches))
    return sum(each <= ahead for each in steps)


def _groups(command: Command) -> int:
    return command.kernel_h * command.kernel_w * command.a_blocks


def pixel_cycles(command: Command, build: Build) -> int:
    """Of one pixel of one output block: windows, each read and multiplied, then drained.

    A window is one plane of A in one slice of K. One read fills the three taps of a kernel row, or else one tap; the
    array takes b_bits cycles for the window meanwhile.
    """
    by_three = command.kernel_w == 3 and command.up_x == 1
    units = command.a_blocks * command.kernel_h if by_three else _groups(command)
    most = build.slice_groups // 3 if by_three else build.slice_groups
    full, rest = divmod(units, most)
    windows = full * max(command.b_bits, most) + (max(command.b_bits, rest) if rest else 0)
    return max(command.a_bits * windows, core.draining(command, build))


def _batches(command: Command, build: Build, memory: Memory) -> tuple[tuple[Batch, ...], int, int]:
    """Row steps as they are loaded, one, two, four, ... at a time; how many may be ahead; words of a lane for them."""
    rows, live = core.lane_rows(command, build)
    row_bytes = core.WORD_BYTES * command.a_bits * command.a_width
    step = min(command.stride_y, command.kernel_h)
    ring = min(build.lane_words // (row_bytes // core.WORD_BYTES * command.a_blocks), core.MOST_RING)
    most = 1
    for size, short in ((8, 96), (4, 192), (2, 384)):
        if row_bytes < short and (2 * size - 1) * step + command.kernel_h <= ring:
            most = size
            break
    wanted = core.BATCHES_AHEAD * most if most < 8 else core.MOST_AHEAD
    ring = min(ring, wanted * step + 2 * command.kernel_h)
    ahead = max(1, min(wanted, (ring - command.kernel_h) // step + 1))
    pitch_rows = rows * build.lanes * live / command.images  # of an image
    new_rows = step / command.up_y * min(1.0, command.a_height * command.up_y / (pitch_rows * command.stride_y))
    pitch = max(core.ceil_div(command.a_height * command.up_y, command.stride_y), command.y_height)
    finding = 1 + command.kernel_h * command.y_height / pitch + (DIVISION if command.up_y > 1 else 0)

    def batch(steps: int, map_rows: float) -> Batch:
        joined = command.up_y == 1 and step == command.stride_y
        # A window lies in one image; what follows it may be in the next.
        following = map_rows if steps > 1 else 1
        requests = core.requests_of(following, command.a_height) if joined else max(1, round(map_rows))
        size = row_bytes * map_rows / requests
        writing = size / core.WORD_BYTES / core.WORDS_A_CYCLE
        kind = Requests(command.a_blocks * requests, core.beats(size, row_bytes, build.bus_bytes), writing)
        way = stream(build.lanes, round(live, 4), (kind,), build, memory)
        asking = build.lanes * (steps * finding + 4)
        return Batch(steps, way.bus, max(way.follows, asking), max(way.there, asking))

    known: dict[tuple[int, bool], Batch] = {}
    batches: list[Batch] = []
    left, ramp = rows, 1
    while left:
        steps, begins = min(ramp, most, left), not batches
        if (steps, begins) not in known:
            whole_window = command.kernel_h / command.up_y + (steps - 1) * new_rows
            known[steps, begins] = batch(steps, whole_window if begins else steps * new_rows)
        batches.append(known[steps, begins])
        left -= steps
        ramp = min(8, 2 * ramp)
    return tuple(batches), ahead, ring * command.a_blocks * row_bytes // core.WORD_BYTES


def _weights(command: Command, blocks: int, build: Build, memory: Memory) -> Batch:
    """Column by column; blocks of a column that follow each other in memory are read together."""
    tile = core.WORD_BYTES * command.kernel_h * command.kernel_w * command.b_bits
    joined = command.b_block_stride == tile
    size = tile * (command.a_blocks if joined else 1)
    words_a_cycle = 3 if command.kernel_w == 3 else 1
    writing = size / core.WORD_BYTES / words_a_cycle
    kind = Requests(1 if joined else command.a_blocks, core.beats(size, 16, build.bus_bytes), writing)
    return stream(CHANNEL_BLOCK * blocks, 1.0, (kind,), build, memory)


def _work(command: Command, blocks: int, with_sums: bool, ahead: int, build: Build, memory: Memory) -> Work:
    """Segments of results: 32 pieces of 32 bytes of each lane, and what is left of a row."""
    wide = core.widening(command)
    pieces = command.y_width * wide
    segment_log = 3 if pieces <= 8 else 4 if pieces <= 16 else 5
    most = (1 << segment_log) // wide
    parts = [min(most, command.y_width - first) for first in range(0, command.y_width, most)]
    rows, _ = core.lane_rows(command, build)
    lanes = min(build.lanes, command.images * command.y_height / rows)
    sums = with_sums and command.flag(Flag.ROW_SUMS)

    def storing(pixels: int) -> float:
        writes, size = _writes(command, pixels)
        own = writes * core.store_cycles(size, size, build, memory)
        return lanes * (own + (core.store_cycles(4 * pixels, 4 * pixels, build, memory) / blocks if sums else 0.0))

    def reading(pixels: int) -> float:
        return SEGMENT_BEGINS + lanes * (_reads(command, pixels) + (core.ceil_div(pixels, 8) / blocks if sums else 0.0))

    row_begins = core.ROW_BEGINS / (blocks * len(parts))
    return Work(
        blocks * len(parts),
        tuple(pixels * pixel_cycles(command, build) + row_begins for pixels in parts),
        tuple(map(storing, parts)),
        tuple(map(reading, parts)),
        core.LANE_PIECES >> segment_log,
        ahead,
    )


def _writes(command: Command, pixels: int) -> tuple[int, int]:
    """How many writes a lane's results make, and the bytes of each: one of words, and of the planes of whole rows."""
    if command.out_format != Format.PLANES:
        return 1, 32 * core.widening(command) * pixels
    if command.y_width in JOINED_PLANES:
        return 1, 2 * command.out_bits * pixels
    return command.out_bits, 2 * pixels


def _reads(command: Command, pixels: int) -> int:
    """Of the store buffer, for a lane's results: 64 bytes of words, or a bit plane."""
    if command.out_format == Format.PLANES:
        return command.out_bits
    return core.ceil_div(32 * core.widening(command) * pixels, 64)
