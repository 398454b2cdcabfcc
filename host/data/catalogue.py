"""The image sets that are read without PyTorch, by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from host.data.cifar import CIFAR10, CIFAR100, load_cifar
from host.data.digits import digit_images
from host.data.fashion_mnist import load_fashion_mnist
from host.data.images import ImageData

LOADERS: dict[str, Callable[[Path | None], ImageData]] = {
    "cifar10": lambda datadir: load_cifar(CIFAR10, datadir),
    "cifar100": lambda datadir: load_cifar(CIFAR100, datadir),
    "fashion-mnist": load_fashion_mnist,
    "digits": digit_images,
}


def load_images(dataset: str, datadir: Path | None = None) -> ImageData:
    """A set, from `datadir` or the cache.

    >>> load_images("digits").shape
    (1, 8, 8)
    """
    if dataset not in LOADERS:
        raise ValueError(f"dataset '{dataset}' is not known; there are: {', '.join(LOADERS)}")
    return LOADERS[dataset](datadir)
