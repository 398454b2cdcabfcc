"""Timing a job."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

OURS = ("sim", "host", "cpt_model")


def best_seconds(job: Callable[[], object], repeat: int) -> float:
    """The shortest of several runs: what the machine can do when nothing else disturbs it."""
    seconds = []
    for _ in range(max(1, repeat)):
        start = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


@contextmanager
def threads(number: int) -> Iterator[None]:
    """PyTorch with this many threads, as long as the block runs."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def mean_cpu_seconds(job: Callable[[], object], repeat: int) -> float:
    """What a job costs on a machine that others use too."""
    start = time.process_time()
    for _ in range(max(1, repeat)):
        job()
    return (time.process_time() - start) / max(1, repeat)


def forget() -> None:
    """Empties every cache of our modules, so that a job runs as for the first time."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in OURS:
            for value in list(vars(module).values()):
                clear = getattr(value, "cache_clear", None)
                if callable(clear):
                    clear()
