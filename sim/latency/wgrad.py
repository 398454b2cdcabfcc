"""Cycles of a WGRAD: chunks of rows, and for each chunk every set of results that they add to."""

from __future__ import annotations

from dataclasses import dataclass

from sim.contract import CHANNEL_BLOCK, Build, Command, Flag, Format
from sim.latency import core
from sim.latency.stream import Batch, Requests, shared, stream
from sim.latency.time import CommandTime, Memory
from sim.latency.wgrad_plan import WgradPlan, rounds

CHUNK_BEGINS = 6
LANE_BEGINS = 3  # cycles of the loader for a lane besides its rows
PLANNING, PLANNING_WAITS = 175, 2  # cycles to plan one, and times that it waits for memory, if no other one runs


@dataclass(frozen=True)
class _Pass:
    """One pass over the operands: its first chunk and those after it, loaded and computed."""

    loads: tuple[Batch, Batch]
    computing: tuple[float, float]
    sets: int


def wgrad_time(command: Command, build: Build, memory: Memory, alone: bool = False) -> CommandTime:
    """Chunks are loaded while those before are computed; a pass stores its results in its last chunk.

    While the command before is at its last chunk, the first ones are loaded, as many as there is room for.
    """
    plan = WgradPlan.of(command, build)
    drain = core.draining(command, build)
    result_bytes = 32 * core.widening(command)
    on_the_bus = _storing(command, result_bytes, build, memory)
    storing = max(on_the_bus, build.lanes)  # lanes without results are skipped
    kinds = {blocks: _pass(command, plan, blocks, build, memory) for blocks in set(plan.passes)}
    ends: list[float] = []
    last = kinds[plan.passes[-1]]
    ending = max(last.computing[plan.chunks > 0], last.sets * max(storing, drain)) + storing + core.COMMAND_ENDS
    ahead = 0 if alone else plan.loaded_ahead(command, build)
    planning = alone * (PLANNING + PLANNING_WAITS * memory.latency)
    reader = -ending if ahead else float(core.COMMAND_BEGINS + planning + memory.latency)
    compute = load = store = asking = work = 0.0
    for blocks in plan.passes:
        kind = kinds[blocks]
        asking += core.LOADER_BEGINS
        for chunk in range(plan.chunks + 1):
            batch, work = kind.loads[chunk > 0], kind.computing[chunk > 0]
            compute, load, asking = compute + work, load + batch.bus, asking + max(batch.bus, batch.follows)
            if chunk == plan.chunks:
                work = max(work, kind.sets * max(storing, drain))
            if len(ends) >= plan.buffers:
                reader = max(reader, ends[-plan.buffers])
            elif len(ends) >= ahead:
                reader = max(reader, 0.0)
            there = reader + max(batch.bus, batch.there)
            reader += max(batch.bus, batch.follows)
            ends.append(max(ends[-1] if ends else 0.0, there) + work)
        store += kind.sets * on_the_bus
    # The last results share the bus with what is loaded for the next command.
    stores = last.sets * on_the_bus
    loads = sum(kinds[plan.passes[0]].loads[chunk > 0].bus for chunk in range(min(ahead, plan.chunks + 1)))
    shared = ends[-1] - work + min(2 * stores, stores + loads)
    cycles = max(ends[-1] + storing, shared) + core.COMMAND_ENDS
    if ahead:  # the loader finishes a command before it begins the next
        cycles = max(cycles, asking + last.loads[plan.chunks > 0].there - last.loads[plan.chunks > 0].follows)
    return CommandTime(max(cycles, load + store + core.COMMAND_ENDS), compute, load, store)  # one memory for both


def _storing(command: Command, result_bytes: int, build: Build, memory: Memory) -> float:
    """A set of results: a write for each lane that has any, or for three of them with a kernel row's columns."""
    words = command.out_format in (Format.INT16, Format.INT32) and not command.flag(Flag.ROW_SUMS)
    if build.lanes == 48 and command.kernel_w == 3 and words:
        return CHANNEL_BLOCK * core.store_cycles(3 * result_bytes, result_bytes, build, memory)
    live = CHANNEL_BLOCK * command.kernel_w * command.kernel_h / rounds(command, command.kernel_h, build)[0]
    return live * core.store_cycles(result_bytes, result_bytes, build, memory)


def _pass(command: Command, plan: WgradPlan, blocks: tuple[int, int], build: Build, memory: Memory) -> _Pass:
    pairs = blocks[0] * blocks[1]
    each, shared = rounds(command, plan.pass_rows, build)
    sets = pairs * each
    halo = plan.pass_rows - min(command.stride_y, plan.pass_rows)

    def computing(steps: int) -> float:
        windows = core.ceil_div(steps * plan.span, core.PIXELS_A_WINDOW)

        def cycles(reads: int) -> float:
            return max(command.a_bits * windows * max(command.b_bits, reads), core.round_words(build))

        one, two = cycles(core.PIXELS_A_WINDOW), cycles(2 * core.PIXELS_A_WINDOW)
        return pairs * ((each - shared) * one + shared * two) + CHUNK_BEGINS

    first = _load(command, plan, blocks, plan.first, halo, build, memory)
    later = _load(command, plan, blocks, plan.chunk, 0, build, memory)
    return _Pass((first, later), (computing(plan.first), computing(plan.chunk)), sets)


def _load(
    command: Command, plan: WgradPlan, blocks: tuple[int, int], steps: int, halo: int, build: Build, memory: Memory
) -> Batch:
    """A chunk, in batches of a few row steps: rows of A, then rows of the error."""
    step = min(command.stride_y, plan.pass_rows)
    words = command.a_bits * command.a_width * plan.passes[0][0]
    most = 8 if words <= 64 else 4 if words <= 128 else 2 if words <= 256 else 1
    bus = follows = there = 0.0
    for begin in range(0, steps, most):
        count = min(most, steps - begin)
        rows = count * step + (halo if begin == 0 else 0)
        if plan.cut:
            kinds = _cut_requests(command, plan, build)
        else:
            kinds = _row_requests(command, plan, blocks, count, rows, build)
        way = stream(shared(core.memories(build), plan.live, kinds), build, memory)
        asking = core.memories(build) * (count * (plan.pass_rows + 2) + LANE_BEGINS)
        bus += way.bus
        there = follows + max(way.there, asking)
        follows += max(way.follows, asking)
    return Batch(steps, bus, follows, there)


def _row_requests(
    command: Command, plan: WgradPlan, blocks: tuple[int, int], steps: int, rows: int, build: Build
) -> tuple[Requests, ...]:
    """Whole rows: those of A that follow each other together, and those of the error."""
    a_row = core.WORD_BYTES * command.a_bits * command.a_width
    error_row = core.WORD_BYTES * command.b_bits * command.y_width
    joined = min(command.stride_y, plan.pass_rows) == command.stride_y
    a_requests = round(core.requests_of(rows, command.a_height)) if joined else rows
    a_size = a_row * rows / a_requests
    error_requests = round(core.requests_of(steps, command.y_height))
    error_size = error_row * steps / error_requests
    error_writing = _windows(command.y_width) * command.b_bits * steps / error_requests
    bus = build.bus_bytes
    return (
        Requests(blocks[0] * a_requests, core.beats(a_size, a_row, bus), a_size / core.WORD_BYTES / core.WORDS_A_CYCLE),
        Requests(blocks[1] * error_requests, core.beats(error_size, error_row, bus), error_writing),
    )


def _windows(pixels: int) -> float:
    """That a run of pixels touches, on average over where it may begin; rows of whole windows begin with one.

    >>> _windows(6), _windows(7), round(_windows(8), 2)
    (2.0, 3.0, 3.33)
    """
    whole, rest = divmod(pixels, core.PIXELS_A_WINDOW)
    return whole + (4 / 3 if rest == 2 else 1.0 if rest else 0.0)


def _cut_requests(command: Command, plan: WgradPlan, build: Build) -> tuple[Requests, ...]:
    """Spans of a row: each plane apart."""
    a_size = core.WORD_BYTES * min(command.a_width, (plan.span - 1) * command.stride_x + command.kernel_w)
    error_size = core.WORD_BYTES * min(plan.span, command.y_width)
    bus = build.bus_bytes
    return (
        Requests(
            command.a_bits, core.beats(a_size, core.WORD_BYTES, bus), a_size / core.WORD_BYTES / core.WORDS_A_CYCLE
        ),
        Requests(command.b_bits, core.beats(error_size, core.WORD_BYTES, bus), plan.span / core.PIXELS_A_WINDOW),
    )
