"""Batches of an image set; a training batch is a function of (seed, step), so resuming needs no state."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from host.data.draws import Purpose, check_seed, permutation, uniform
from host.data.images import DataError, ImageSource

Batch = tuple[Any, Any]  # images and labels; arrays here, PyTorch's tensors there


class Batches(Protocol):
    """What a training loop needs: images and labels, or words and the words after them."""

    steps_per_epoch: int

    def __getitem__(self, step: int) -> Batch: ...


class TrainingBatches:
    """Whole batches, each epoch in a fresh order; process `rank` of `world` gets its slice of the same global batch.

    >>> from host.data.catalogue import load_images
    >>> batches = TrainingBatches(load_images("digits"), batch=64, seed=0)
    >>> images, labels = batches[1000]
    >>> batches.steps_per_epoch, images.shape
    (21, (64, 1, 8, 8))
    """

    def __init__(
        self,
        data: ImageSource,
        batch: int,
        seed: int,
        augment: bool = True,
        rank: int = 0,
        world: int = 1,
        limit: int | None = None,
    ) -> None:
        self.rows = kept(len(data.train_labels), limit, f"{data.name}, training")
        check_share(batch, rank, world)
        if batch > len(self.rows):
            raise DataError(f"batch {batch}: {data.name} has only {len(self.rows)} training images")
        self.data, self.batch, self.seed, self.augment = data, batch, check_seed(seed), augment
        self.steps_per_epoch = len(self.rows) // batch
        share = batch // world
        self._mine = slice(rank * share, (rank + 1) * share)
        self._order: tuple[int, npt.NDArray[np.int64]] | None = None
        self._next: tuple[int, Future[Batch]] | None = None
        self._background = ThreadPoolExecutor(1, "next-batch") if data.ahead else None

    def __getitem__(self, step: int) -> Batch:
        epoch, place = divmod(check_step(step), self.steps_per_epoch)
        if self._background is None:
            return self._read(step, self._rows(epoch, place))
        if self._next is not None and self._next[0] == step:
            found = self._next[1].result()
        else:
            found = self._read(step, self._rows(epoch, place))
        following = self._rows(*divmod(step + 1, self.steps_per_epoch))
        self._next = step + 1, self._background.submit(self._read, step + 1, following)
        return found

    def drawn(self, step: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64] | None]:
        """Which images a step's batch has, and the chances they are augmented by: what a batch is made of."""
        rows = self._rows(*divmod(check_step(step), self.steps_per_epoch))
        return rows, self._chances(step)

    def _rows(self, epoch: int, place: int) -> npt.NDArray[np.int64]:
        if self._order is None or self._order[0] != epoch:
            self._order = epoch, permutation(self.seed, epoch, len(self.rows))
        return self.rows[self._order[1][place * self.batch : (place + 1) * self.batch][self._mine]]

    def _read(self, step: int, rows: npt.NDArray[np.int64]) -> Batch:
        return self.data.training(rows, self._chances(step)), self.data.train_labels[rows]

    def _chances(self, step: int) -> npt.NDArray[np.float64] | None:
        if not self.augment:
            return None
        return uniform(self.seed, Purpose.AUGMENTATION, step, (self.batch, self.data.draws))[self._mine]


def test_batches(data: ImageSource, batch: int = 500, limit: int | None = None) -> Iterator[Batch]:  # noqa: PT028
    """The test images once, in their order; the last batch may be smaller."""
    rows = kept(len(data.test_labels), limit, f"{data.name}, test")
    if batch < 1:
        raise ValueError(f"batch {batch}: must be 1 or more")
    return (
        (data.testing(some), data.test_labels[some])
        for some in (rows[start : start + batch] for start in range(0, len(rows), batch))
    )


test_batches.__test__ = False  # type: ignore[attr-defined]  # its name means something else to pytest


def kept(count: int, limit: int | None, what: str) -> npt.NDArray[np.int64]:
    """All rows, or `limit` of them evenly spread: a set sorted by class keeps all its classes.

    >>> kept(10, 4, "digits").tolist()
    [0, 2, 5, 7]
    """
    if limit is None:
        return np.arange(count)
    if not 1 <= limit <= count:
        raise ValueError(f"limit {limit}: {what}, has {count} images; 1 to {count} can be kept")
    return np.arange(limit) * count // limit


def check_share(batch: int, rank: int, world: int) -> None:
    if batch < 1:
        raise ValueError(f"batch {batch}: must be 1 or more")
    if world < 1 or not 0 <= rank < world:
        raise ValueError(f"process {rank} of {world}: ranks go from 0 to world - 1")
    if batch % world:
        raise ValueError(f"batch {batch} does not divide among {world} processes: take a multiple of {world}")


def check_step(step: int) -> int:
    if step < 0:
        raise ValueError(f"step {step}: steps count from 0")
    return step
