"""The processes of one run: one alone, or those that `torchrun` started, joined over gloo.

What several are equal to: process r takes the r-th slice of the batch that one alone would take, augmented alike, and
quantises it with ranges, batch statistics and noise of its own (`noise_seed`). A step then uses the mean of the
processes' gradients. So the weights are the same on all of them, and equal (of two processes, bit for bit) to those of
as many copies in one process whose gradients are averaged. They are not those of one process with the whole batch: its
ranges and batch statistics span all of it. The first process writes all files and evaluates with its own statistics.
A step in integers takes the mean of velocities instead, in exact integers: `host.driver.averaged` has the formula.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
import numpy.typing as npt
import torch
from torch import distributed

# The first process evaluates alone, the others wait for it.
LIMIT = timedelta(hours=2)
# Groups that have ended, kept until the process ends. A model in DistributedDataParallel owns its group too; were it
# the last owner, PyTorch 2.13 would join the group's threads with Python's lock held, while one of them may still wait
# for that lock to let go of the last tensor it reduced: neither would ever go on.
ENDED: list[distributed.ProcessGroup | None] = []


@dataclass(frozen=True)
class Processes:
    """Who we are among how many."""

    rank: int = 0
    world: int = 1

    @property
    def first(self) -> bool:
        """The one that writes files and evaluates."""
        return self.rank == 0

    def sum(self, values: list[float]) -> list[float]:
        """Sums over all processes; every one must call it."""
        if self.world == 1:
            return values
        total = torch.tensor(values, dtype=torch.float64)
        distributed.all_reduce(total)
        return list(total.tolist())

    def any(self, value: int) -> int:
        """The greatest value of all processes: a signal that one has seen is everyone's."""
        return value if self.world == 1 else int(self.greatest(np.array([value]))[0])

    def total(self, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Exact sums over all processes."""
        return _reduced(values, distributed.ReduceOp.SUM)

    def greatest(self, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Maxima over all processes."""
        return _reduced(values, distributed.ReduceOp.MAX)

    def gathered(self, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Those of all processes, one behind the other."""
        every = np.zeros((self.world, *values.shape), np.int64)
        every[self.rank] = values
        return self.total(every)


def _reduced(values: npt.NDArray[np.int64], how: distributed.ReduceOp.RedOpType) -> npt.NDArray[np.int64]:
    made = torch.from_numpy(values.astype(np.int64))
    distributed.all_reduce(made, op=how)
    return made.numpy()


def mixed(*numbers: int) -> int:
    """64 bits that differ wherever one of the numbers does."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0])


def noise_seed(seed: int, rank: int) -> int:
    """Of stochastic rounding: the first process draws what a run alone draws, the others draw their own.

    A whole step takes 16 bits. The multiplier is odd: no two of 65,536 processes share a seed.

    >>> noise_seed(7, 0), noise_seed(7, 1), noise_seed(7, 2)
    (7, 40510, 15477)
    """
    return (seed + 40503 * rank) % 65536 if rank else seed


@contextmanager
def processes() -> Iterator[Processes]:
    """Joins what `torchrun` started (it sets RANK and WORLD_SIZE), for as long as the block lasts."""
    if distributed.is_initialized():
        yield Processes(distributed.get_rank(), distributed.get_world_size())
        return
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        yield Processes()
        return
    distributed.init_process_group("gloo", timeout=LIMIT)
    try:
        yield Processes(distributed.get_rank(), world)
    finally:
        ENDED.append(distributed.group.WORLD)
        distributed.destroy_process_group()
