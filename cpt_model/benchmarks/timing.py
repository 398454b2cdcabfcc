"""Timing a job."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

OURS = ("sim", "host", "cpt_model")
QUIET = 0.1  # cores that other processes may use before times and their ratios disagree
IDLE = (3, 4)  # fields of a line of /proc/stat: idle, and waiting for a disk


class Others:
    """How many cores other processes use while a block runs: what the machine did, less what we did."""

    def __enter__(self) -> Others:
        self._began, self._before = time.monotonic(), _busy_seconds()
        return self

    def __exit__(self, *_: object) -> None:
        self.cores = max(0.0, _busy_seconds() - self._before) / max(time.monotonic() - self._began, 0.01)

    def remark(self) -> str | None:
        """What has to be said of times that were taken meanwhile; nothing on a quiet machine."""
        if self.cores <= QUIET:
            return None
        return f"other processes used {self.cores:.1f} cores meanwhile: no conclusion from these times and their ratios"


def _busy_seconds() -> float:
    """Of all processes but ours, since the machine started; 0 where the system does not tell."""
    try:
        with open("/proc/stat") as file:
            fields = [int(word) for word in file.readline().split()[1:9]]  # guests are in the first two
    except OSError:
        return 0.0
    busy = sum(value for place, value in enumerate(fields) if place not in IDLE)
    return busy / os.sysconf("SC_CLK_TCK") - sum(os.times()[:4])


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
