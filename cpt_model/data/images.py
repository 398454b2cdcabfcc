"""An image set held as arrays: crop, flip and normalise on whole batches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

Rows = npt.NDArray[np.int64]
Chances = npt.NDArray[np.float64]


class DataError(ValueError):
    """Data that is missing or damaged: which file, what was expected, how to get it."""


class ImageSource(Protocol):
    """What training needs of an image set, wherever its pictures are kept."""

    @property
    def name(self) -> str: ...
    @property
    def classes(self) -> int: ...
    @property
    def shape(self) -> tuple[int, int, int]:
        """Channels, height and width of the tensors."""

    @property
    def train_labels(self) -> npt.NDArray[np.int64]: ...
    @property
    def test_labels(self) -> npt.NDArray[np.int64]: ...
    @property
    def draws(self) -> int:
        """Random numbers that augmenting one image takes."""

    @property
    def ahead(self) -> bool:
        """Reading is slow: the next batch is to be prepared while this one is trained on."""

    def training(self, rows: Rows, chances: Chances | None) -> Tensor:
        """Training images as float32, augmented by `chances` (rows × draws, in [0, 1)) unless None."""

    def testing(self, rows: Rows) -> Tensor: ...


@dataclass(frozen=True)
class Images:
    """One part of a set, raw."""

    pixels: npt.NDArray[np.uint8]  # (n, h, w, c), may be memory-mapped
    labels: npt.NDArray[np.int64]  # (n,)

    def __post_init__(self) -> None:
        if self.pixels.ndim != 4 or self.pixels.dtype != np.uint8:
            raise DataError(f"pixels {self.pixels.dtype}{self.pixels.shape}: must be bytes (n, h, w, c)")
        if self.labels.shape != self.pixels.shape[:1]:
            raise DataError(f"{self.labels.shape[0]} labels for {self.pixels.shape[0]} images")


@dataclass(frozen=True)
class ImageData:
    """A set with its usual augmentation: random crop out of `padding` black pixels a side, random flip."""

    name: str
    classes: int
    mean: tuple[float, ...]  # of pixels / 255, a channel
    std: tuple[float, ...]
    train: Images
    test: Images
    padding: int = 0
    flip: bool = False

    draws = 3  # crop down, crop right, flip
    ahead = False

    @property
    def shape(self) -> tuple[int, int, int]:
        _, height, width, channels = self.train.pixels.shape
        return channels, height, width

    @property
    def train_labels(self) -> npt.NDArray[np.int64]:
        return self.train.labels

    @property
    def test_labels(self) -> npt.NDArray[np.int64]:
        return self.test.labels

    def training(self, rows: Rows, chances: Chances | None) -> Tensor:
        chosen = self.train.pixels[rows]
        if chances is not None:
            chosen = augment(chosen, chances, self.padding, self.flip)
        return self._normalise(chosen)

    def testing(self, rows: Rows) -> Tensor:
        return self._normalise(self.test.pixels[rows])

    @cached_property
    def _scale_and_shift(self) -> tuple[Tensor, Tensor]:
        mean, std = (torch.tensor(values, dtype=torch.float64) for values in (self.mean, self.std))
        return (1 / (255 * std)).float(), (mean / std).float()

    def _normalise(self, pixels: npt.NDArray[np.uint8]) -> Tensor:
        """(n, c, h, w) in channels-last memory; each element is rounded alike, wherever it stands in a batch."""
        scale, shift = self._scale_and_shift
        return torch.from_numpy(pixels).float().mul_(scale).sub_(shift).permute(0, 3, 1, 2)


def augment(pixels: npt.NDArray[np.uint8], chances: Chances, padding: int, flip: bool) -> npt.NDArray[np.uint8]:
    """Cuts each image (h, w, c) out of its padded self and mirrors every other one, by chance."""
    count, height, width, channels = pixels.shape
    if padding:
        padded = np.zeros((count, height + 2 * padding, width + 2 * padding, channels), np.uint8)
        padded[:, padding : padding + height, padding : padding + width] = pixels
        pixels = np.empty_like(pixels)
        corners = (chances[:, :2] * (2 * padding + 1)).astype(np.int64).tolist()
        for image, source, (down, right) in zip(pixels, padded, corners, strict=True):
            image[:] = source[down : down + height, right : right + width]
    if flip:
        mirrored = np.flatnonzero(chances[:, 2] < 0.5)
        pixels[mirrored] = pixels[mirrored, :, ::-1]
    return pixels
