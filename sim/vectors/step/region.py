"""A region for vectors of vector commands: tensors and blocks are placed one behind the other, then the list."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sim.contract import (
    ALL_FEATURES,
    NO_COMMAND,
    TENSOR_ALIGNMENT,
    Block,
    BlockPlace,
    Build,
    Encoded,
    Error,
    Memory,
    Tensor,
    blocks_of,
    encode_list,
    pack_planes,
)
from sim.contract.noise import noise, random_codes
from sim.contract.tensors import planes_at, weights_at
from sim.reference import Reference
from sim.vectors.vector import Vector

Shape = tuple[int, int, int, int]
Fill = Callable[[tuple[int, ...], int, bool, int], npt.NDArray[np.int64]]
INT32 = np.dtype("<i4")


@dataclass
class Region:
    """Starts out as noise, so that a byte written where none belongs shows, and so does a block never written."""

    name: str
    build: Build
    bytes: int = 0
    loads: list[Callable[[Memory], object]] = field(default_factory=list)
    commands: list[Encoded] = field(default_factory=list)
    drawn: int = 0

    @property
    def seed(self) -> int:
        """Another one each time."""
        self.drawn += 1
        return zlib.crc32(self.name.encode()) + self.drawn

    def place(self, size: int) -> int:
        address = self.bytes
        self.bytes += -(-size // TENSOR_ALIGNMENT) * TENSOR_ALIGNMENT
        return address

    def empty(self, shape: Shape, bits: int) -> Tensor:
        """Room for bit planes."""
        n, c, h, w = shape
        size = planes_at(0, n, blocks_of(c), h, w, bits).end
        return planes_at(self.place(size), n, blocks_of(c), h, w, bits)

    def codes(self, shape: Shape, bits: int, signed: bool = False, fill: Fill = random_codes) -> Tensor:
        """Bit planes of codes; their padding channels hold 0."""
        tensor, values = self.empty(shape, bits), fill(shape, bits, signed, self.seed)
        self.loads.append(lambda memory: tensor.write(memory, pack_planes(values, bits, signed)))
        return tensor

    def words(
        self,
        channels: tuple[int, int],
        kernel: tuple[int, int],
        values: Callable[[tuple[int, ...]], npt.NDArray] | None = None,
        dtype: np.dtype = INT32,
    ) -> Tensor:
        """Words of (in, out) channels; padding channels hold 0. Without values, room."""
        size = weights_at(0, *channels, kernel, dtype).end
        tensor = weights_at(self.place(size), *channels, kernel, dtype)
        if values is not None:
            drawn = np.zeros((tensor.images, 16 * tensor.blocks, *kernel), dtype=np.int64)
            drawn[: channels[0], : channels[1]] = values((*channels, *kernel))
            tiles = drawn.reshape(tensor.images, tensor.blocks, 16, *kernel).transpose(0, 1, 3, 4, 2)
            self.loads.append(lambda memory: tensor.write(memory, tiles.astype(dtype)))
        return tensor

    def absent(self, kind: Block, channels: int = 0) -> BlockPlace:
        """Room for a block that is not written."""
        whole = 16 * blocks_of(channels)
        return BlockPlace(kind, self.place(BlockPlace(kind, 0, whole).bytes), whole)

    def block(
        self, kind: Block, channels: int = 0, records: Mapping[str, Any] | Sequence | None = None, **header: Any
    ) -> BlockPlace:
        """A written block; `records` by member, one value or one a channel, or whole records."""
        place = self.absent(kind, channels)

        def load(memory: Memory) -> None:
            head, rows = place.begin(memory)
            for name, value in header.items():
                head[name][0] = value
            if isinstance(records, Mapping):
                for name, value in records.items():
                    _fill(rows[name], channels, value)
            elif records is not None:
                _fill(rows, channels, records)

        self.loads.append(load)
        return place

    def add(self, *commands: Encoded) -> None:
        self.commands += commands

    def add_at(self, places: Mapping[str, Tensor | BlockPlace], command: Encoded) -> None:
        """A command with the addresses of its places, by the names of its fields."""
        for name, place in places.items():
            setattr(command, f"{name}_addr", place.address)
        self.add(command)

    def vector(
        self,
        expect: tuple[Error, int] = (Error.OK, NO_COMMAND),
        registers: Mapping[str, int] | None = None,
        spoil: Callable[[bytearray], None] | None = None,
    ) -> Vector:
        """What the reference makes of it; an end other than expected is a mistake in the catalogue.

        `spoil` may damage the encoded list; `registers` override what starts it.
        """
        data = bytearray(encode_list(self.commands))
        if spoil is not None:
            spoil(data)
        offset = self.place(len(data))
        before = noise(zlib.crc32(self.name.encode()), np.arange(self.bytes)).astype(np.uint8)
        for load in self.loads:
            load(before)
        before[offset : offset + len(data)] = np.frombuffer(data, dtype=np.uint8)
        after = before.copy()
        start = {"list_offset": offset, "list_bytes": len(data), "mem_bytes": before.size, **(registers or {})}
        outcome = Reference(self.build).run(after, **start)
        ends = (outcome.error, outcome.error_index, outcome.commands_done)
        if ends[:2] != expect:
            raise AssertionError(f"{self.name}: {outcome.error.name} at {outcome.error_index}, wanted {expect}")
        sizes = (start["mem_bytes"], start["list_offset"], start["list_bytes"])
        return Vector(self.name, before, after, *sizes, *ends, features=ALL_FEATURES)


def _fill(rows: np.ndarray, channels: int, value: Any) -> None:
    """One value for all channels, or a list with one for each; a tuple is one value of several members."""
    if isinstance(value, (list, np.ndarray)):
        rows[:channels] = value
    else:
        for channel in range(channels):
            rows[channel] = value


def integers(low: int, high: int, count: int, seed: int) -> list[int]:
    """Numbers from low to high, both included, with the ends among them."""
    span = high - low + 1
    drawn = noise(seed, np.arange(2 * count)).astype(np.uint64)
    wide = [int(drawn[2 * i]) << 32 | int(drawn[2 * i + 1]) for i in range(count)]
    values = [low + number % span for number in wide]
    values[: min(2, count)] = [low, high][:count]
    return values
