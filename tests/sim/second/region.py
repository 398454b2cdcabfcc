"""A region, byte by byte: words, blocks, bit planes, weights, in Python's own integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from tests.sim.second.document import members, numbers, table
from tests.sim.second.numbers import parts, scalar

Index = tuple[int, int, int, int]
SIZES = {"u32": 4, "i32": 4, "u64": 8, "i64": 8}
RECORDS = {row[0]: int(row[3]) for row in table("block")}


def whole_block(channels: int) -> int:
    return -(-channels // 16) * 16


@dataclass(frozen=True)
class Span:
    """Something in the region: where, and how long."""

    address: int
    bytes: int

    @property
    def end(self) -> int:
        return self.address + self.bytes

    def overlaps(self, other: Span) -> bool:
        return self.address < other.end and other.address < self.end


@dataclass(frozen=True)
class BlockSpan(Span):
    kind: str = ""
    channels: int = 0


def block(kind: str, address: int, channels: int = 0) -> BlockSpan:
    """A block of that many channels, padding included; TENSOR and STEP have none."""
    channels = channels if RECORDS[kind] else 0
    return BlockSpan(address, 64 + -(-channels * RECORDS[kind] // 64) * 64, kind, channels)


@dataclass(frozen=True)
class Planes(Span):
    """Bit planes (images, 16·blocks, height, width) without strides of their own, or with."""

    shape: Index = (0, 0, 0, 0)
    bits: int = 0
    image_stride: int = 0
    block_stride: int = 0


def planes(address: int, shape: Index, bits: int, strides: tuple[int, int] | None = None) -> Planes:
    n, c, h, w = shape
    tile = 2 * h * bits * w
    image, inner = strides or (-(-(c // 16) * tile // 64) * 64, tile)
    return Planes(address, (n - 1) * image + (c // 16 - 1) * inner + tile, shape, bits, image, inner)


@dataclass(frozen=True)
class Words(Span):
    """Words of weights, [ci][co / 16][ky][kx][16]; shape (in, out, kernel_h, kernel_w), padding included."""

    shape: Index = (0, 0, 0, 0)
    size: int = 4

    def at(self, index: Index) -> int:
        ci, co, ky, kx = index
        _, outs, kh, kw = self.shape
        number = ((((ci * (outs // 16) + co // 16) * kh + ky) * kw) + kx) * 16 + co % 16
        return self.address + number * self.size


def words(address: int, shape: Index, size: int = 4) -> Words:
    ins, outs, kh, kw = shape
    return Words(address, ins * outs * kh * kw * size, shape, size)


def every(shape: Index) -> Iterator[Index]:
    return product(*map(range, shape))  # type: ignore[return-value]


class Region:
    """Reads and writes what spans name."""

    def __init__(self, memory: bytearray) -> None:
        self.memory = memory

    def integer(self, address: int, size: int, signed: bool = True) -> int:
        return int.from_bytes(self.memory[address : address + size], "little", signed=signed)

    def store(self, address: int, size: int, value: int) -> None:
        self.memory[address : address + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")

    def get(self, place: BlockSpan, name: str, channel: int | None = None) -> Any:
        """A field of the header, or of a channel's record; scalars as fractions."""
        kind, address = self._member(place, name, channel)
        if kind == "scalar":
            return scalar(self.integer(address, 4), self.integer(address + 4, 4))
        return self.integer(address, SIZES[kind], kind[0] == "i")

    def put(self, place: BlockSpan, name: str, value: int | Fraction, channel: int | None = None) -> None:
        kind, address = self._member(place, name, channel)
        if kind == "scalar":
            m, e = parts(Fraction(value))
            self.store(address, 4, m)
            self.store(address + 4, 4, e)
        else:
            self.store(address, SIZES[kind], int(value))

    def _member(self, place: BlockSpan, name: str, channel: int | None) -> tuple[str, int]:
        part = "header" if channel is None else "record"
        byte, kind = members(f"{place.kind} {part}")[name]
        start = place.address if channel is None else place.address + 64 + channel * RECORDS[place.kind]
        return kind, start + byte

    def begin(self, place: BlockSpan) -> None:
        self.memory[place.address : place.end] = bytes(place.bytes)
        self.put(place, "kind", numbers("block")[place.kind])
        self.put(place, "channels", place.channels)

    def written(self, place: BlockSpan) -> bool:
        wanted = (numbers("block")[place.kind], place.channels)
        return (self.get(place, "kind"), self.get(place, "channels")) == wanted

    def code(self, place: Planes, index: Index, signed: bool) -> int:
        """One code, bit by bit."""
        value = sum(self._word(place, index, bit) >> index[1] % 16 & 1 and 1 << bit for bit in range(place.bits))
        return value - (1 << place.bits) if signed and value >> place.bits - 1 else value

    def _word(self, place: Planes, index: Index, bit: int) -> int:
        return self.integer(self._address(place, index, bit), 2, signed=False)

    def _address(self, place: Planes, index: Index, bit: int) -> int:
        n, c, y, x = index
        tile = place.address + n * place.image_stride + c // 16 * place.block_stride
        return tile + 2 * ((y * place.bits + bit) * place.shape[3] + x)

    def store_codes(self, place: Planes, value: Callable[[Index], int]) -> None:
        for index in every(place.shape):
            code = value(index)
            for bit in range(place.bits):
                address = self._address(place, index, bit)
                word = self.integer(address, 2, signed=False) & ~(1 << index[1] % 16)
                self.store(address, 2, word | (code >> bit & 1) << index[1] % 16)
