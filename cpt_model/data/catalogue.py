"""The image sets by name: those of `host.data.catalogue`, and ImageNet's pictures."""

from __future__ import annotations

from pathlib import Path

from cpt_model.data.image_folder import load_image_folder
from host.data.catalogue import LOADERS
from host.data.catalogue import load_images as load_arrays
from host.data.images import ImageSource

IMAGE_SETS = (*LOADERS, "imagenet")


def load_images(dataset: str, datadir: Path | None = None, workers: int = 2) -> ImageSource:
    """A set, from `datadir` or the cache; `workers` threads decode one that is kept as files.

    >>> load_images("digits").shape
    (1, 8, 8)
    """
    if dataset not in IMAGE_SETS:
        raise ValueError(f"dataset '{dataset}' is not known; there are: {', '.join(IMAGE_SETS)}")
    return load_image_folder(datadir, workers) if dataset == "imagenet" else load_arrays(dataset, datadir)
