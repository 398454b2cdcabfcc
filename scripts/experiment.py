"""`cpt experiment`: a paper's comparison at small scale, with several seeds, restartable, reported with its spread."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripts.flags import add
from scripts.parser import Parser
from sim.common.flag_types import above_zero, path

if TYPE_CHECKING:
    from cpt_model.experiments import Experiment, PlannedRun

JOBS = 2
DESCRIPTION = """\
Runs every variant of an experiment with every seed, each in a process of its own, and reports test
accuracy (mean and standard deviation), cost and the paper's numbers. It first measures a few steps
and prints how long it will take. Stopped at any moment, the same command continues: finished runs
are read, partial ones resumed.
"""
EXAMPLES = """\
  cpt experiment
  cpt experiment static-vs-cpt --seeds 2
  RAY_ADDRESS=head:6379 cpt experiment static-vs-cpt --on ray
  cpt experiment schedules --dataset digits --steps 400 --out out/small --variants 8/8 CR
"""


def add_flags(parser: Parser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="experiment to run (default: list all)")
    add(parser, "--seeds", shown="the experiment's", help="number of seeds that each variant is trained with")
    add(parser, "--jobs", default=None, shown="2, with --on ray as many as the cluster has room for")
    what = "place of the runs: here, or ray, the cluster of RAY_ADDRESS, whose machines share their files"
    add(parser, "--on", choices=["here", "ray"], default="here", metavar="PLACE", help=what)
    what = "variants to run, of which the first is compared with"
    add(parser, "--variants", nargs="+", metavar="TITLE", shown="all", help=what)
    what = "time limit in minutes: no run is started that would exceed it"
    add(parser, "--minutes", type=above_zero, metavar="N", help=what)
    add(parser, "--out", shown="out/experiments/NAME", help="folder of the runs and the report")
    what = "folder to write NAME.json and NAME.md to as well, to be kept"
    add(parser, "--save", type=path, metavar="FOLDER", help=what, old=["--results"])
    what = "NAME.json of an earlier --save, here or elsewhere, whose finished runs are not run again"
    add(parser, "--earlier", type=path, metavar="FILE", help=what)
    add(parser, "--report-only", action="store_true", help="report the runs that have finished, and run none")
    scale = parser.add_argument_group("another scale (with another --out)")
    add(scale, "--steps", default=None, shown="the experiment's", help="number of training steps of each run")
    add(scale, "--batch", default=None, shown="the experiment's")
    add(scale, "--dataset", shown="the experiment's", help="data set: cifar10, fashion-mnist or digits")
    add(scale, "--arch", shown="a ResNet-8 for the data set")
    add(scale, "--datadir")
    add(scale, "--limit")
    add(scale, "--test-limit")


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.experiments import experiment, planned_runs
    from cpt_model.experiments.earlier import take_over
    from cpt_model.experiments.findings import gather
    from cpt_model.experiments.report import notes, render, write_report, write_results

    if arguments.name is None:
        print(listing())
        return 0
    wanted = experiment(arguments.name).changed(changes(arguments))
    if arguments.variants:
        wanted = wanted.only(arguments.variants)
    out = arguments.out or Path("out") / "experiments" / wanted.name
    runs = planned_runs(wanted, range(arguments.seeds or wanted.seeds), out)
    if arguments.on == "ray" and arguments.report_only:
        raise ValueError("--on ray with --report-only: no run is started")
    if arguments.earlier is not None:
        print(f"{take_over(arguments.earlier, wanted, runs)} finished runs taken from {arguments.earlier}")
    failed = not arguments.report_only and carried_out(wanted, runs, arguments)
    results = gather(wanted, runs)
    if not results.rows:
        raise ValueError(f"{out}: no run of {wanted.name} has finished, there is nothing to report")
    print(f"\n{wanted.question}\n\n{render(results)}\n")
    print("\n".join(notes(results)))
    files = write_report(results, out)
    if arguments.save is not None:
        files += write_results(results, arguments.save)
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


def carried_out(wanted: Experiment, runs: Sequence[PlannedRun], arguments: argparse.Namespace) -> bool:
    """On this machine or on a cluster; whether a run failed."""
    if arguments.on == "here":
        return carry_out(wanted, runs, arguments.jobs or JOBS, arguments.minutes)
    from cpt_model.experiments.on_ray import cluster

    threads = max(each.settings.threads or 1 for each in runs)
    with cluster(threads) as (room, begin):
        return carry_out(wanted, runs, arguments.jobs or room, arguments.minutes, begin=begin)


def carry_out(wanted: Experiment, runs: Sequence[PlannedRun], jobs: int, minutes: float | None, **where: Any) -> bool:
    """Runs what is not finished, and prints what fails; whether a run did."""
    from cpt_model.experiments import running

    failures = running.carry_out(wanted, runs, jobs, minutes, partial(print, flush=True), **where)
    for failure in failures:
        each = failure.run
        print(f"cpt: {each.variant.title} seed {each.seed} failed: {failure.message}", file=sys.stderr)
    return bool(failures)
