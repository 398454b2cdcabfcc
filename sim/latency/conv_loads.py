"""What a CONV loads: weights column by column, then rows of all lanes, a few row steps at a time."""

from __future__ import annotations

from dataclasses import replace

from sim.contract import CHANNEL_BLOCK, Build, Command
from sim.latency import core
from sim.latency.stream import Batch, Requests, shared, stream
from sim.latency.time import Memory

LANE_BEGINS = 2  # cycles of the loader for a lane besides its rows,
DIVISION = 21  # and to find a row of a zero-inserted map


def row_batches(command: Command, build: Build, memory: Memory) -> tuple[tuple[Batch, ...], int, int]:
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
    joined = command.up_y == 1 and step == command.stride_y
    finding = 1 + command.kernel_h + (DIVISION if command.up_y > 1 else 0)

    def wanted_by(map_rows: float, requests: float) -> tuple[Requests, ...]:
        """Requests of a lane for this many rows of the map."""
        size = row_bytes * map_rows / requests
        writing = size / core.WORD_BYTES / core.WORDS_A_CYCLE
        return (Requests(command.a_blocks * requests, core.beats(size, row_bytes, build.bus_bytes), writing),)

    def batch(steps: int, first: bool) -> Batch:
        if first:
            targets = tuple(wanted_by(*each) if each[0] else () for each in _first_windows(command, build))
        else:
            map_rows = steps * new_rows
            requests = float(max(1, round(map_rows)))
            if joined:
                requests = core.requests_of(map_rows if steps > 1 else 1, command.a_height)
            targets = shared(build.lanes, live, wanted_by(map_rows, requests))
        asking = build.lanes * (steps * finding + LANE_BEGINS)
        return replace(stream(targets, build, memory), steps=steps, asks=asking)

    known: dict[tuple[int, bool], Batch] = {}
    batches: list[Batch] = []
    left, ramp = rows, 1
    while left:
        steps, begins = min(ramp, most, left), not batches
        if (steps, begins) not in known:
            known[steps, begins] = batch(steps, begins)
        batches.append(known[steps, begins])
        left -= steps
        ramp = min(8, 2 * ramp)
    return tuple(batches), ahead, ring * command.a_blocks * row_bytes // core.WORD_BYTES


def _first_windows(command: Command, build: Build) -> list[tuple[int, int]]:
    """Of each lane's first window: rows that lie in its image, or in the next one, and the requests for them."""
    pitch, (rows, _) = core.pitch_of(command), core.lane_rows(command, build)
    found = []
    for lane in range(build.lanes):
        image, y = divmod(lane * rows, pitch)
        first = y * command.stride_y - command.pad_top
        total = requests = 0
        before = None
        for v in range(first, first + command.kernel_h):
            follows, down = divmod(v, pitch * command.stride_y)
            row, rest = divmod(down, command.up_y)
            if 0 <= follows < command.images - image and not rest and row < command.a_height:
                total += 1
                requests += not (command.up_y == 1 and before == (follows, row - 1))
                before = follows, row
        found.append((total, requests))
    return found


def weights_of(command: Command, blocks: int, build: Build, memory: Memory) -> Batch:
    """Column by column; blocks of a column that follow each other in memory are read together."""
    tile = core.WORD_BYTES * command.kernel_h * command.kernel_w * command.b_bits
    joined = command.b_block_stride == tile
    size = tile * (command.a_blocks if joined else 1)
    words_a_cycle = 3 if command.kernel_w == 3 else 1
    writing = size / core.WORD_BYTES / words_a_cycle
    kind = Requests(1 if joined else command.a_blocks, core.beats(size, 16, build.bus_bytes), writing)
    way = stream(shared(CHANNEL_BLOCK * blocks, 1.0, (kind,)), build, memory)
    return replace(way, asks=CHANNEL_BLOCK * blocks * kind.number)
