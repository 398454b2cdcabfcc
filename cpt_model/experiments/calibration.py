"""How long an experiment will take: a few steps of each kind of run, measured as the runs will run."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cpt_model.experiments.definition import ExperimentError, PlannedRun
from cpt_model.experiments.processes import run_all
from host.training.journal import read_metrics

STEPS = 12
WARM = 3  # steps that compile, allocate and fill caches

Kind = tuple[str, str, int, str, bool, str]


def kind(run: PlannedRun) -> Kind:
    """Runs of one kind take as long a step; the number of bits hardly matters to a CPU."""
    each = run.settings
    return each.arch, each.dataset, each.batch, each.quantiser, each.is_float, each.step


@dataclass(frozen=True)
class Pace:
    """Seconds of a step, and of all else in a run: start, data, one evaluation, checkpoint."""

    step: float
    rest: float

    def seconds(self, steps: int) -> float:
        return self.rest + steps * self.step


def calibrate(runs: Sequence[PlannedRun], jobs: int) -> dict[Kind, Pace]:
    """The pace of every kind, with as many processes at once as later."""
    examples = {kind(run): run for run in reversed(runs)}
    return {each: _measure(run, jobs) for each, run in examples.items()}


def _measure(run: PlannedRun, jobs: int) -> Pace:
    short = run.settings.changed(
        steps=STEPS,
        epochs=None,
        log_every=1,
        eval_every=STEPS,
        warm_up=0,
        warm_up_lr=None,
        schedule=None,
        bw_schedule=None,
        cycles=1,
        late_start=0.0,
        deficit=None,
    )
    with tempfile.TemporaryDirectory(prefix="cpt-calibration-") as place:
        copies = [
            PlannedRun(run.variant, run.seed, short.changed(folder=str(Path(place) / str(job)))) for job in range(jobs)
        ]
        start = time.monotonic()
        failures = run_all(copies, jobs, lambda running: None)
        wall = time.monotonic() - start
        if failures:
            raise ExperimentError(f"{run.variant.title}: {failures[0].message}")
        times = [[line["seconds"] for line in read_metrics(copy.folder) if "seconds" in line] for copy in copies]
    return pace(times, wall)


def pace(times: list[list[float]], wall: float) -> Pace:
    """From the seconds after each step, counted from a run's start, and the time it all took.

    >>> pace([[2, 2.5, 3.0, 3.25, 3.5, 3.75]], wall=5.0)
    Pace(step=0.25, rest=3.5)
    """
    steps = [after - before for each in times for before, after in zip(each[WARM - 1 :], each[WARM:], strict=False)]
    step = statistics.median(steps)
    return Pace(step, max(wall - len(times[0]) * step, 0.0))
