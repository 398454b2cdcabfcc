"""An image set, and one that is held as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from host.data.augment import Normalise, augment

Rows = npt.NDArray[np.int64]
Chances = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]


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
        """Channels, height and width."""

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

    def training(self, rows: Rows, chances: Chances | None) -> Floats:
        """Training images as float32, augmented by `chances` (rows × draws, in [0, 1)) unless None."""

    def testing(self, rows: Rows) -> Floats: ...


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

    @cached_property
    def _normalise(self) -> Normalise:
        return Normalise(self.mean, self.std, self.shape[2])

    def training(self, rows: Rows, chances: Chances | None) -> Floats:
        chosen = self.train.pixels[rows]
        if chances is not None:
            chosen = augment(chosen, chances, self.padding, self.flip)
        return self._normalise(chosen)

    def testing(self, rows: Rows) -> Floats:
        return self._normalise(self.test.pixels[rows])


def check_balance(labels: npt.NDArray[np.int64], count: int, classes: int, what: str) -> None:
    """The expected number of labels, and every class equally often."""
    if len(labels) != count:
        raise DataError(f"{what}: {len(labels):,} labels, expected {count:,}")
    if labels.min() < 0 or labels.max() >= classes:
        raise DataError(f"{what}: labels from {labels.min()} to {labels.max()}, expected 0 to {classes - 1}")
    found = np.bincount(labels, minlength=classes)
    if (found != count // classes).any():
        raise DataError(f"{what}: {found.tolist()} images of the classes, expected {count // classes:,} of each")
