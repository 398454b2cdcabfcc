"""The number of PyTorch's threads, for as long as a block lasts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

A_CORE = 4  # threads that wait by turning: with more of them on each core, a step of milliseconds takes minutes


@contextmanager
def threads(number: int | None) -> Iterator[None]:
    """As many threads for the block (None: as they are), and the caller's own number afterwards."""
    before, cores = torch.get_num_threads(), os.cpu_count() or 1
    if number is not None:
        if not 1 <= number <= A_CORE * cores:
            raise ValueError(f"threads = {number}: this machine has {cores} cores, give 1..{A_CORE * cores}")
        torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)
