"""The image sets by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cpt_model.data.cifar import CIFAR10, CIFAR100, load_cifar
from cpt_model.data.digits import digit_images
from cpt_model.data.fashion_mnist import load_fashion_mnist
from cpt_model.data.image_folder import load_image_folder
from cpt_model.data.images import ImageSource

LOADERS: dict[str, Callable[[Path | None, int], ImageSource]] = {
    "cifar10": lambda datadir, workers: load_cifar(CIFAR10, datadir),
    "cifar100": lambda datadir, workers: load_cifar(CIFAR100, datadir),
    "fashion-mnist": lambda datadir, workers: load_fashion_mnist(datadir),
    "digits": lambda datadir, workers: digit_images(),
    "imagenet": load_image_folder,
}
IMAGE_SETS = tuple(LOADERS)


def load_images(dataset: str, datadir: Path | None = None, workers: int = 2) -> ImageSource:
    """A set, from `datadir` or the cache; `workers` threads decode one that is kept as files.

    >>> load_images("digits").shape
    (1, 8, 8)
    """
    if dataset not in LOADERS:
        raise ValueError(f"dataset '{dataset}' is not known; there are: {', '.join(LOADERS)}")
    return LOADERS[dataset](datadir, workers)
