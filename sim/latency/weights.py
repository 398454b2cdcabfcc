"""Cycles of a WEIGHTS: squares of 16 × 16 channels, whose scales are divided, whose weights are coded, whose codes of
either side are stored; each overlaps the work on other squares.

Channels' units wait in a queue until the first square's codes by output channel are in memory; a full queue stops the
divisions. Delays were read off the RTL (`weight_*.sv`); `BEGINS` was fitted.
"""

from __future__ import annotations

from collections.abc import Iterator

from sim.contract import CHANNEL_BLOCK, Build, WeightCommand, WeightFlag, blocks_of
from sim.contract.operands import bundle_channels
from sim.latency import core
from sim.latency.core import ceil_div
from sim.latency.time import CommandTime, Memory

BEGINS = 222, 42  # cycles of a command besides its squares, of one side and of both
WAITS = 3  # times that it waits for memory: headers, the first maxima, the last response
SCALE, UNIT = 25, 20  # cycles of a channel's division, and of a second one for its unit
SQUARE_ENDS = 4
UNITS = 32  # that may wait
UNIT_WRITE = 3
CODED, TURNED, SETTLED = 12, 14, 24  # cycles from the last weight to its codes, in the transposer, and to the tiles
TILE, OPENS = 2, 17  # cycles of a tile besides its data, and of the first one, to see that it is in memory
STORED_WORDS = 4  # in a cycle
# Taps of a job, at most: whole rows of kernels.
JOB_TAPS = {1: 16, 2: 16, 3: 15, 4: 16, 5: 15, 6: 12, 7: 14, 8: 16}
HEADER_BYTES = 64
ROUNDS = 4  # until what is coded and what is stored meanwhile agree


def weights_time(command: WeightCommand, build: Build, memory: Memory, load: float, store: float) -> CommandTime:
    both = command.flag(WeightFlag.BOTH)
    beat = core.weight_bytes(build) / memory.bytes_per_cycle  # of memory; the bus has one a cycle either way
    header = HEADER_BYTES // core.weight_bytes(build) * max(1.0, beat)
    squares = _Squares(command, build, beat, memory.latency, BEGINS[both] + 2 * memory.latency + 2 * header)
    for out, unit in _sides(command):
        squares.divide(out, unit)
        for taps in _jobs(command):
            squares.code(taps)
    ends = max(squares.store_free, squares.divided) + (1 + both) * (2 + header) + memory.latency
    return CommandTime(ends, squares.busy, load, store)


def _sides(command: WeightCommand) -> Iterator[tuple[bool, bool]]:
    """Of each square: whether output channels' scales are wanted, and input channels' units, bundle by bundle."""
    ins, outs = (blocks_of(channels) for channels in bundle_channels(command))
    for _ in range(ceil_div(blocks_of(command.in_channels), ins)):
        for out in range(outs):
            for into in range(ins):
                yield into == 0, out == 0


def _jobs(command: WeightCommand) -> list[int]:
    """Taps of each job of a square."""
    taps, most = command.kernel_h * command.kernel_w, JOB_TAPS.get(command.kernel_w, command.kernel_w)
    return [min(most, taps - first) for first in range(0, taps, most)]


class _Squares:
    """When each job is coded, transposed and stored, as far as squares have been gone through."""

    def __init__(self, command: WeightCommand, build: Build, beat: float, latency: int, begins: float) -> None:
        self.bits, self.odd, self.both = command.bits, command.kernel_w % 2, command.flag(WeightFlag.BOTH)
        self.bus_bytes, self.beat, self.latency = core.weight_bytes(build), beat, latency
        self.lanes = 4 if core.weight_bytes(build) > 16 else 2  # weights a cycle
        self.divided, self.units = begins, 0
        self.coded: list[float] = []
        self.turned: list[float] = []
        self.out_stored: list[float] = []
        self.in_stored: list[float] = []
        self.squares: list[float] = []  # coded
        self.store_free = self.busy = 0.0
        self.stores: list[tuple[float, float, float]] = []  # from, to, beats

    def divide(self, out: bool, unit_in: bool) -> None:
        """Maxima of a square come behind the weights of the last but one."""
        if len(self.squares) >= 2:
            self.divided = max(self.divided, self.squares[-2])
        sides = [True] * out + [unit_in] * self.both
        for unit in sides:
            self.busy += CHANNEL_BLOCK * (SCALE + UNIT * unit)
            if unit and self.units >= UNITS:
                self.divided = max(self.divided + SCALE + UNIT, self.out_stored[0] + UNIT_WRITE) - SCALE - UNIT
            self.divided += CHANNEL_BLOCK * (SCALE + UNIT * unit)
            self.units += CHANNEL_BLOCK * unit
        self.divided += SQUARE_ENDS
        self.squares.append(0.0)

    def code(self, taps: int) -> None:
        """Up to two jobs are between the coder and the end of the transposer, two in the tiles of either side."""
        weights = CHANNEL_BLOCK * CHANNEL_BLOCK * taps / self.lanes
        beats = CHANNEL_BLOCK * ceil_div(4 * CHANNEL_BLOCK * taps, self.bus_bytes)
        most = max(weights, beats)
        begins = max([self.divided, *self.coded[-1:], *self.turned[-2:-1], *self.in_stored[-2:-1]])
        self.stores = [each for each in self.stores if each[1] > begins]
        ends = begins + max(most, beats * self.beat)
        for _ in range(ROUNDS):
            stored = sum(number * _overlap(begins, ends, first, last) for first, last, number in self.stores)
            ends = begins + max(most, (beats + stored) * self.beat)
        self.coded.append(ends)
        self.squares[-1] = ends
        # Planes of even kernels are written one a cycle.
        group = CHANNEL_BLOCK if self.odd else max(CHANNEL_BLOCK + 4, self.lanes * self.bits + 4)
        turns = max([ends + CODED, *self.turned[-1:], *self.out_stored[-2:-1]])
        self.turned.append(turns + group * taps * CHANNEL_BLOCK / self.lanes + TURNED)
        self.busy += weights
        if self.out_stored:
            self.in_stored.append(self._store(ends + CODED + SETTLED, taps, CHANNEL_BLOCK * self.both))
            self.out_stored.append(self._store(self.turned[-1] + SETTLED, taps, CHANNEL_BLOCK))
            return
        # All else waits until the first tile is in memory, and units until those after it are.
        words, beats = self._tile(taps)
        opened = self.turned[-1] + SETTLED + TILE + words + beats * max(1.0, self.beat) + OPENS + self.latency
        self.out_stored.append(self._store(opened, taps, CHANNEL_BLOCK - 1))
        self.store_free += UNIT_WRITE * min(self.units, UNITS)
        self.in_stored.append(self._store(self.store_free, taps, CHANNEL_BLOCK * self.both))

    def _tile(self, taps: int) -> tuple[int, int]:
        """Cycles in which its data is read, and its beats."""
        words = taps * self.bits
        return ceil_div(words, STORED_WORDS), ceil_div(2 * words, self.bus_bytes)

    def _store(self, begins: float, taps: int, tiles: int) -> float:
        words, beats = self._tile(taps)
        begins = max(begins, self.store_free)
        if tiles:
            self.store_free = begins + tiles * max(TILE + words, beats * self.beat)
            self.stores.append((begins, self.store_free, tiles * beats))
        return self.store_free


def _overlap(begins: float, ends: float, first: float, last: float) -> float:
    """The part of the second span that lies in the first one."""
    return max(0.0, min(ends, last) - max(begins, first)) / (last - first)
