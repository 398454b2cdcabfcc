"""Carries out an experiment: measures a few steps, announces how long it will take, runs what is not finished."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from tqdm import tqdm

from cpt_model.experiments.calibration import Kind, Pace, calibrate, kind
from cpt_model.experiments.definition import Experiment, PlannedRun
from cpt_model.experiments.processes import Failure, Started, Worker, last_line, run_all
from cpt_model.training import run_folder
from host.training import journal

LINE_SECONDS = 60
Say = Callable[[str], object]


def carry_out(
    wanted: Experiment,
    runs: Sequence[PlannedRun],
    jobs: int,
    minutes: float | None,
    say: Say,
    begin: Callable[[PlannedRun], Started] = Worker,
) -> list[Failure]:
    """Runs what is not finished, `jobs` at a time; begins no run that would not end within `minutes`.

    What each run takes is measured on this machine, wherever `begin` starts it.
    """
    start = time.monotonic()
    left = [each for each in runs if run_folder.finished(each.settings) is None]
    say(f"{wanted.name}: {len(runs)} runs, {len(runs) - len(left)} of them finished before")
    if not left:
        return []
    for each in left:  # a folder of other settings is refused before anything is measured
        if (each.folder / run_folder.SETTINGS).exists():
            run_folder.check_same(each.settings, run_folder.read_settings(each.folder), each.folder)
    left[0].folder.parent.mkdir(parents=True, exist_ok=True)
    jobs = min(jobs, len(left))
    here = jobs if begin is Worker else 1
    say(f"measuring a few steps in {here} {'process' if here == 1 else 'processes'} ...")
    paces = calibrate(left, here)
    say(declaration(left, paces, jobs))

    def in_time(each: PlannedRun) -> bool:
        if minutes is None:
            return True
        needed = paces[kind(each)].seconds(each.steps - done_steps(each))
        fits = time.monotonic() - start + needed <= 60 * minutes
        if not fits:
            say(f"\n--minutes {minutes:g}: {each.variant.title} seed {each.seed} and later runs are not begun")
        return fits

    watch, close = progress_bar(left)
    try:
        return run_all(left, jobs, watch, in_time, begin)
    finally:
        close()


def declaration(runs: Sequence[PlannedRun], paces: dict[Kind, Pace], jobs: int) -> str:
    """How long it will take, and what that is made of."""
    lines = []
    for each, pace in paces.items():
        arch, _, batch, quantiser, is_float, step = each
        what = "float32" if is_float else "integer step" if step == "integer" else quantiser
        same = [run for run in runs if kind(run) == each]
        longest = max(pace.seconds(run.steps) for run in same)
        lines.append(
            f"  {arch}, {what}, batch {batch}: {pace.step:.3f} s a step; {len(same)} runs, the longest of "
            f"{duration(longest)}"
        )
    seconds = [paces[kind(run)].seconds(run.steps - done_steps(run)) for run in runs]
    wall = max(math.fsum(seconds) / jobs, max(seconds))
    end = datetime.now().astimezone() + timedelta(seconds=wall)
    lines.append(f"about {duration(wall)} in all with --jobs {jobs}, until {end:%H:%M %Z}")
    return "\n".join(lines)


def done_steps(run: PlannedRun) -> int:
    return int(last_line(run.folder / journal.FILE).get("step", 0))


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(42), duration(600), duration(7300)
    ('42 s', '10 min', '2 h 2 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def progress_bar(runs: Sequence[PlannedRun]) -> tuple[Callable[[list[PlannedRun]], None], Callable[[], None]]:
    """A bar over the steps of all runs on standard error; where that is no terminal, a line a minute."""
    on_screen = sys.stderr.isatty()
    total = sum(run.steps for run in runs)
    begun, first = time.monotonic(), sum(map(done_steps, runs))
    bar = tqdm(total=total, initial=first, unit="step", smoothing=0.02, disable=not on_screen)
    printed = begun

    def watch(running: list[PlannedRun]) -> None:
        nonlocal printed
        done, now = sum(map(done_steps, runs)), time.monotonic()
        names = ", ".join(map(_state, running))
        if on_screen:
            bar.set_postfix_str(names, refresh=False)
            bar.update(done - bar.n)
        elif now - printed >= LINE_SECONDS and done > first:
            printed = now
            left = (now - begun) / (done - first) * (total - done)
            print(f"  step {done:,} of {total:,}, {duration(left)} left: {names}", file=sys.stderr, flush=True)

    return watch, bar.close


def _state(run: PlannedRun) -> str:
    line = last_line(run.folder / journal.FILE)
    score = f" {line['accuracy']:.0f} %" if "accuracy" in line else ""
    return f"{run.variant.title} seed {run.seed}{score}"
