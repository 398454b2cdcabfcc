"""Blocks: what commands leave for each other in the region besides tensors. A header of 64 bytes, then a record a
channel; the header's first word names the kind, so that a block that was never written is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sim.contract.constants import BLOCK_HEADER, BLOCK_RECORD, RECORD_BYTES, TENSOR_ALIGNMENT, Block
from sim.contract.tensors import Memory

_TYPES: dict[str, Any] = {
    "u32": "<u4",
    "i32": "<i4",
    "u64": "<u8",
    "i64": "<i8",
    "scalar": np.dtype([("m", "<i4"), ("e", "<i4")]),
}


def _layout(members: Mapping[str, tuple[int, str]], size: int) -> np.dtype:
    """Members at their places, `size` bytes in all; a record that is one value has no members in the code."""
    places = [(byte, _TYPES[kind]) for byte, kind in members.values()]
    if len(places) == 1:
        return np.dtype(places[0][1])
    formats = [kind for _, kind in places]
    offsets = [byte for byte, _ in places]
    return np.dtype({"names": list(members), "formats": formats, "offsets": offsets, "itemsize": size})


def _header(kind: str) -> np.dtype:
    return _layout(BLOCK_HEADER["every"] | BLOCK_HEADER.get(kind, {}), TENSOR_ALIGNMENT)


HEADERS: dict[Block, np.dtype] = {kind: _header(kind.name.lower()) for kind in Block}
RECORDS: dict[Block, np.dtype] = {
    Block[kind.upper()]: _layout(members, RECORD_BYTES[kind]) for kind, members in BLOCK_RECORD.items()
}


@dataclass(frozen=True)
class BlockPlace:
    """A block of some kind and size at an address of the region; TENSOR and STEP have no channels."""

    kind: Block
    address: int
    channels: int = 0

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
        return memory[self.address : self.address + TENSOR_ALIGNMENT].view(HEADERS[self.kind])

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
