"""A MAP's strips, and the pieces that the requests for them are cut into, as `vivado/rtl/map_walker.sv` does it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from sim.contract import MapCommand, MapFlag
from sim.latency import core

HEADER_BYTES, RECORDS_BYTES = 64, 512  # of a block of scalar memory: its header, and what it has for 16 channels


class Request(NamedTuple):
    """Pieces are words of one beat that go to successive banks, one a cycle."""

    pieces: int
    beats: int


class Strip(NamedTuple):
    """Whole rows of a tile, or a part of a row that is too wide."""

    row: int
    rows: int
    column: int
    pixels: int


@dataclass(frozen=True)
class Shape:
    """How a build walks a command: the strips of a tile, and how many pixels and words lie side by side."""

    command: MapCommand
    bus_bytes: int

    @cached_property
    def banks(self) -> int:
        return self.bus_bytes // 2 if self.bus_bytes > 32 else 16

    @cached_property
    def lanes(self) -> int:
        return 2 * self.banks

    @cached_property
    def pixels(self) -> int:
        """Read in a turn."""
        return self.banks // 16

    @cached_property
    def pitch_log(self) -> int:
        """Of the lanes of a row."""
        return min(max((self.command.width - 1).bit_length(), self.pixels.bit_length() - 1), self._lanes_log)

    @cached_property
    def _lanes_log(self) -> int:
        return self.lanes.bit_length() - 1

    @cached_property
    def whole(self) -> bool:
        return self.command.width <= self.lanes

    @cached_property
    def exact(self) -> bool:
        """Rows fill their pitch."""
        return self.command.width == 1 << self.pitch_log

    @cached_property
    def gather(self) -> int:
        """Planes that lie side by side in the banks, as they do in memory."""
        return max(1, self.banks >> self.pitch_log) if self.exact and self.bus_bytes == 2 * self.banks else 1

    @cached_property
    def reads(self) -> dict[str, int]:
        """Bits of each tensor that is read."""
        command = self.command
        mask = command.flag(MapFlag.MASK_X0) or command.flag(MapFlag.MASK_OUT)
        bits = {"x0": command.x0_bits, "x1": command.x1_bits, "x2": command.x2_bits, "mask": int(mask)}
        return {name: each for name, each in bits.items() if each}

    @cached_property
    def writes(self) -> dict[str, int]:
        command = self.command
        mask = int(command.flag(MapFlag.MASK_WRITE))
        return {n: b for n, b in {"out0": command.out0_bits, "out1": command.out1_bits, "mask": mask}.items() if b}

    @cached_property
    def turns(self) -> int:
        """Cycles that a turn's pixels take: one for each operand, and for each pixel."""
        return max(sum(name != "mask" for name in self.reads), self.pixels)

    def strips(self) -> list[Strip]:
        height, width = self.command.height, self.command.width
        if self.whole:
            step = self.lanes >> self.pitch_log
            return [Strip(row, min(step, height - row), 0, width) for row in range(0, height, step)]
        columns = range(0, width, self.lanes)
        return [Strip(row, 1, first, min(self.lanes, width - first)) for row in range(height) for first in columns]

    def cycles(self, strip: Strip) -> int:
        return strip.rows * core.ceil_div(strip.pixels, self.pixels) * self.turns

    def requests(self, name: str, bits: int, strip: Strip, block: int) -> list[Request]:
        """For one tensor of a strip: all planes at once of whole rows, else each plane by itself."""
        command, words, bus_words = self.command, self.bus_bytes // 2, strip.rows * strip.pixels
        if name == "x0" and command.flag(MapFlag.BROADCAST):
            return [Request(bits, core.ceil_div(bits, words))]
        begins = block * bits * command.height * command.width + strip.row * bits * command.width
        if not self.whole:
            places = (begins + plane * command.width + strip.column for plane in range(bits))
            one = pieces(1, strip.pixels, 1, 1, words, self.banks)
            return [Request(one, (place % words + strip.pixels - 1) // words + 1) for place in places]
        if name == "mask" and self.exact:
            made = pieces(1, bus_words, 1, 1, words, self.banks)
        else:
            made = pieces(strip.rows, strip.pixels, bits, self.gather, words, self.banks)
        return [Request(made, (begins % words + bits * bus_words - 1) // words + 1)]


@lru_cache(maxsize=1 << 12)
def pieces(rows: int, pixels: int, bits: int, gather: int, beat_words: int, banks: int) -> int:
    """Pieces of a request: each is a row of a plane, or of the planes that are gathered, as far as a beat and the banks
    reach.

    >>> pieces(rows=2, pixels=14, bits=3, gather=1, beat_words=32, banks=32)  # 84 words, cut at 14 and at 32
    8
    >>> pieces(rows=4, pixels=16, bits=4, gather=2, beat_words=32, banks=32)
    8
    """
    at = made = 0
    for plane in [*range(0, bits, gather)] * rows:
        left = min(gather, bits - plane) * pixels
        while left > 0:
            run = min(left, banks)
            made += (at + run - 1) // beat_words - at // beat_words + 1
            at, left = at + run, left - run
    return made
