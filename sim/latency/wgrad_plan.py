"""How a WGRAD is cut into passes and chunks: what `vivado/rtl/planner.sv` calculates."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from sim.contract import CHANNEL_BLOCK, Build, Command
from sim.latency import core

MOST_CHUNK = core.MOST_AHEAD // 2 - 1
LONG_ENOUGH = (3, 8)  # rows and windows of a chunk that need not grow: the first ones are soon there


@dataclass(frozen=True)
class WgradPlan:
    """How a command is cut, as the planner does it.

    Args:
        passes: over the operands: blocks of A and of the error in each; all have pass_rows kernel rows.
        chunk, first: row steps of a chunk, and of the first one.
        span, spans: pixels of a row step; a row is cut in spans only where it does not fit.
        buffers: chunks that the column memories hold.
        entries: of the column memories, for a chunk.
    """

    rows: int
    live: float
    passes: tuple[tuple[int, int], ...]
    pass_rows: int
    chunk: int
    first: int
    span: int
    spans: int
    buffers: int
    entries: int

    @property
    def chunks(self) -> int:
        """Those after the first."""
        return (self.rows * self.spans - self.first) // self.chunk

    @property
    def cut(self) -> bool:
        return self.spans > 1

    @classmethod
    def of(cls, command: Command, build: Build) -> WgradPlan:
        """The largest pass of blocks that fits all memories; then chunks of more rows while two of them fit."""
        rows, live = core.lane_rows(command, build)
        pass_a, pass_y = command.a_blocks, command.y_blocks
        while not _fits(command, build, pass_a, pass_y):
            if pass_a == pass_y == 1:
                return cls._of_cut_rows(command, build, rows, live)
            if pass_a >= pass_y:
                pass_a = core.ceil_div(pass_a, 2)
            else:
                pass_y = core.ceil_div(pass_y, 2)
        span, step = command.y_width, min(command.stride_y, command.kernel_h)
        ring = _ring(command, build, pass_a)
        chunk, windows = 1, core.ceil_div(span, core.PIXELS_A_WINDOW)
        for tried in range(2, MOST_CHUNK + 1):
            more = core.ceil_div(tried * span, core.PIXELS_A_WINDOW)
            two_fit = 2 * more * command.b_bits * pass_y <= build.column_words
            if not two_fit or (2 * tried - 1) * step + command.kernel_h > ring:
                break
            if chunk >= LONG_ENOUGH[0] and windows >= LONG_ENOUGH[1]:
                break
            if tried % 3 == 0 or span % 3 == 0 or chunk < 3:
                chunk, windows = tried, more
        entries = windows * command.b_bits * pass_y
        passes = tuple(product(_shares(command.a_blocks, pass_a), _shares(command.y_blocks, pass_y)))
        first, buffers = (rows - 1) % chunk + 1, _buffers(entries, build)
        return cls(rows, live, passes, command.kernel_h, chunk, first, span, 1, buffers, entries)

    @classmethod
    def _of_cut_rows(cls, command: Command, build: Build, rows: int, live: float) -> WgradPlan:
        """Rows too wide for the memories: spans of them, one kernel row and one pair of blocks at a time."""
        span = min(48, build.lane_words // 240 // 3 * 3)
        entries = span // core.PIXELS_A_WINDOW * command.b_bits
        passes = ((1, 1),) * (command.a_blocks * command.y_blocks * command.kernel_h)
        spans = core.ceil_div(command.y_width, span)
        return cls(rows, live, passes, 1, 1, 1, span, spans, _buffers(entries, build), entries)

    def loaded_ahead(self, command: Command, build: Build) -> int:
        """Chunks that are loaded while another such command is at its last one; 0 if there is no room."""
        words = command.a_bits * command.a_width * self.passes[0][0] if not self.cut else 0
        step = min(command.stride_y, self.pass_rows)
        ring = min(core.MOST_RING, min(core.MOST_AHEAD, self.buffers * self.chunk) * step + 2 * command.kernel_h)
        if 2 * ring * words > build.lane_words or 2 * self.entries > build.column_words:
            return 0
        return self.buffers if (self.buffers + 1) * self.entries <= build.column_words else 1


def _shares(blocks: int, most: int) -> list[int]:
    """Blocks of each pass; the last one has what is left.

    >>> _shares(10, 3)
    [3, 3, 3, 1]
    """
    return [min(most, blocks - first) for first in range(0, blocks, most)]


def _buffers(entries: int, build: Build) -> int:
    """One chunk less than fits, if two are left, so that the next command's first fits next to this one's last."""
    fitting = build.column_words // entries
    return min(4, fitting - 1) if fitting > 3 else 2 if fitting >= 2 else 1


def _ring(command: Command, build: Build, pass_a: int) -> int:
    return min(build.lane_words // (command.a_bits * command.a_width * pass_a), core.MOST_RING)


def tap_sets(command: Command, build: Build) -> int:
    """Sets of kernel columns: a set has as many as there are groups of 16 lanes."""
    return core.ceil_div(command.kernel_w, max(1, build.lanes // CHANNEL_BLOCK))


def rounds(command: Command, rows: int, build: Build) -> tuple[int, int]:
    """Sets for a pair of blocks and these kernel rows; and those in which two rows share a set, which read twice."""
    if build.lanes // CHANNEL_BLOCK != 2 or command.kernel_w % 2 == 0 or command.kernel_w == 1:
        return rows * tap_sets(command, build), 0
    return core.ceil_div(rows * command.kernel_w, 2), rows // 2


def _fits(command: Command, build: Build, pass_a: int, pass_y: int) -> bool:
    sets = pass_a * pass_y * command.kernel_h * tap_sets(command, build)
    windows = core.ceil_div(command.y_width, core.PIXELS_A_WINDOW)
    return (
        command.a_bits * command.a_width * pass_a <= build.lane_words
        and _ring(command, build, pass_a) >= command.kernel_h
        and sets * core.round_words(build) <= core.ACCUMULATORS
        and windows * command.b_bits * pass_y <= build.column_words
    )
