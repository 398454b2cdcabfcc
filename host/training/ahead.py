"""What the next steps need, prepared by a thread while the device runs this one's lists."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from types import TracebackType

import numpy as np
import numpy.typing as npt

from host.compiler.bits import Bits
from host.data.batches import TrainingBatches
from host.data.images import ImageData
from host.driver.integer_step import Prepared
from host.training.pixels import PixelPacker


@dataclass(frozen=True)
class Ahead:
    """What a step needs, and the seconds it took to prepare while lists ran."""

    images: Prepared
    labels: npt.NDArray[np.int64]
    bits: Bits
    lr: float
    seconds: float


class Preparing:
    """Steps up to `total` in their order; a context, in which the thread lives.

    Args:
        data: the training images.
        batches: which of them a step takes.
        packer: crops, mirrors and packs them.
        total: number of steps.
        bits: of a step.
        rate: learning rate of a step.
    """

    def __init__(
        self,
        data: ImageData,
        batches: TrainingBatches,
        packer: PixelPacker,
        total: int,
        bits: Callable[[int], Bits],
        rate: Callable[[int], float],
    ) -> None:
        self._labels, self._batches, self._packer, self._total = data.train_labels, batches, packer, total
        self._bits, self._rate = bits, rate
        self._next: tuple[int, Future[Ahead]] | None = None

    def __enter__(self) -> Preparing:
        self._thread = ThreadPoolExecutor(1, "next-batch")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.shutdown()

    def now(self, number: int) -> Ahead:
        """Of this step; the next one's are begun."""
        known = self._next is not None and self._next[0] == number
        found = self._next[1].result() if known and self._next else replace(self._prepared(number), seconds=0.0)
        after = number + 1
        self._next = (after, self._thread.submit(self._prepared, after)) if after < self._total else None
        return found

    def images(self) -> Prepared | None:
        """Of the next step, if there is one; waits for them."""
        return None if self._next is None else self._next[1].result().images

    def _prepared(self, number: int) -> Ahead:
        began = time.perf_counter()
        rows, chances = self._batches.drawn(number)
        images = Prepared(self._packer.training(rows, chances))
        bits, rate = self._bits(number), self._rate(number)
        return Ahead(images, self._labels[rows], bits, rate, time.perf_counter() - began)
