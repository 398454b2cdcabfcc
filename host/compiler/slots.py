"""Places of tensors in the region: where they are, what shape they have, how codes get in and results out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from host.compiler.layer import Shape
from sim.contract import (
    CHANNEL_BLOCK,
    PLANE_WORD,
    TENSOR_ALIGNMENT,
    WORD_TYPES,
    Format,
    Memory,
    Tensor,
    blocks_of,
    pack_planes,
    plane_bytes,
    unpack_planes,
    unpack_words,
    word_bytes,
)


@dataclass(frozen=True)
class Slot:
    """A tensor (n, c, h, w) in the region: bit planes of `bits`, or result words when `out_format` is not PLANES."""

    name: str
    shape: Shape
    signed: bool
    bits: int
    out_format: Format = Format.PLANES
    offset: int = 0

    @property
    def blocks(self) -> int:
        return blocks_of(self.shape[1])

    @property
    def block_stride(self) -> int:
        return self._image_bytes(1)

    @property
    def image_stride(self) -> int:
        return -(-self._image_bytes(self.blocks) // TENSOR_ALIGNMENT) * TENSOR_ALIGNMENT

    @property
    def bytes(self) -> int:
        return self.shape[0] * self.image_stride

    def at(self, channel: int) -> int:
        """Offset of the block that starts with this channel, in the first image."""
        return self.offset + channel // CHANNEL_BLOCK * self.block_stride

    def _image_bytes(self, blocks: int) -> int:
        _, _, height, width = self.shape
        if self.out_format == Format.PLANES:
            return plane_bytes(blocks, height, width, self.bits)
        return word_bytes(blocks, height, width, self.out_format)

    def tensor(self) -> Tensor:
        images, _, height, width = self.shape
        if self.out_format == Format.PLANES:
            tile, dtype = (height, self.bits, width), PLANE_WORD
        else:
            tile, dtype = (height, width, CHANNEL_BLOCK), WORD_TYPES[self.out_format]
        strides = self.image_stride, self.block_stride
        return Tensor(self.offset, images, self.blocks, *strides, tile, dtype, dtype.itemsize)

    def write(self, memory: Memory, codes: npt.NDArray[np.integer]) -> None:
        """Packs codes into the region; a wrong shape or a code out of range is refused by name."""
        if codes.shape != self.shape:
            raise ValueError(f"tensor '{self.name}' has shape {codes.shape}, expected {self.shape}")
        if not np.issubdtype(codes.dtype, np.integer):
            raise ValueError(f"tensor '{self.name}' holds {codes.dtype}, expected integers")
        try:
            planes = pack_planes(codes, self.bits, self.signed)
        except ValueError as problem:
            raise ValueError(f"tensor '{self.name}': {problem}") from problem
        self.tensor().write(memory, planes)

    def read(self, memory: Memory) -> npt.NDArray[np.integer]:
        """The codes or results in the region, shape (n, c, h, w)."""
        words = self.tensor().read(memory)
        if self.out_format == Format.PLANES:
            return unpack_planes(words, self.shape[1], self.signed)
        return unpack_words(words, self.shape[1], self.signed)
