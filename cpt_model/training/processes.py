"""The processes of one run: one alone, or those that `torchrun` started, joined over gloo."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import torch
from torch import Tensor, distributed

# The first process evaluates alone, the others wait for it.
LIMIT = timedelta(hours=2)


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
        if self.world == 1:
            return value
        greatest = torch.tensor([value])
        distributed.all_reduce(greatest, op=distributed.ReduceOp.MAX)
        return int(greatest.item())

    def same(self, what: Tensor) -> bool:
        """Whether all processes hold the same tensor."""
        if self.world == 1:
            return True
        first = what.clone()
        distributed.broadcast(first, src=0)
        return not self.any(int(not torch.equal(first, what)))


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
        distributed.destroy_process_group()
