"""The 1,797 handwritten digits that scikit-learn brings (UCI's optical recognition set): 8 × 8 images, ten classes."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from cpt_model.data.images import ImageData, Images

TEST_SHARE = 0.25


@dataclass(frozen=True)
class Split:
    """Images (n, 1, 8, 8), normalised, and their labels."""

    images: Tensor
    labels: Tensor


def digits(seed: int = 0) -> tuple[Split, Split]:
    """Training and test split, the same for the same seed.

    >>> train, test = digits()
    >>> train.images.shape, test.images.shape
    (torch.Size([1348, 1, 8, 8]), torch.Size([449, 1, 8, 8]))
    """
    from sklearn.datasets import load_digits

    found = load_digits()
    images = torch.from_numpy(found.images).float()[:, None]
    images = (images - images.mean()) / images.std()
    labels = torch.from_numpy(found.target).long()
    train, test = _parts(len(images), seed)
    return Split(images[train], labels[train]), Split(images[test], labels[test])


def digit_images() -> ImageData:
    """The split of seed 0 as raw pixels; the usual augmentation is none, the images are too small for it."""
    from sklearn.datasets import load_digits

    found = load_digits()
    pixels = found.images.astype(np.uint8)[..., None]
    labels = found.target.astype(np.int64)
    train, test = (part.numpy() for part in _parts(len(pixels), 0))
    mean, std = _moments(pixels[train])
    parts = Images(pixels[train], labels[train]), Images(pixels[test], labels[test])
    return ImageData("digits", 10, (mean,), (std,), *parts)


def _moments(pixels: npt.NDArray[np.uint8]) -> tuple[float, float]:
    """Mean and standard deviation of pixels / 255, from exact sums: a sum of floats depends on its order."""
    count, total = pixels.size, int(pixels.sum(dtype=np.int64))
    squares = int(np.square(pixels, dtype=np.int64).sum())
    return total / count / 255, sqrt((count * squares - total * total) / count**2) / 255


def _parts(count: int, seed: int) -> tuple[Tensor, Tensor]:
    """The rows for training and for test."""
    order = torch.randperm(count, generator=torch.Generator().manual_seed(seed))
    cut = int(count * TEST_SHARE)
    return order[cut:], order[:cut]
