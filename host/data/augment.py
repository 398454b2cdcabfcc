"""Crop, flip and normalise, on whole batches of bytes (n, h, w, c)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]


def augment(pixels: Pixels, chances: npt.NDArray[np.float64], padding: int, flip: bool) -> Pixels:
    """Cuts each image out of itself with `padding` black pixels a side, and mirrors one in two.

    `chances` are three numbers in [0, 1) an image: how far down, how far right, mirrored or not.
    """
    count, height, width, channels = pixels.shape
    changed = np.empty(pixels.shape, np.uint8)
    if padding:
        padded = np.zeros((count, height + 2 * padding, width + 2 * padding, channels), np.uint8)
        padded[:, padding : padding + height, padding : padding + width] = pixels
        corners = (chances[:, :2] * (2 * padding + 1)).astype(np.int64).tolist()
        for image, source, (down, right) in zip(changed, padded, corners, strict=True):
            image[:] = source[down : down + height, right : right + width]
    else:
        changed[:] = pixels
    if flip:
        mirrored = np.flatnonzero(chances[:, 2] < 0.5)
        whole = changed.view(np.dtype((np.void, channels)))  # a pixel moves at once, not a byte
        whole[mirrored] = whole[mirrored, :, ::-1]
    return changed


class Normalise:
    """(pixels / 255 - mean) / std as float32 (n, c, h, w) in channels-last memory.

    Every element is rounded alike wherever it stands, so a slice of a batch equals the batch of the slice.

    >>> Normalise((0.5,), (0.25,), width=2)(np.array([[[[0], [255]]]], np.uint8)).flatten().tolist()
    [-2.0, 2.0]
    """

    def __init__(self, mean: tuple[float, ...], std: tuple[float, ...], width: int) -> None:
        means, stds = np.array(mean), np.array(std)
        # One entry for each number of a row of pixels: ten times faster than broadcasting three channels.
        self.scale = np.tile(1 / (255 * stds), width).astype(np.float32)
        self.shift = np.tile(means / stds, width).astype(np.float32)

    def __call__(self, pixels: Pixels) -> npt.NDArray[np.float32]:
        values = pixels.astype(np.float32)
        rows = values.reshape(-1, len(self.scale))
        rows *= self.scale
        rows -= self.shift
        return values.transpose(0, 3, 1, 2)
