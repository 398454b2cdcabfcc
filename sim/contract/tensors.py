"""Where the tensors of commands lie in the memory region."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from sim.contract.command import Command
from sim.contract.constants import BUILD_RANGES, CHANNEL_BLOCK, TENSOR_ALIGNMENT, Flag, Format, Opcode
from sim.contract.layout import WORD_TYPES

Memory = npt.NDArray[np.uint8]
Tile = tuple[int, ...]


@dataclass(frozen=True)
class Tensor:
    """images × blocks contiguous tiles of `tile` words, at address + image · image_stride + block · block_stride."""

    address: int
    images: int
    blocks: int
    image_stride: int
    block_stride: int
    tile: Tile
    dtype: np.dtype
    grain: int  # bytes that the address and both strides are multiples of

    @property
    def tile_bytes(self) -> int:
        return prod(self.tile) * self.dtype.itemsize

    @property
    def end(self) -> int:
        """First byte after the tensor."""
        last = (self.images - 1) * self.image_stride + (self.blocks - 1) * self.block_stride
        return self.address + last + self.tile_bytes

    def _tiles(self, memory: Memory) -> Memory:
        if memory.dtype != np.uint8 or not memory.flags.c_contiguous:
            raise ValueError("a region is a contiguous array of bytes")
        shape = (self.images, self.blocks, self.tile_bytes)
        strides = (self.image_stride, self.block_stride, 1)
        return np.lib.stride_tricks.as_strided(memory[self.address : self.end], shape, strides)

    def read(self, memory: Memory) -> npt.NDArray[np.integer]:
        """The tensor's words, shape (images, blocks, *tile)."""
        tiles = np.ascontiguousarray(self._tiles(memory))
        return tiles.view(self.dtype).reshape(self.images, self.blocks, *self.tile)

    def write(self, memory: Memory, words: npt.NDArray[np.integer]) -> None:
        """Stores words of shape (images, blocks, *tile)."""
        flat = np.ascontiguousarray(words, dtype=self.dtype).reshape(self.images, self.blocks, prod(self.tile))
        self._tiles(memory)[...] = flat.view(np.uint8)


PLANE_WORD: np.dtype = np.dtype("<u2")
SUM_WORD: np.dtype = np.dtype("<i4")
WIDEST_BEAT = BUILD_RANGES["bus_bytes"][1]


def operand_a(command: Command) -> Tensor:
    """The map: x or the error of the layer's output."""
    return Tensor(
        command.a_addr,
        command.images,
        command.a_blocks,
        command.a_image_stride,
        command.a_block_stride,
        (command.a_height, command.a_bits, command.a_width),
        PLANE_WORD,
        PLANE_WORD.itemsize,
    )


def operand_b(command: Command) -> Tensor:
    """The weights of a CONV (image = output channel), the error of the layer's output in a WGRAD."""
    if command.opcode == Opcode.CONV:
        images, blocks = CHANNEL_BLOCK * command.y_blocks, command.a_blocks
        tile = (command.kernel_h, command.b_bits, command.kernel_w)
    else:
        images, blocks = command.images, command.y_blocks
        tile = (command.y_height, command.b_bits, command.y_width)
    return Tensor(
        command.b_addr,
        images,
        blocks,
        command.b_image_stride,
        command.b_block_stride,
        tile,
        PLANE_WORD,
        PLANE_WORD.itemsize,
    )


def output(command: Command) -> Tensor:
    """The map a CONV makes, or the gradient a WGRAD makes (image = input channel)."""
    if command.opcode == Opcode.CONV:
        images, height, width = command.images, command.y_height, command.y_width
    else:
        images, height, width = CHANNEL_BLOCK * command.a_blocks, command.kernel_h, command.kernel_w
    if command.out_format == Format.PLANES:
        tile, dtype, grain = (height, command.out_bits, width), PLANE_WORD, PLANE_WORD.itemsize
    else:
        tile, dtype = (height, width, CHANNEL_BLOCK), WORD_TYPES[Format(command.out_format)]
        grain = min(CHANNEL_BLOCK * dtype.itemsize, WIDEST_BEAT)  # a pixel's 16 results are whole beats, or lie in one
    return Tensor(
        command.out_addr,
        images,
        command.y_blocks,
        command.out_image_stride,
        command.out_block_stride,
        tile,
        dtype,
        grain,
    )


def row_sums(command: Command) -> Tensor | None:
    """Σ of operand A's codes for each result row, 32-bit words without gaps; None when not asked for."""
    if not command.flag(Flag.ROW_SUMS):
        return None
    if command.opcode == Opcode.CONV:
        tile = (command.images, command.y_height, command.y_width)
    else:
        tile = (CHANNEL_BLOCK * command.a_blocks, command.kernel_h, command.kernel_w)
    return Tensor(command.sums_addr, 1, 1, 0, 0, tile, SUM_WORD, SUM_WORD.itemsize)


def planes_at(address: int, images: int, blocks: int, height: int, width: int, bits: int) -> Tensor:
    """Bit planes as vector commands know them: blocks without gaps, images on 64 bytes."""
    tile = (height, bits, width)
    tile_bytes = prod(tile) * PLANE_WORD.itemsize
    image_stride = -(-blocks * tile_bytes // TENSOR_ALIGNMENT) * TENSOR_ALIGNMENT
    return Tensor(address, images, blocks, image_stride, tile_bytes, tile, PLANE_WORD, TENSOR_ALIGNMENT)


def weights_at(address: int, in_channels: int, out_channels: int, kernel: tuple[int, int], dtype: np.dtype) -> Tensor:
    """Words of a layer's weights, as a WGRAD stores gradients, without gaps."""
    blocks = -(-out_channels // CHANNEL_BLOCK)
    tile = (*kernel, CHANNEL_BLOCK)
    tile_bytes = prod(tile) * dtype.itemsize
    images = -(-in_channels // CHANNEL_BLOCK) * CHANNEL_BLOCK
    return Tensor(address, images, blocks, blocks * tile_bytes, tile_bytes, tile, dtype, TENSOR_ALIGNMENT)
