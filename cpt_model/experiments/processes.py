"""Training runs in parallel processes, as many at a time as asked for."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cpt_model.experiments.definition import PlannedRun
from sim.common.isolated import python_module
from sim.common.json_file import parse_json
from sim.common.ownership import no_link

LOG = "worker.log"
POLL_SECONDS = 0.5
# A stopped run writes its checkpoint first; one that does not end by then is killed.
STOP_SECONDS = 60


@dataclass(frozen=True)
class Failure:
    """A run that ended without a summary, and the last line it printed."""

    run: PlannedRun
    message: str


class Started(Protocol):
    """A run that is running, wherever that is."""

    run: PlannedRun

    def has_ended(self) -> bool: ...

    def failure(self) -> Failure | None: ...

    def let_go(self) -> None: ...

    def wait(self, seconds: float) -> None: ...


class Worker:
    """A run in a process of this machine."""

    def __init__(self, run: PlannedRun) -> None:
        self.run = run
        run.folder.mkdir(parents=True, exist_ok=True)
        threads = str(run.settings.threads or 1)
        # A session of its own: Ctrl-C reaches the parent alone, which then lets go of the pipe.
        with open(run.folder / LOG, "w", opener=no_link) as log:
            self.process = subprocess.Popen(
                python_module("cpt_model.experiments.worker"),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env={**os.environ, "OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads},
                start_new_session=True,
            )
        assert self.process.stdin
        self.process.stdin.write(json.dumps(run.settings.to_dict()).encode() + b"\n")
        self.process.stdin.flush()

    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def failure(self) -> Failure | None:
        """Of a process that has ended."""
        if self.process.returncode == 0:
            return None
        said = (self.run.folder / LOG).read_text(errors="replace").strip().splitlines()
        return Failure(self.run, said[-1] if said else f"ended with status {self.process.returncode}")

    def let_go(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()

    def wait(self, seconds: float) -> None:
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def run_all(
    runs: Iterable[PlannedRun],
    jobs: int,
    watch: Callable[[list[PlannedRun]], None],
    may_start: Callable[[PlannedRun], bool] = lambda run: True,
    start: Callable[[PlannedRun], Started] = Worker,
) -> list[Failure]:
    """Runs all of them; `watch` is called with those that are running, about twice a second.

    Once `may_start` returns False, no other run is started. An interruption stops each running one with a checkpoint.
    """
    waiting = list(runs)
    under_way: list[Started] = []
    failures: list[Failure] = []
    try:
        while waiting or under_way:
            while waiting and len(under_way) < jobs:
                if not may_start(waiting[0]):
                    waiting.clear()
                    break
                under_way.append(start(waiting.pop(0)))
            for worker in [each for each in under_way if each.has_ended()]:
                under_way.remove(worker)
                worker.let_go()
                if failure := worker.failure():
                    failures.append(failure)
            watch([worker.run for worker in under_way])
            if under_way:
                time.sleep(POLL_SECONDS)
    finally:
        for worker in under_way:
            worker.let_go()
        deadline = time.monotonic() + STOP_SECONDS
        for worker in under_way:
            worker.wait(max(deadline - time.monotonic(), 0))
    return failures


def last_line(path: Path) -> dict[str, float]:
    """The newest whole line of a run's metrics; nothing where there is none yet."""
    try:
        with path.open("rb") as file:
            file.seek(max(file.seek(0, os.SEEK_END) - 4096, 0))
            lines = file.read().split(b"\n")[:-1]
        return dict(parse_json(lines[-1].decode())) if lines else {}
    except (FileNotFoundError, ValueError, TypeError):
        return {}
