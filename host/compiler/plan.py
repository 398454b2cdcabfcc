"""One contiguous region for everything an accelerator run touches, planned before a byte is allocated."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sim.contract import TENSOR_ALIGNMENT

REGION_LIMIT = (1 << 32) - TENSOR_ALIGNMENT  # addresses are 32-bit offsets into the region


class PlanError(ValueError):
    """What was asked for does not fit; the message says by how much."""


@dataclass
class Plan:
    """Places named pieces one after another.

    >>> plan = Plan()
    >>> plan.add("x", 100), plan.add("w", 64), plan.bytes
    (0, 128, 192)
    """

    bytes: int = 0
    pieces: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add(self, name: str, size: int) -> int:
        """Reserves `size` bytes and returns their offset in the region."""
        if name in self.pieces:
            raise PlanError(f"'{name}' is already in the plan")
        offset = self.bytes
        end = offset + -(-size // TENSOR_ALIGNMENT) * TENSOR_ALIGNMENT
        if end > REGION_LIMIT:
            raise PlanError(f"'{name}' ends {end - REGION_LIMIT:,} bytes beyond the largest region ({REGION_LIMIT:,})")
        self.pieces[name] = (offset, size)
        self.bytes = end
        return offset

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Removes what a failing block has added."""
        size, pieces = self.bytes, dict(self.pieces)
        try:
            yield
        except Exception:
            self.bytes, self.pieces = size, pieces
            raise

    def describe(self) -> str:
        """A line for each piece, and the total."""
        lines = [f"{offset:>12,} {size:>12,}  {name}" for name, (offset, size) in self.pieces.items()]
        return "\n".join(["      offset        bytes  piece", *lines, f"{'':12} {self.bytes:>12,}  in all"])
