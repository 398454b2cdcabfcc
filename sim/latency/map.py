"""Cycles of a MAP: strips come in, go through the lanes and leave; each part of the engine waits for its neighbours.

Blocks of 16 channels follow each other: the next one's coefficients are taken when the last pixel of this one is
through and its tally is written. Delays were read off the RTL (`map_*.sv`); `BETWEEN` was fitted.
"""

from __future__ import annotations

from collections.abc import Generator
from math import inf

from sim.contract import Build, MapCommand, MapFlag
from sim.latency import core
from sim.latency.map_strips import HEADER_BYTES, RECORDS_BYTES, Request, Shape
from sim.latency.time import CommandTime, Memory

IN_STRIPS, OUT_STRIPS = 4, 2  # on the chip at once
SIZES = 75  # cycles to calculate the tensors' sizes,
HEADERS, KEYS = 8, 34  # or until headers are asked for, and from the last of them on
READ_WAY = 5  # cycles from a request to the memory, and from there to the banks
ASKS, ASKS_STRIP = 2, 4  # cycles of the walker for a request, and for a strip
STARTS = 3  # cycles before the first piece of a request
KEPT_BEATS = 2  # on their way to the banks
FILLS = 4  # cycles from a strip's last piece to its first pixel
ROOM = 2  # and from an end until there is room for another strip
RESULTS = 33  # cycles from a strip's last pixel to its results,
DRAINS = 42  # and from a block's until its tally is complete
PUTS = 9  # cycles from a write's beginning to its first beat
QUEUE = 16  # beats that the writing is behind
SETTLES = 8  # cycles to see that the tally's header is written
BETWEEN = -8  # two commands, less what is counted twice
FEW = 6  # beats that have the bus at a time,
MADE_UP = 2  # and that memory makes up for when it was idle
STRIPS, BLOCKS = 64, 3  # of long commands that are followed: the first block differs from those after it

Stream = Generator[float, float, float]  # takes the bus when it gives; inf while the other one must go on


def map_time(command: MapCommand, build: Build, memory: Memory, load: float, store: float) -> CommandTime:
    """The first strips of the first blocks are followed; the others go on at their pace."""
    engine = _Engine(command, build, memory)
    engine.run()
    more = (engine.all_strips - engine.strips) * engine.pace()
    cycles = engine.written + memory.latency + BETWEEN + engine.blocks * more
    if command.blocks > engine.blocks:
        *_, earlier, later = engine.begun
        cycles += (command.blocks - engine.blocks) * (later - earlier + more)
    compute = sum(map(engine.shape.cycles, engine.tile)) * command.images * command.blocks
    return CommandTime(cycles, float(compute), load, store)


class _Engine:
    """When each strip is there, through the lanes and written, as far as is known. Blocks go by their number."""

    def __init__(self, command: MapCommand, build: Build, memory: Memory) -> None:
        self.free = 0.0  # the bus
        self.moved = True  # what a stream may wait for has come since it was asked
        self.shape, self.latency = Shape(command, core.map_bytes(build)), memory.latency
        self.tally, self.scales = command.flag(MapFlag.TALLY), command.out0_bits > 0
        self.beat = core.map_bytes(build) / memory.bytes_per_cycle  # of memory; the bus has one a cycle either way
        self.header, self.records = (size // core.map_bytes(build) for size in (HEADER_BYTES, RECORDS_BYTES))
        self.tile = self.shape.strips()
        self.all_strips = len(self.tile) * command.images  # of a block
        tiles = 2 * max(1, STRIPS // (2 * len(self.tile))) * len(self.tile)
        self.strips = min(self.all_strips, tiles if len(self.tile) <= STRIPS else STRIPS)
        self.blocks = min(command.blocks, BLOCKS)
        headers = HEADERS + memory.latency + self.header * (1 + command.flag(MapFlag.STOCHASTIC)) + KEYS
        self.begins = max(SIZES, headers if self.scales else 0)
        self.between = [float(self.begins)]  # each block may begin
        self.begun: list[float] = []
        self.filled: list[float] = []  # each strip
        self.done: list[float] = []
        self.freed: list[float] = []  # of its results
        self.written = 0.0
        self.known: dict[tuple[int, int, bool], list[Request]] = {}

    def pace(self) -> float:
        """Cycles of a strip, in the later half of the first block."""
        half = self.strips // 2
        return (self.done[self.strips - 1] - self.done[half - 1]) / (self.strips - half) if half else 0.0

    def run(self) -> None:
        """Both streams share the bus: who asked first, then in turn."""
        streams: list[Stream] = [self.reads(), self.writes()]
        wanted, last = [next(stream) for stream in streams], 1
        while True:
            if self.moved:
                self.moved = False
                self.fetch()
                for place, want in enumerate(wanted):
                    wanted[place] = streams[place].send(inf) if want == inf else want
            at = max(min(wanted), self.free - MADE_UP * self.beat)
            if at == inf and not self.moved:
                return
            if at == inf:
                continue
            which = 1 - last if wanted[1 - last] <= at else last
            last = which
            wanted[which] = streams[which].send(at)

    def fetch(self) -> None:
        """Strips that are there go through the lanes while there is room for their results."""
        while (strip := len(self.done)) < len(self.filled):
            block, first = divmod(strip, self.strips)
            before = strip - OUT_STRIPS if self.shape.writes else -1
            if before >= len(self.freed):
                return
            begins = self.done[-1] + 1 if first else self.begun[block]
            begins = max(begins, self.filled[strip], self.freed[before] + ROOM if before >= 0 else 0.0)
            self.done.append(begins + self.shape.cycles(self.tile[strip % len(self.tile)]))
            if not self.tally and len(self.done) == (block + 1) * self.strips:
                self.between.append(self.done[-1] + DRAINS)

    def reads(self) -> Stream:
        asks = unpacks = float(self.begins)
        for block in range(self.blocks):
            while len(self.between) <= block:
                yield inf
            begins = max(self.between[block], unpacks)
            if self.scales:
                begins = max(begins, asks + self.latency + READ_WAY)
                ends = yield from self.beats(begins, begins, 1.0, self.records)
                unpacks = max(ends - KEPT_BEATS * max(1.0, self.beat), begins + self.records)
            unpacks = max(unpacks, begins) + 1
            self.begun.append(unpacks + 1)
            self.moved = True
            for strip in range(self.strips):
                ahead = block * self.strips + strip - IN_STRIPS
                while ahead >= len(self.done):
                    yield inf
                asks = max(asks, self.done[ahead] + ROOM if ahead >= 0 else 0.0) + ASKS_STRIP - ASKS
                for request in self.requests(block, strip, writes=False):
                    asks += ASKS
                    pace = request.pieces / request.beats
                    arrives = asks + self.latency + READ_WAY
                    begins = max(arrives, unpacks)
                    first = max(arrives, begins - KEPT_BEATS * pace)
                    ends = yield from self.beats(first, begins + STARTS - KEPT_BEATS * pace, pace, request.beats)
                    unpacks = max(begins + STARTS + request.pieces, ends + 1)
                self.filled.append(unpacks + FILLS)
                self.moved = True
        while True:
            yield inf

    def writes(self) -> Stream:
        packs, header = 0.0, self.tally
        for block in range(self.blocks):
            for strip in range(self.strips) if self.shape.writes else ():
                number = block * self.strips + strip
                while number >= len(self.done):
                    yield inf
                begins = max(self.done[number] + RESULTS, packs)
                if header:
                    begins, header = (yield from self.put_header(begins)), False
                for request in self.requests(block, strip, writes=True):
                    begins = max(begins, packs)
                    pace = request.pieces / request.beats
                    ends = yield from self.beats(begins + PUTS, begins + PUTS, pace, request.beats)
                    packs = max(begins + STARTS + request.pieces, ends - QUEUE * max(1.0, self.beat))
                    self.written = max(ends, begins + PUTS + request.pieces)
                self.freed.append(packs)
                self.moved = True
            if self.tally:
                while len(self.done) < (block + 1) * self.strips:
                    yield inf
                begins = max(self.done[-1] + DRAINS, packs)
                if header:
                    begins, header = (yield from self.put_header(begins)), False
                self.written = yield from self.beats(begins + PUTS, begins + PUTS, 1.0, self.records)
                packs = begins + self.records + 2
                self.between.append(packs + 1)
                self.moved = True
        while True:
            yield inf

    def put_header(self, begins: float) -> Stream:
        """The tally's header is written before all else."""
        ends = yield from self.beats(begins + PUTS, begins + PUTS, 1.0, self.header)
        return ends + self.latency + SETTLES

    def beats(self, first: float, origin: float, pace: float, number: int) -> Stream:
        """Until a request's beats have passed: those behind the first are `pace` apart."""
        passed, at, ends = 0, first, first
        while passed < number:
            now = yield at
            few = min(FEW, number - passed)
            passed += few
            at = max(origin + passed * pace, now + few)
            self.free = max(self.free, now) + few * self.beat
            ends = max(now + few, self.free - MADE_UP * self.beat)
        return ends

    def requests(self, block: int, strip: int, writes: bool) -> list[Request]:
        at = strip % len(self.tile)
        if (block, at, writes) not in self.known:
            tensors = self.shape.writes if writes else self.shape.reads
            self.known[block, at, writes] = [
                request
                for name, bits in tensors.items()
                for request in self.shape.requests(name, bits, self.tile[at], block)
            ]
        return self.known[block, at, writes]
