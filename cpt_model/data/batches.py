"""The batches of `host.data.batches` as tensors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from host.data import batches as arrays
from host.data.batches import Batches, check_share, check_step
from host.data.images import ImageSource

__all__ = ["Batch", "Batches", "TrainingBatches", "check_share", "check_step", "test_batches"]
Batch = tuple[Tensor, Tensor]


class TrainingBatches(arrays.TrainingBatches):
    """Whole batches, each epoch in a fresh order; process `rank` of `world` gets its slice of the same global batch.

    >>> from cpt_model.data import load_images
    >>> images, labels = TrainingBatches(load_images("digits"), batch=64, seed=0)[1000]
    >>> images.shape
    torch.Size([64, 1, 8, 8])
    """

    def _read(self, step: int, rows: npt.NDArray[np.int64]) -> Batch:
        return _tensors(*super()._read(step, rows))


def test_batches(data: ImageSource, batch: int = 500, limit: int | None = None) -> Iterator[Batch]:  # noqa: PT028
    """The test images once, in their order; the last batch may be smaller."""
    found = arrays.test_batches(data, batch, limit)  # refuses what cannot be now, not at the first batch
    return (_tensors(*each) for each in found)


test_batches.__test__ = False  # type: ignore[attr-defined]  # its name means something else to pytest


def _tensors(images: npt.NDArray, labels: npt.NDArray) -> Batch:
    return torch.from_numpy(images), torch.from_numpy(labels)
