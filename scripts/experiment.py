"""`cpt experiment`: a paper's comparison at small scale, with several seeds, restartable, reported with its spread."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cpt_model.experiments import Experiment, PlannedRun
    from cpt_model.experiments.calibration import Kind, Pace

LINE_SECONDS = 60
DESCRIPTION = """\
Runs every variant of an experiment with every seed, each in a process of its own, and reports test accuracy (mean and
standard deviation) and cost beside the paper's numbers. It first measures a few steps and says how long it will take.
Stopped at any moment, the same command continues: finished runs are read, half ones resumed.
"""


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "experiment", help="a paper's comparison at small scale, on real data", description=DESCRIPTION
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="which; without it, all are listed")
    parser.add_argument("--seeds", type=int, metavar="N", help="runs of each variant, seeds 0 .. N - 1")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time, of one thread each (2)")
    parser.add_argument("--variants", nargs="+", metavar="TITLE", help="only these; the first is compared with")
    parser.add_argument("--minutes", type=float, help="begin no run that would not end within this time")
    parser.add_argument("--out", type=Path, help="folder of the runs and the report (out/experiments/NAME)")
    parser.add_argument("--results", type=Path, help="also write NAME.json and NAME.md there, to be kept")
    parser.add_argument("--report-only", action="store_true", help="report what is there, run nothing")
    scale = parser.add_argument_group("another scale (use another --out for it)")
    scale.add_argument("--steps", type=int, help="of each run")
    scale.add_argument("--batch", type=int, help="images of a step")
    scale.add_argument("--dataset", help="cifar10, fashion-mnist or digits; the network is chosen to fit")
    scale.add_argument("--arch", help="another network")
    scale.add_argument("--datadir", help="where the data is, if not in the cache")
    scale.add_argument("--limit", type=int, help="use so many training images")
    scale.add_argument("--test-limit", type=int, help="use so many test images")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.experiments import experiment, planned_runs
    from cpt_model.experiments.findings import gather
    from cpt_model.experiments.report import notes, render, write_report, write_results

    if arguments.name is None:
        print(listing())
        return 0
    wanted = experiment(arguments.name).changed(changes(arguments))
    if arguments.variants:
        wanted = wanted.only(arguments.variants)
    seeds = arguments.seeds if arguments.seeds is not None else wanted.seeds
    for name, value in (("--seeds", seeds), ("--jobs", arguments.jobs)):
        if value < 1:
            raise ValueError(f"{name} {value}: must be 1 or more")
    if arguments.minutes is not None and not arguments.minutes > 0:
        raise ValueError(f"--minutes {arguments.minutes}: must be above 0")
    out = arguments.out or Path("out") / "experiments" / wanted.name
    runs = planned_runs(wanted, range(seeds), out)
    failed = False if arguments.report_only else carry_out(wanted, runs, arguments.jobs, arguments.minutes)
    results = gather(wanted, runs)
    if not results.rows:
        raise ValueError(f"{out}: no run of {wanted.name} has finished, there is nothing to report")
    print(f"\n{wanted.question}\n\n{render(results)}\n")
    print("\n".join(notes(results)))
    files = write_report(results, out)
    if arguments.results is not None:
        files += write_results(results, arguments.results)
    print(f"\nwrote {', '.join(map(str, files))}")
    return 1 if failed else 0


def listing() -> str:
    from cpt_model.experiments import CATALOGUE

    lines = ["experiments (cpt experiment NAME):", ""]
    for each in CATALOGUE.values():
        lines.append(f"  {each.name:16} {each.question}")
        work = f"{len(each.variants)} variants x {each.seeds} seeds x {each.recipe['steps']:,} steps"
        lines.append(f"  {'':16} {work} of {each.recipe['batch']}: {each.recipe['arch']}")
    return "\n".join(lines)


def changes(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the command line changes in the recipe; a data set brings its own small network."""
    given = {name: getattr(arguments, name) for name in ("steps", "batch", "datadir", "limit", "test_limit")}
    found = {name: value for name, value in given.items() if value is not None}
    if arguments.dataset is not None:
        found |= {"dataset": arguments.dataset, "arch": f"{arguments.dataset.split('-')[0]}_resnet_8"}
    if arguments.arch is not None:
        found["arch"] = arguments.arch
    return found


def carry_out(wanted: Experiment, runs: list[PlannedRun], jobs: int, minutes: float | None) -> bool:
    """Declares the time, then runs what is not finished; says whether a run failed."""
    from cpt_model.experiments.calibration import calibrate, kind
    from cpt_model.experiments.processes import run_all
    from cpt_model.training import run_folder

    start = time.monotonic()
    left = [each for each in runs if run_folder.finished(each.settings) is None]
    print(f"{wanted.name}: {len(runs)} runs, {len(runs) - len(left)} of them finished before", flush=True)
    if not left:
        return False
    for each in left:  # a folder of other settings is refused before anything is measured
        if (each.folder / run_folder.SETTINGS).exists():
            run_folder.check_same(each.settings, run_folder.read_settings(each.folder), each.folder)
    left[0].folder.parent.mkdir(parents=True, exist_ok=True)
    jobs = min(jobs, len(left))
    print(f"measuring a few steps in {jobs} {'process' if jobs == 1 else 'processes'} ...", flush=True)
    paces = calibrate(left, jobs)
    print(declaration(left, paces, jobs), flush=True)

    def in_time(each: PlannedRun) -> bool:
        if minutes is None:
            return True
        needed = paces[kind(each)].seconds(each.steps - done_steps(each))
        fits = time.monotonic() - start + needed <= 60 * minutes
        if not fits:
            print(f"\n--minutes {minutes:g}: {each.variant.title} seed {each.seed} and later runs are not begun")
        return fits

    watch, close = progress_bar(left)
    try:
        failures = run_all(left, jobs, watch, in_time)
    finally:
        close()
    for failure in failures:
        each = failure.run
        print(f"cpt: {each.variant.title} seed {each.seed} failed: {failure.message}", file=sys.stderr)
    return bool(failures)


def declaration(runs: list[PlannedRun], paces: dict[Kind, Pace], jobs: int) -> str:
    """How long it will take, and what that is made of."""
    from cpt_model.experiments.calibration import kind

    lines = []
    for each, pace in paces.items():
        arch, _, batch, quantiser, is_float = each
        what = "float32" if is_float else quantiser
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
    from cpt_model.experiments.processes import last_line
    from cpt_model.training import journal

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


def progress_bar(runs: list[PlannedRun]) -> tuple[Callable[[list[PlannedRun]], None], Callable[[], None]]:
    """A bar over the steps of all runs; where there is no terminal, a line a minute."""
    from tqdm import tqdm

    on_screen = sys.stderr.isatty()
    total = sum(run.steps for run in runs)
    begun, first = time.monotonic(), sum(map(done_steps, runs))
    bar = tqdm(total=total, initial=first, unit="step", smoothing=0.02, disable=not on_screen)
    said = begun

    def watch(running: list[PlannedRun]) -> None:
        nonlocal said
        done, now = sum(map(done_steps, runs)), time.monotonic()
        names = ", ".join(map(_state, running))
        if on_screen:
            bar.set_postfix_str(names, refresh=False)
            bar.update(done - bar.n)
        elif now - said >= LINE_SECONDS and done > first:
            said = now
            left = (now - begun) / (done - first) * (total - done)
            print(f"  step {done:,} of {total:,}, {duration(left)} left: {names}", file=sys.stderr, flush=True)

    return watch, bar.close


def _state(run: PlannedRun) -> str:
    from cpt_model.experiments.processes import last_line
    from cpt_model.training import journal

    line = last_line(run.folder / journal.FILE)
    score = f" {line['accuracy']:.0f} %" if "accuracy" in line else ""
    return f"{run.variant.title} seed {run.seed}{score}"
