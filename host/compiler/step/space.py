"""Named pieces of the region, each with the time in which its bytes count; what is dead makes room for others.

Lists are compiled twice: in a space where every piece has addresses of its own, which shows who uses what and when, and
in one that was settled accordingly.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from host.compiler.plan import REGION_LIMIT, Plan, PlanError
from sim.contract import TENSOR_ALIGNMENT, Encoded, operands

Span = tuple[int, int]  # first byte, and the first behind


@dataclass
class Space:
    """Addresses by name. Kept pieces outlive an iteration; of a settled space nothing new can be asked.

    >>> space = Space()
    >>> space.address("x", 100), space.address("y", 64), space.address("x", 90)
    (0, 128, 0)
    """

    sizes: dict[str, int] = field(default_factory=dict)
    addresses: dict[str, int] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    settled: bool = False
    _end: int = 0

    def address(self, name: str, size: int, kept: bool = False) -> int:
        """Of a piece, which the first call makes and later ones find; at most as large as it was made."""
        if name not in self.sizes:
            if self.settled:
                raise PlanError(f"'{name}' is not in the plan")
            self.sizes[name], self.addresses[name] = size, self._end
            self._end += aligned(size)
            if kept:
                self.kept.append(name)
        if size > self.sizes[name]:
            raise PlanError(f"'{name}' needs {size:,} bytes, {size - self.sizes[name]:,} more than were planned")
        return self.addresses[name]

    def settle(self, moments: Sequence[Sequence[Span]], plan: Plan, places: dict[str, int]) -> Space:
        """The space in which pieces that are never used at one moment share bytes; they are added to the plan.

        Args:
            moments: the bytes that each moment uses, one after the other: commands, and what the host does.
            plan: what comes before; kept pieces are added one by one, all others as one.
            places: where kept pieces are that the plan has already.
        """
        addresses = {name: places.get(name, -1) for name in self.kept}
        for name in self.kept:
            if addresses[name] < 0:
                addresses[name] = plan.add(name, self.sizes[name])
        lives = lifetimes(self, moments)
        passing = {name: life for name, life in lives.items() if name not in addresses}
        offsets, size = share({name: (self.sizes[name], *life) for name, life in passing.items()})
        start = plan.bytes
        if start + size > REGION_LIMIT:
            raise PlanError(f"the plan ends {start + size - REGION_LIMIT:,} bytes beyond the largest region")
        addresses |= {name: start + offset for name, offset in offsets.items()}
        return Space(self.sizes, addresses, self.kept, settled=True, _end=start + size)

    @property
    def end(self) -> int:
        """The first byte behind all pieces."""
        return self._end


def lifetimes(space: Space, moments: Sequence[Sequence[Span]]) -> dict[str, tuple[int, int]]:
    """The first and the last moment that uses each piece."""
    names = sorted(space.addresses, key=space.addresses.__getitem__)
    starts = [space.addresses[name] for name in names]
    lives: dict[str, tuple[int, int]] = {}
    for moment, spans in enumerate(moments):
        for start, _ in spans:
            name = names[bisect_right(starts, start) - 1]
            lives[name] = (lives.get(name, (moment, moment))[0], moment)
    return lives


def share(pieces: dict[str, tuple[int, int, int]]) -> tuple[dict[str, int], int]:
    """Offsets for pieces (bytes, first and last moment), and the bytes of all: the largest first, each as low as goes.

    >>> share({"a": (64, 0, 1), "b": (128, 2, 3), "c": (64, 1, 2)})
    ({'b': 0, 'a': 0, 'c': 128}, 192)
    """
    order = sorted(pieces, key=lambda name: (-pieces[name][0], pieces[name][1], name))
    firsts, lasts, starts, ends = (np.zeros(len(order), dtype=np.int64) for _ in range(4))
    offsets: dict[str, int] = {}
    for count, name in enumerate(order):
        size, first, last = pieces[name]
        size = aligned(size)
        alive = np.flatnonzero((firsts[:count] <= last) & (lasts[:count] >= first))
        alive = alive[np.argsort(starts[alive], kind="stable")]
        # The room below each neighbour begins where the highest of those before it ends.
        floors = np.concatenate([[0], np.maximum.accumulate(ends[alive])])
        fits = np.flatnonzero(starts[alive] - floors[:-1] >= size)
        offset = int(floors[fits[0]] if len(fits) else floors[-1])
        firsts[count], lasts[count], starts[count], ends[count] = first, last, offset, offset + size
        offsets[name] = offset
    return offsets, int(ends.max(initial=0))


def spans_of(command: Encoded) -> list[Span]:
    """The bytes that a command reads or writes, tensor by tensor and block by block."""
    return [(place.address, place.end) for place in operands(command).all.values()]


def aligned(size: int) -> int:
    return -(-size // TENSOR_ALIGNMENT) * TENSOR_ALIGNMENT
