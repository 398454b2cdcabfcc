"""The image sets by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cpt_model.data.digits import digit_images
from cpt_model.data.images import ImageSource

LOADERS: dict[str, Callable[[Path | None], ImageSource]] = {
    "digits": lambda datadir: digit_images(),
}


def load_images(dataset: str, datadir: Path | None = None) -> ImageSource:
    """A set, from `datadir` or the cache.

    >>> load_images("digits").shape
    (1, 8, 8)
    """
    if dataset not in LOADERS:
        raise ValueError(f"dataset '{dataset}' is not known; there are: {', '.join(LOADERS)}")
    return LOADERS[dataset](datadir)
