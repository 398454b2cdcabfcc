"""Batches of text; a training batch is a function of (seed, step), as for images."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import torch

from cpt_model.data.batches import Batch, check_share, check_step
from cpt_model.data.text_data import TextData
from host.data.draws import Purpose, check_seed, permutation, words
from host.data.images import DataError


class TextBatches:
    """Windows of `length` words and the words that follow each, in a fresh order each epoch.

    An epoch cuts the text at another offset, so that a word meets different beginnings. `limit` keeps that many words.
    """

    def __init__(
        self,
        data: TextData,
        batch: int,
        seed: int,
        length: int = 35,
        rank: int = 0,
        world: int = 1,
        limit: int | None = None,
    ) -> None:
        check_share(batch, rank, world)
        if length < 1:
            raise ValueError(f"length {length}: must be 1 or more")
        if limit is not None and not 1 <= limit <= len(data.train):
            raise ValueError(f"limit {limit}: {data.name} has {len(data.train)} words for training")
        self.text = data.train[:limit]
        self.windows = (len(self.text) - length) // length  # whole ones after any offset, each with a next word
        if batch > self.windows:
            raise DataError(f"batch {batch}: {data.name} has only {max(0, self.windows)} windows of {length} words")
        self.batch, self.length, self.seed = batch, length, check_seed(seed)
        self.steps_per_epoch = self.windows // batch
        share = batch // world
        self._mine = slice(rank * share, (rank + 1) * share)
        self._order: tuple[int, npt.NDArray[np.int64]] | None = None

    def __getitem__(self, step: int) -> Batch:
        epoch, place = divmod(check_step(step), self.steps_per_epoch)
        if self._order is None or self._order[0] != epoch:
            offset = int(words(self.seed, Purpose.AUGMENTATION, epoch, 1)[0] % np.uint64(self.length))
            self._order = epoch, offset + self.length * permutation(self.seed, epoch, self.windows)
        starts = self._order[1][place * self.batch : (place + 1) * self.batch][self._mine]
        return _windows(self.text, starts, self.length)


def text_test_batches(
    text: npt.NDArray[np.int32], batch: int = 20, length: int = 35, limit: int | None = None
) -> Iterator[Batch]:
    """A valid or test part once, in its order: every word but the first is predicted once.

    The last window may be shorter, so weigh each batch's mean loss by its number of words.
    """
    if batch < 1 or length < 1:
        raise ValueError(f"batch {batch}, length {length}: must be 1 or more")
    if limit is not None and limit < 2:
        raise ValueError(f"limit {limit}: a word and the next one are needed")
    text = text[:limit]
    if len(text) < 2:
        raise DataError(f"a text of {len(text)} words: a word and the next one are needed")
    whole = (len(text) - 1) // length
    starts = np.arange(whole) * length
    for first in range(0, whole, batch):
        yield _windows(text, starts[first : first + batch], length)
    if rest := len(text) - 1 - whole * length:
        yield _windows(text, np.array([whole * length]), rest)


def _windows(text: npt.NDArray[np.int32], starts: npt.NDArray[np.int64], length: int) -> Batch:
    found = torch.from_numpy(text[starts[:, None] + np.arange(length + 1)].astype(np.int64))
    return found[:, :-1].contiguous(), found[:, 1:].contiguous()
