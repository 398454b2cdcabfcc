"""The digits of `host.data.digits` as tensors."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from host.data.digits import parts


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
    train, test = (torch.from_numpy(rows) for rows in parts(len(images), seed))
    return Split(images[train], labels[train]), Split(images[test], labels[test])
