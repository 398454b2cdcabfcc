"""Blocks: what commands leave for each other in the region besides tensors. A header of 64 bytes, then a record a
channel; the header's first word names the kind, so that a block that was never written is refused.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim.contract.constants import TENSOR_ALIGNMENT, Block
from sim.contract.tensors import Memory

_SCALAR = [("m", "<i4"), ("e", "<i4")]


def _record(size: int, *members: tuple) -> np.dtype:
    """Members one after the other, filled with zeros to `size` bytes."""
    packed = np.dtype(list(members))
    return np.dtype([*members, ("unused", f"V{size - packed.itemsize}")]) if size > packed.itemsize else packed


_HEAD = (("kind", "<u4"), ("channels", "<u4"))
PLAIN_HEADER = _record(TENSOR_ALIGNMENT, *_HEAD)
HEADERS: dict[Block, np.dtype] = {
    Block.TALLY: _record(TENSOR_ALIGNMENT, *_HEAD, ("count", "<u4")),
    Block.COEFFICIENTS: _record(
        TENSOR_ALIGNMENT, *_HEAD, ("k", "<i4"), ("j", "<i4"), ("multiplier", "<i4"), ("scale_shift", "<i4")
    ),
    Block.TENSOR: _record(
        TENSOR_ALIGNMENT, *_HEAD, ("step", _SCALAR), ("bound", _SCALAR), ("ratio", _SCALAR), ("fraction", "<i4")
    ),
    Block.STEP: _record(
        TENSOR_ALIGNMENT,
        *_HEAD,
        ("seed", "<u8"),
        *((name, "<u4") for name in ("momentum", "weight_decay", "weight_rate", "parameter_decay", "parameter_rate")),
        ("unused0", "<u4"),
        ("keep", _SCALAR),
    ),
}
RECORDS: dict[Block, np.dtype] = {
    Block.TALLY: _record(32, ("sum", "<i8"), ("second", "<i8"), ("least", "<i4"), ("most", "<i4")),
    Block.NORM: _record(64, *((name, _SCALAR) for name in ("mean", "rho", "unit", "gain", "offset", "top", "bottom"))),
    Block.COEFFICIENTS: _record(32, ("a", "<i4"), ("c", "<i4"), ("b", "<i8")),
    Block.PARAMETERS: _record(
        32,
        *((name, "<i4") for name in ("gamma", "beta", "gamma_velocity", "beta_velocity")),
        ("mean", _SCALAR),
        ("variance", _SCALAR),
    ),
    Block.UNITS: np.dtype(_SCALAR),
    Block.MAXIMA: np.dtype("<i4"),
}


@dataclass(frozen=True)
class BlockPlace:
    """A block of some kind and size at an address of the region; TENSOR and STEP have no channels."""

    kind: Block
    address: int
    channels: int = 0

    @property
    def header_type(self) -> np.dtype:
        return HEADERS.get(self.kind, PLAIN_HEADER)

    @property
    def bytes(self) -> int:
        """Whole alignments."""
        records = self.channels * RECORDS[self.kind].itemsize if self.kind in RECORDS else 0
        return TENSOR_ALIGNMENT + -(-records // TENSOR_ALIGNMENT) * TENSOR_ALIGNMENT

    @property
    def end(self) -> int:
        return self.address + self.bytes

    def header(self, memory: Memory) -> np.ndarray:
        """The header, in place: a structured array of one element."""
        return memory[self.address : self.address + TENSOR_ALIGNMENT].view(self.header_type)

    def records(self, memory: Memory) -> np.ndarray:
        """One element a channel, in place."""
        kind, start = RECORDS[self.kind], self.address + TENSOR_ALIGNMENT
        return memory[start : start + self.channels * kind.itemsize].view(kind)

    def written(self, memory: Memory) -> bool:
        """Whether a block of this kind and size was written here."""
        header = self.header(memory)[0]
        return bool(header["kind"] == self.kind and header["channels"] == self.channels)

    def begin(self, memory: Memory) -> tuple[np.ndarray, npt.NDArray]:
        """Clears the block and names it; its header and records, in place."""
        memory[self.address : self.end] = 0
        header = self.header(memory)
        header["kind"], header["channels"] = self.kind, self.channels
        return header, self.records(memory) if self.kind in RECORDS else np.empty(0)
