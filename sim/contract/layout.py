"""How tensors lie in memory: bit planes of 16 channels, and plain words for results.

A tensor of codes (n, c, h, w), b bits each, is stored as [n][c / 16][h][bit][w][16 channels]: the 16 channels of
one pixel, one bit of each, are one little-endian 16-bit word (channel k in bit k). Channels are padded with 0 to a
whole block. Results are stored as [n][c / 16][h][w][16 channels], one 16-, 32- or 64-bit little-endian word each.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.contract.constants import CHANNEL_BLOCK, MAX_OPERAND_BITS, Format

IntArray = npt.NDArray[np.integer]

WORD_TYPES: dict[Format, np.dtype] = {
    Format.INT16: np.dtype("<i2"),
    Format.INT32: np.dtype("<i4"),
    Format.INT64: np.dtype("<i8"),
}

_LSB_OF_EACH_BYTE = np.uint64(0x0101010101010101)
# Multiplying eight 0/1 bytes by this puts byte k's bit at bit 56 + k.
_GATHER = np.uint64(0x0102040810204080)
_SPREAD = np.array([[byte >> k & 1 for k in range(8)] for byte in range(256)], dtype=np.uint8).view(np.uint64).ravel()


def blocks_of(channels: int) -> int:
    """Blocks of 16 that hold this many channels."""
    return -(-channels // CHANNEL_BLOCK)


def code_range(bits: int, signed: bool) -> tuple[int, int]:
    """Least and greatest code of a width."""
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def plane_bytes(blocks: int, height: int, width: int, bits: int) -> int:
    """Bytes of one image of a bit-plane tensor."""
    return 2 * blocks * height * width * bits


def word_bytes(blocks: int, height: int, width: int, out_format: Format) -> int:
    """Bytes of one image of a result tensor of words."""
    return CHANNEL_BLOCK * WORD_TYPES[out_format].itemsize * blocks * height * width


def pack_planes(codes: IntArray, bits: int, signed: bool) -> IntArray:
    """Codes (n, c, h, w) to bit planes, shape (n, blocks, h, bits, w); codes out of range are refused."""
    if codes.ndim != 4:
        raise ValueError(f"codes must have shape (n, c, h, w), not {codes.shape}")
    if not 1 <= bits <= MAX_OPERAND_BITS:
        raise ValueError(f"width {bits} is not in 1..{MAX_OPERAND_BITS}")
    low, high = code_range(bits, signed)
    if codes.size and (codes.min() < low or codes.max() > high):
        kind = "signed" if signed else "unsigned"
        raise ValueError(f"codes {codes.min()}..{codes.max()} do not fit {bits} {kind} bits ({low}..{high})")
    n, c, h, w = codes.shape
    blocks = blocks_of(c)
    planes = np.empty((n, blocks, h, bits, w, 2), dtype=np.uint8)
    for first in range(0, bits, 8):
        part = np.zeros((n, blocks * CHANNEL_BLOCK, h, w), dtype=np.uint8)
        part[:, :c] = (codes >> first).astype(np.uint8)  # the cast keeps the low 8 bits: two's complement
        lanes = np.ascontiguousarray(part.reshape(n, blocks, CHANNEL_BLOCK, h, w).transpose(0, 1, 3, 4, 2))
        eights = lanes.view(np.uint64)
        for bit in range(first, min(bits, first + 8)):
            ones = eights >> np.uint64(bit - first) & _LSB_OF_EACH_BYTE
            planes[:, :, :, bit] = ones * _GATHER >> np.uint64(56)
    return planes.view("<u2")[..., 0]


def unpack_planes(planes: IntArray, channels: int, signed: bool) -> npt.NDArray[np.int32]:
    """Bit planes (n, blocks, h, bits, w) back to codes (n, channels, h, w)."""
    n, blocks, h, bits, w = planes.shape
    pairs = np.ascontiguousarray(planes).view(np.uint8).reshape(n, blocks, h, bits, w, 2)
    codes = np.zeros((n, blocks, h, w, CHANNEL_BLOCK), dtype=np.uint16)
    for first in range(0, bits, 8):
        eights = np.zeros((n, blocks, h, w, 2), dtype=np.uint64)
        for bit in range(first, min(bits, first + 8)):
            eights |= _SPREAD[pairs[:, :, :, bit]] << np.uint64(bit - first)
        codes |= eights.view(np.uint8).astype(np.uint16) << np.uint16(first)
    values = codes.transpose(0, 1, 4, 2, 3).reshape(n, blocks * CHANNEL_BLOCK, h, w)[:, :channels].astype(np.int32)
    return values - ((values >> bits - 1 & 1) << bits) if signed else values


def pack_words(values: IntArray, out_format: Format) -> IntArray:
    """Values (n, c, h, w) with c a multiple of 16 to result words, shape (n, blocks, h, w, 16)."""
    n, c, h, w = values.shape
    words = values.reshape(n, c // CHANNEL_BLOCK, CHANNEL_BLOCK, h, w).transpose(0, 1, 3, 4, 2)
    return np.ascontiguousarray(words, dtype=WORD_TYPES[out_format])


def unpack_words(words: IntArray, channels: int, signed: bool = True) -> npt.NDArray[np.int64]:
    """Result words (n, blocks, h, w, 16) back to values (n, channels, h, w)."""
    n, blocks, h, w, lanes = words.shape
    if not signed:
        words = words.view(words.dtype.str.replace("i", "u"))
    return words.transpose(0, 1, 4, 2, 3).reshape(n, blocks * lanes, h, w)[:, :channels].astype(np.int64)
