"""Loads, array and stores in parallel, in steps of rows and segments of results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

from sim.latency.core import MOST_AHEAD
from sim.latency.stream import Batch


@dataclass(frozen=True)
class Work:
    """What the array makes of a row step: segments of results, and the cycles of each.

    Args:
        segments: parts of a row's width, for each output block.
        computing: cycles in the array, of each part.
        storing: on the bus.
        reading: out of the store buffer, meanwhile.
    """

    segments: int
    computing: tuple[float, ...]
    storing: tuple[float, ...]
    reading: tuple[float, ...]
    slots: int  # segments that the store buffer holds
    ahead: int  # row steps that may be loaded before the array is done with the first of them


SIMULATED_SEGMENTS = 1000  # of long commands; the rest goes on at the same pace
LEAST_BATCHES = 4


@lru_cache(maxsize=1024)  # most passes of a command are alike
def run(batches: tuple[Batch, ...], work: Work, loaded: int = 0) -> tuple[float, float]:
    """When the array is done, and the last store. Loads and stores share the bus evenly.

    The first `loaded` batches are there when it begins; in the end as many of the next command are loaded instead.
    """
    per_batch = work.segments * max(batch.steps for batch in batches)
    simulated = max(LEAST_BATCHES, SIMULATED_SEGMENTS // per_batch)
    if len(batches) <= 2 * simulated:
        return _Pipeline(batches, work, loaded).run()
    half, whole = batches[:simulated], batches[: 2 * simulated]
    ends = [_Pipeline(part, work, loaded).run() for part in (half, whole)]
    steps = [sum(batch.steps for batch in part) for part in (half, whole, batches)]
    periods = (steps[2] - steps[1]) / (steps[1] - steps[0])
    computed, stored = (later + periods * (later - earlier) for earlier, later in zip(*ends, strict=True))
    return computed, stored


class _Pipeline:
    """The state between two events: an end of a transfer, or one that may begin."""

    def __init__(self, batches: Sequence[Batch], work: Work, loaded: int) -> None:
        self.batches, self.own, self.work = [*batches, *batches[:loaded]], len(batches), work
        self.asked = sum(batch.steps for batch in batches[:loaded])  # row steps
        self.now = self.reader = 0.0
        self.there = [0.0] * self.asked  # each row step of this command
        self.computed: list[float] = []  # each segment
        self.stored: list[float] = []
        self.segments = work.segments * sum(batch.steps for batch in batches)
        self.batch = loaded
        self.loading: float | None = None  # cycles of the bus that are left
        self.storing: float | None = None
        self.load_began = self.store_began = self.asks_end = 0.0

    def run(self) -> tuple[float, float]:
        while len(self.stored) < self.segments:
            self._compute()
            load_from, store_from = self._load_from(), self._store_from()
            if load_from <= self.now:
                batch = self.batches[self.batch]
                self.asks_end = max(self.asks_end, self._room()) + batch.asks
                self.loading, self.load_began, load_from = batch.bus, self.now, inf
            if store_from <= self.now:
                self.storing, self.store_began, store_from = self._of(self.work.storing, self.stored), self.now, inf
            under_way = [left for left in (self.loading, self.storing) if left is not None]
            if not under_way:
                self.now = min(load_from, store_from)
                continue
            share = 1 / len(under_way)
            self._pass(min([load_from - self.now, store_from - self.now, *(left / share for left in under_way)]), share)
        return self.computed[-1], self.stored[-1]

    def _compute(self) -> None:
        """As far as operands are there and slots free."""
        work = self.work
        while (segment := len(self.computed)) < self.segments:
            step, slot = segment // work.segments, segment - work.slots
            if step >= len(self.there) or slot >= len(self.stored):
                return
            before = self.computed[-1] if self.computed else 0.0
            begin = max(before, self.there[step], self.stored[slot] if slot >= 0 else 0.0)
            self.computed.append(begin + self._of(work.computing, self.computed))

    def _of(self, parts: tuple[float, ...], before: list[float]) -> float:
        """The value of the next segment: parts come round in turn."""
        return parts[len(before) % len(parts)]

    def _load_from(self) -> float:
        """When the next batch may begin, as far as that is known."""
        if self.loading is not None or self.batch == len(self.batches):
            return inf
        return max(self.reader, self.asks_end, self._room())

    def _room(self) -> float:
        """When there is room for the next batch."""
        ahead = self.work.ahead if self.batch < self.own else MOST_AHEAD
        steps_done = self.asked + self.batches[self.batch].steps - ahead
        if steps_done <= 0:
            return 0.0
        last = steps_done * self.work.segments - 1
        return self.computed[last] if last < len(self.computed) else inf

    def _store_from(self) -> float:
        segment = len(self.stored)
        if self.storing is not None or segment >= len(self.computed):
            return inf
        return max(self.computed[segment], self.stored[-1] if self.stored else 0.0)

    def _pass(self, cycles: float, share: float) -> None:
        self.now += cycles
        if self.loading is not None:
            self.loading -= cycles * share
            if self.loading <= 1e-9:
                batch, self.loading = self.batches[self.batch], None
                self.asked += batch.steps
                if self.batch < self.own:
                    self.there += [max(self.now, self.load_began + batch.there, self.asks_end)] * batch.steps
                self.reader = max(self.now, self.load_began + batch.follows)
                self.batch += 1
        if self.storing is not None:
            self.storing -= cycles * share
            if self.storing <= 1e-9:
                self.stored.append(max(self.now, self.store_began + self._of(self.work.reading, self.stored)))
                self.storing = None
