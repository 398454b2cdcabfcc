"""A batch of requests on its way from memory to the load writers, lane by lane."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sim.contract import Build
from sim.latency import core
from sim.latency.time import Memory


@dataclass(frozen=True)
class Requests:
    """Requests of one target, on average: how many, the beats of each, and cycles until its writer has stored them."""

    number: float
    beats: float
    writing: float


@dataclass(frozen=True)
class Batch:
    """What is loaded together: its row steps; cycles of the bus, until the next batch may follow, until it is there,
    and in which the loader asks for it.
    """

    steps: int
    bus: float
    follows: float
    there: float
    asks: float = 0.0


def shared(targets: int, live: float, each: tuple[Requests, ...]) -> tuple[tuple[Requests, ...], ...]:
    """The same requests for all targets, of which a part has any.

    >>> [len(each) for each in shared(4, 0.5, (Requests(1, 1, 1),))]
    [0, 1, 0, 1]
    """
    return tuple(each if int((n + 1) * live + 0.001) > int(n * live + 0.001) else () for n in range(targets))


@lru_cache(maxsize=4096)
def stream(targets: tuple[tuple[Requests, ...], ...], build: Build, memory: Memory) -> Batch:
    """Targets (lanes or columns) ask one after another; each of n writers serves every n-th of them, in order.

    Data comes in the order of the requests, so a writer whose queue is full holds up all those after it.
    """
    queues = core.writers(build)
    beat = max(1.0, build.bus_bytes / memory.bytes_per_cycle)
    put_away: list[list[float]] = [[] for _ in range(queues)]  # when each beat of a writer is
    ended: list[list[float]] = [[] for _ in range(queues)]  # and each request
    arrives = bus = 0.0
    kinds = max(map(len, targets), default=0)
    owed = [0.0] * kinds  # parts of requests: some targets have one more than others
    broken = [0.5] * kinds  # and of beats
    asks = -float(memory.latency + core.REQUEST_WAY)
    for target, each in enumerate(targets):
        done, requests = put_away[target % queues], ended[target % queues]
        for place, kind in enumerate(each):
            starts = core.SHORT_STARTS if kind.writing < core.SHORT_WRITING else core.WRITER_STARTS
            owed[place] += kind.number
            number = int(owed[place] + 1e-6)
            owed[place] -= number
            for _ in range(number):
                asks += 1
                if len(requests) >= core.QUEUED_REQUESTS:
                    asks = max(asks, requests[-core.QUEUED_REQUESTS])
                arrives = max(arrives, asks + memory.latency + core.REQUEST_WAY)
                bus += kind.beats * build.bus_bytes / memory.bytes_per_cycle
                broken[place] += kind.beats
                whole = max(1, int(broken[place]))
                broken[place] -= whole
                for index in range(whole):
                    arrives += beat
                    if len(done) >= core.QUEUED_BEATS:
                        arrives = max(arrives, done[-core.QUEUED_BEATS])
                    free = (done[-1] if done else 0.0) + (0 if index else starts)
                    done.append(max(free, arrives + 2) + kind.writing / whole)
                requests.append(done[-1])
    return Batch(0, bus, arrives, max([arrives, *(done[-1] for done in put_away if done)]))
