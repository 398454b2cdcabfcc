"""From bytes to what the first layer reads, by a table: a code depends on a pixel's byte and channel alone.

The same as to augment, normalise, quantise and pack one after the other (tested), in one step; and in one pass by a C
function where there is a compiler.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from host.compiler.step.images import image_codes
from host.compiler.step.widths import IMAGE_BITS
from host.data.augment import Normalise, augment
from host.data.images import Chances, ImageData, Rows
from host.native import library

MOST_CHANNELS = 8  # a byte of the table's words a plane
Planes = npt.NDArray[np.uint16]


class PixelPacker:
    """Training images of a set as bit planes (n, 1, h, bits, w)."""

    def __init__(self, data: ImageData, image_range: float) -> None:
        self.data, self.table = data, code_table(data, image_range)
        self._library = library()

    def training(self, rows: Rows, chances: Chances | None) -> Planes:
        """Cropped and mirrored by `chances` unless None."""
        data, pixels = self.data, self.data.train.pixels[rows]
        if self._library is None:
            if chances is not None:
                pixels = augment(pixels, chances, data.padding, data.flip)
            return self._packed(pixels)
        n, h, w, c = pixels.shape
        pixels, moves = np.ascontiguousarray(pixels), self._moves(n, chances)
        planes = np.empty((n, 1, h, IMAGE_BITS, w), np.uint16)
        arrays = (each.ctypes.data for each in (pixels, moves, self.table, planes))
        self._library.cpt_pack_pixels(*arrays, n, h, w, c)
        return planes

    def _packed(self, pixels: npt.NDArray[np.uint8]) -> Planes:
        n, h, w, channels = pixels.shape
        bits = np.zeros((n, h, w), np.uint64)
        for channel in range(channels):
            bits |= self.table[channel][pixels[..., channel]]
        planes = bits.astype("<u8").view(np.uint8).reshape(n, h, w, IMAGE_BITS)
        return planes.transpose(0, 1, 3, 2).astype(np.uint16)[:, None]

    def _moves(self, images: int, chances: Chances | None) -> npt.NDArray[np.int32]:
        moves, padding = np.zeros((images, 3), np.int32), self.data.padding
        if chances is not None:
            if padding:
                moves[:, :2] = (chances[:, :2] * (2 * padding + 1)).astype(np.int64) - padding
            if self.data.flip:
                moves[:, 2] = chances[:, 2] < 0.5
        return moves


def code_table(data: ImageData, image_range: float) -> npt.NDArray[np.uint64]:
    """Of each channel and byte: bit p of the code at bit 8p + channel."""
    channels, _, width = data.shape
    if channels > MOST_CHANNELS:
        raise ValueError(f"{data.name}: images of {channels} channels, at most {MOST_CHANNELS} can be packed")
    every = np.broadcast_to(np.arange(256, dtype=np.uint8)[:, None, None, None], (256, 1, width, channels))
    codes = image_codes(Normalise(data.mean, data.std, width)(np.ascontiguousarray(every))[:, :, 0, 0], image_range)
    table = np.zeros((channels, 256), np.uint64)
    for channel in range(channels):
        for plane in range(IMAGE_BITS):
            bit = (codes[:, channel] >> plane & 1).astype(np.uint64)
            table[channel] |= bit << np.uint64(8 * plane + channel)
    return table
