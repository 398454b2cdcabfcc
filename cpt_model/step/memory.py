"""The region of command lists as PyTorch holds it: codes unpacked, all else as the contract lays it out.

Blocks and words (weights, velocities, gradients, sums) stay in `raw`, an array of bytes with the region's addresses.
Bit planes become tensors (images, blocks, height, width, 16) of bytes, or of 16-bit words beyond 8 bits; a mask is its
plane, (images, blocks, height, width) of 16-bit words. A tensor is read with the sign it was written with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

import numpy as np
import torch

from sim.contract import CHANNEL_BLOCK, Tensor

Codes = torch.Tensor


def part_of(whole: Tensor, place: Tensor) -> tuple[slice, slice] | None:
    """Which images and blocks of a tensor a place of whole tiles is; None if it is no part of it."""
    offset = place.address - whole.address
    if place.tile != whole.tile or offset < 0:
        return None
    image, rest = divmod(offset, whole.image_stride)
    block, rest = divmod(rest, whole.block_stride)
    strides_agree = (place.images == 1 or place.image_stride == whole.image_stride) and (
        place.blocks == 1 or place.block_stride == whole.block_stride
    )
    if rest or not strides_agree or image + place.images > whole.images or block + place.blocks > whole.blocks:
        return None
    return slice(image, image + place.images), slice(block, block + place.blocks)


@dataclass(eq=False)
class Held:
    """Codes, or a mask, and the piece of memory they are in."""

    place: Tensor
    end: int  # of the place
    codes: Codes
    piece: torch.Tensor


class Pool:
    """Pieces of memory that nothing is held in."""

    def __init__(self) -> None:
        self._free: list[torch.Tensor] = []

    def take(self, size: int) -> torch.Tensor:
        """The smallest that is large enough, or a new one."""
        fitting = [number for number, piece in enumerate(self._free) if piece.numel() >= size]
        if not fitting:
            return torch.zeros(size, dtype=torch.uint8, device="cpu")
        return self._free.pop(min(fitting, key=lambda number: self._free[number].numel()))

    def give(self, piece: torch.Tensor) -> None:
        self._free.append(piece)


class Memory:
    """What commands read and write; what it hands out stays, and may share memory with what was overwritten before."""

    def __init__(self, raw: np.ndarray) -> None:
        self.raw = raw
        self._pool = Pool()
        self._held: list[Held] = []
        self._wholes: defaultdict[tuple[int, ...], list[Tensor]] = defaultdict(list)

    def expect(self, places: Iterable[Tensor]) -> None:
        """All tensors of bit planes that the commands of a list name: one may write a part of what another reads."""
        self._wholes.clear()
        for place in sorted(set(places), key=lambda place: place.images * place.blocks, reverse=True):
            self._wholes[place.tile].append(place)

    def pointer(self, address: int) -> int:
        """Of a byte of `raw`."""
        return self.raw.ctypes.data + address

    def codes(self, place: Tensor, signed: bool) -> Codes:
        """What an earlier command wrote there, or what the host is to write."""
        for held in self._held:
            part = part_of(held.place, place)
            if part is not None:
                return held.codes[part].view(dtype_of(place, signed))
        return self.new_codes(place, signed)

    def new_codes(self, place: Tensor, signed: bool) -> Codes:
        """For a command to write."""
        for whole in self._wholes[place.tile]:
            part = part_of(whole, place)
            if part is not None:
                return self._hold(whole, (*_pixels(whole), CHANNEL_BLOCK), dtype_of(whole, signed))[part]
        return self._hold(place, (*_pixels(place), CHANNEL_BLOCK), dtype_of(place, signed))

    def mask(self, place: Tensor) -> Codes:
        """To read or to write."""
        return self._hold(place, _pixels(place), torch.int16)

    def _hold(self, place: Tensor, shape: tuple[int, ...], dtype: torch.dtype) -> Codes:
        """What is held there, if it is the same; else what the place overlaps is gone."""
        start, end = place.address, place.end
        for held in [held for held in self._held if held.place.address < end and start < held.end]:
            if held.place == place and held.codes.shape == shape:
                return held.codes.view(dtype)
            self._held.remove(held)
            self._pool.give(held.piece)
        size = prod(shape) * dtype.itemsize
        piece = self._pool.take(size)
        codes = piece[:size].view(dtype).view(shape)
        self._held.append(Held(place, end, codes, piece))
        return codes


def bits_of(place: Tensor) -> int:
    """Of a tensor of bit planes."""
    return place.tile[1]


def dtype_of(place: Tensor, signed: bool) -> torch.dtype:
    """What holds codes of a tensor."""
    if bits_of(place) <= 8:
        return torch.int8 if signed else torch.uint8
    if bits_of(place) == 16 and not signed:
        raise ValueError("unsigned codes of 16 bits do not fit the words they are held in")
    return torch.int16


def _pixels(place: Tensor) -> tuple[int, int, int, int]:
    return place.images, place.blocks, place.tile[0], place.tile[2]


def to_channels(codes: Codes) -> torch.Tensor:
    """(n, c, h, w) of (n, blocks, h, w, 16)."""
    return codes.permute(0, 1, 4, 2, 3).flatten(1, 2)


def to_blocks(values: torch.Tensor) -> torch.Tensor:
    """(n, blocks, h, w, 16) of (n, c, h, w); channels that are not there are 0."""
    missing = -values.shape[1] % CHANNEL_BLOCK
    padded = torch.nn.functional.pad(values, (0, 0, 0, 0, 0, missing)) if missing else values
    return padded.unflatten(1, (-1, CHANNEL_BLOCK)).permute(0, 1, 3, 4, 2)
