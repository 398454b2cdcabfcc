"""The 1,797 handwritten digits that scikit-learn brings (UCI's optical recognition set): 8 × 8 images, ten classes."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import numpy.typing as npt

from host.data.images import DataError, ImageData, Images
from host.data.store import data_folder, read_npz
from sim.common.twister import torch_permutation

TEST_SHARE = 0.25
NAME = "digits"


def digit_images(datadir: Path | None = None) -> ImageData:
    """The split of seed 0 as raw pixels; the usual augmentation is none, the images are too small for it.

    Where scikit-learn is missing, as on a board, they are read from digits.npz in the folder of the data.
    """
    file = data_folder(datadir) / f"{NAME}.npz"
    if file.is_file():
        return _data(*read_npz(file))
    try:
        from sklearn.datasets import load_digits
    except ModuleNotFoundError:
        raise DataError(
            f"{file}: missing, and scikit-learn is not here; 'cpt data digits --npz FILE' writes it"
        ) from None
    found = load_digits()
    pixels, labels = found.images.astype(np.uint8)[..., None], found.target.astype(np.int64)
    train, test = parts(len(pixels), 0)
    return _data(Images(pixels[train], labels[train]), Images(pixels[test], labels[test]))


def _data(train: Images, test: Images) -> ImageData:
    mean, std = _moments(train.pixels)
    return ImageData(NAME, 10, (mean,), (std,), train, test)


def _moments(pixels: npt.NDArray[np.uint8]) -> tuple[float, float]:
    """Mean and standard deviation of pixels / 255, from exact sums: a sum of floats depends on its order."""
    count, total = pixels.size, int(pixels.sum(dtype=np.int64))
    squares = int(np.square(pixels, dtype=np.int64).sum())
    return total / count / 255, sqrt((count * squares - total * total) / count**2) / 255


def parts(count: int, seed: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The rows for training and for test."""
    order, cut = torch_permutation(count, seed), int(count * TEST_SHARE)
    return order[cut:], order[:cut]
