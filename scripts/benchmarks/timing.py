"""Timing a job."""

from __future__ import annotations

import time
from collections.abc import Callable


def best_seconds(job: Callable[[], object], repeat: int) -> float:
    """The shortest of several runs: what the machine can do when nothing else disturbs it."""
    seconds = []
    for _ in range(max(1, repeat)):
        start = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def mean_cpu_seconds(job: Callable[[], object], repeat: int) -> float:
    """What a job costs on a machine that others use too."""
    start = time.process_time()
    for _ in range(max(1, repeat)):
        job()
    return (time.process_time() - start) / max(1, repeat)
