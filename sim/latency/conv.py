"""Cycles of a CONV: rows of all lanes in lock step, output block by output block, pixel by pixel."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from sim.contract import Build, Command, Flag, Format
from sim.latency import core
from sim.latency.conv_loads import row_batches, weights_of
from sim.latency.pipeline import Work, run
from sim.latency.stream import Batch
from sim.latency.time import CommandTime, Memory

SEGMENT_BEGINS = 18  # cycles before the first lane of a segment is stored
DEALS = 12  # cycles besides one for each lane, in which the loader deals rows
PASS_ENDS = 20
TALLIES = 25  # cycles in which statistics by channel follow the last results
JOINED_PLANES = (8, 16, 32)  # widths of rows whose planes are stored by one write


def conv_time(command: Command, build: Build, memory: Memory, alone: bool = False) -> CommandTime:
    """The weights of as many output blocks as fit are loaded, then all rows pass by; again for the next blocks.

    The first blocks' operands are loaded while the command before is running, if that is a product and two such fit.
    """
    batches, ahead, ring = row_batches(command, build, memory)
    loads = sum(batch.bus for batch in batches)
    passing, asking = sum(max(each.bus, each.follows) for each in batches), sum(each.asks for each in batches)
    cycles: float = core.COMMAND_ENDS + core.PLANNING * alone + TALLIES * command.flag(Flag.STATS)
    compute = load = store = 0.0
    entries = core.ceil_div(_groups(command), build.slice_groups) * command.b_bits
    most = max(1, build.column_words // entries)
    for first in range(0, command.y_blocks, most):
        blocks = min(most, command.y_blocks - first)
        weights = weights_of(command, blocks, build, memory)
        work = _work(command, blocks, first == 0, ahead, build, memory)
        if not alone and first == 0 and 2 * ring <= build.lane_words and 2 * blocks * entries <= build.column_words:
            loaded = _loaded_ahead(batches, ahead)
            computed, stored = run((weights, *batches), work, loaded + 1)
            # The loader finishes a command before it begins the next.
            tail = batches[-1].there - batches[-1].follows
            loading = max(
                weights.follows + passing + tail + core.LOADER_BEGINS, DEALS + build.lanes + weights.asks + asking
            )
            stored = max(stored, loading - core.COMMAND_ENDS)
        else:
            computed, stored = run((weights, *batches), work)
            cycles += core.COMMAND_BEGINS + memory.latency
        last = first + blocks == command.y_blocks
        cycles += stored if last else computed + PASS_ENDS
        rows = blocks * sum(batch.steps for batch in batches)
        compute += rows * sum(work.computing)
        store += rows * sum(work.storing)
        load += loads + weights.bus
    return CommandTime(max(cycles, load + store + core.COMMAND_ENDS), compute, load, store)


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
        own = _reads(command, pixels, build)
        return SEGMENT_BEGINS + lanes * (own + (core.ceil_div(pixels, 8) / blocks if sums else 0.0))

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


def _reads(command: Command, pixels: int, build: Build) -> int:
    """Cycles to read a lane's results, 64 bytes of words or a bit plane each. Joined planes fill 64 bytes before any
    of these leaves.
    """
    if command.out_format != Format.PLANES:
        return core.ceil_div(32 * core.widening(command) * pixels, 64)
    if command.y_width not in JOINED_PLANES:
        return command.out_bits
    chunks = core.ceil_div(command.out_bits * command.y_width, 32)
    beats = core.ceil_div(2 * command.out_bits * command.y_width, build.bus_bytes)
    return max(command.out_bits, command.out_bits - chunks + beats)
