"""Training runs as tasks of a Ray cluster, on as many machines as it has.

A task starts the same worker process as on one machine, and stops it the same way: a run that is cancelled, or whose
cluster goes away, leaves a checkpoint. The kit is installed on every machine, and all see the same files: folders of
runs and data have the same names everywhere.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from cpt_model.experiments.definition import PlannedRun
from cpt_model.experiments.processes import STOP_SECONDS, Failure, Started, Worker

POLL = 0.2  # seconds


def _run_here(run: PlannedRun) -> str | None:
    """In a task: the whole run, in a process of its own; what it failed with, if it did."""
    worker = Worker(run)
    try:
        while worker.process.poll() is None:  # Ray's interrupt is no signal: it does not end a wait of the system's
            time.sleep(POLL)
    finally:  # finished, or cancelled by an interrupt
        worker.let_go()
        worker.wait(STOP_SECONDS)
    failure = worker.failure()
    return None if failure is None else failure.message


class RayTask:
    """A run that Ray has been given."""

    def __init__(self, ray: Any, run: PlannedRun) -> None:
        self.run = run
        self._ray = ray
        folder = {"folder": str(run.folder.absolute())}  # a task has a folder of its own
        if run.settings.datadir is not None:
            folder["datadir"] = str(Path(run.settings.datadir).absolute())
        placed = replace(run, settings=run.settings.changed(**folder))
        task = ray.remote(_run_here).options(num_cpus=run.settings.threads or 1, max_retries=0)
        self._result = task.remote(placed)

    def has_ended(self) -> bool:
        ended, _ = self._ray.wait([self._result], timeout=0)
        return bool(ended)

    def failure(self) -> Failure | None:
        try:
            message = self._ray.get(self._result)
        except self._ray.exceptions.RayError as problem:
            message = str(problem).strip().splitlines()[-1]
        return None if message is None else Failure(self.run, message)

    def let_go(self) -> None:
        self._ray.cancel(self._result)

    def wait(self, seconds: float) -> None:
        self._ray.wait([self._result], timeout=seconds)


@contextmanager
def cluster(threads: int, address: str | None = None) -> Iterator[tuple[int, Callable[[PlannedRun], Started]]]:
    """Connects to a cluster, by default the one of RAY_ADDRESS, else of this machine alone.

    Gives the number of runs that fit with this number of threads each, and what begins one.
    """
    try:
        import ray
    except ImportError:
        raise ValueError("--on ray needs the package 'ray': pip install 'ray==2.60.0'") from None
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else it warns of a change to come
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, ValueError) as problem:
        raise ValueError(f"no Ray cluster: {str(problem).strip().splitlines()[0]}") from problem
    try:
        rooms = [int(node["Resources"].get("CPU", 0)) // threads for node in ray.nodes() if node["Alive"]]
        if not sum(rooms):
            raise ValueError(f"the Ray cluster has no node with the {threads} CPUs that a run needs")
        yield sum(rooms), lambda run: RayTask(ray, run)
    finally:
        ray.shutdown()
