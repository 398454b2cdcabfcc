"""`cpt demo`: what cyclic precision training is for and what it gains: four questions, each answered by computing."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripts.flags import add
from scripts.parser import Parser
from sim.common.isolated import python_module
from sim.common.table import as_table

if TYPE_CHECKING:
    from cpt_model.demonstration.hours import RunHours
    from cpt_model.demonstration.on_core import Iteration
    from cpt_model.demonstration.one_layer import Row
    from cpt_model.experiments import Experiment, PlannedRun

TITLE = "Cyclic precision training, a demonstration"
DESCRIPTION = """\
Four questions, each answered by a computation: what fewer bits gain in one layer; whether a network
still learns at 3 to 8 bits (static 8/8 and CPT's 3-8/8 on Fashion-MNIST, whole training steps in
integers); how long a run of the papers takes (estimate); and whether the RTL core computes the same
(simulated, a whole training iteration). The page about it grows meanwhile. About two minutes on two
idle cores; a second call reuses what has finished.
"""
EXAMPLES = """\
  cpt demo
  cpt demo --full                              (longer runs, three seeds, tables: a quarter of an hour)
  cpt demo --dataset cifar10 --steps 500       (after 'cpt data cifar10')
"""
DATA_SECONDS, RTL_SECONDS = 90, 1800  # limits of what is waited for
LOW_HIGH = ((8, 8), (3, 8))
BATCH = 4  # images of the iteration on the core
LINE_SECONDS = 15  # between two lines while waiting
FETCHED = "fashion-mnist"


def add_flags(parser: Parser) -> None:
    what = "data set: fashion-mnist, cifar10 or digits"
    add(parser, "--dataset", shown="fashion-mnist, fetched if need be, else digits", help=what)
    add(parser, "--datadir")
    add(parser, "--steps", default=None, shown="200; 1,000 with --full", help="number of training steps of each run")
    add(parser, "--seeds", shown="1; 3 with --full", help="number of seeds that each precision is trained with")
    add(parser, "--jobs")
    add(
        parser,
        "--full",
        action="store_true",
        help="longer runs, three seeds, tables with spread, a report",
    )
    add(parser, "--no-rtl", action="store_true", help="leave out the iteration on the RTL core, and its compilation")
    add(parser, "--out", default=Path("out", "demo"), help="folder for runs, JSON and page")


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.demonstration.recipe import demonstration
    from cpt_model.training import run_folder

    demonstration(arguments.dataset or FETCHED, arguments.full, {})  # or refuses
    with run_folder.held(arguments.out), compiling(arguments) as compiler:
        return demonstrate(arguments, compiler)


def demonstrate(arguments: argparse.Namespace, compiler: subprocess.Popen | None) -> int:
    from cpt_model.data import load_images
    from cpt_model.demonstration import hours, one_layer
    from cpt_model.demonstration.recipe import demonstration
    from cpt_model.demonstration.watching import Watch
    from cpt_model.experiments import planned_runs

    show = Show(arguments.out, arguments.full)
    print(f"the page: {show.page} (it grows; it can be open meanwhile)\n", flush=True)
    with fetching(arguments) as fetch:
        say("1. What do fewer bits gain in one layer? (zc706 core, by the latency model)")
        print(one_layer.NAME)
        show.layer = one_layer.rows()
        print(as_table(*one_layer.cells(show.layer)))
        print(one_layer.turn(show.layer), flush=True)
        show.write()
        dataset = arguments.dataset or had(fetch)
    given = {name: getattr(arguments, name) for name in ("steps", "datadir")}
    wanted = demonstration(dataset, arguments.full, {name: one for name, one in given.items() if one is not None})
    load_images(dataset, None if arguments.datadir is None else Path(arguments.datadir))  # or refuses
    folder = arguments.out / "runs" / f"{dataset}-{wanted.recipe['steps']}"
    runs = planned_runs(wanted, range(arguments.seeds or wanted.seeds), folder)
    show.wanted, show.runs = wanted, runs

    say(f"2. Does it still learn? {wanted.recipe['arch']}, {wanted.recipe['steps']} whole steps in integers")
    if trained(runs, arguments.jobs, Watch(runs, show.write)):
        return 1
    print(as_table(*show.scores()))
    print(show.score_note(), flush=True)
    show.write()

    say("3. How long is a run of the papers? (zc706 core, by the latency model)")
    show.hours = hours.run_hours()
    print(as_table(*hours.cells(show.hours)))
    print(hours.about(show.hours), flush=True)
    show.write()

    code = 0
    if compiler is not None:
        say("4. Does the hardware compute the same? (tiny core, RTL simulated by Verilator)")
        code = on_the_core(show, compiler, runs, arguments.datadir)
    show.write(growing=False)
    if arguments.full:
        report(show, wanted, runs)
    print(f"\nWhat this showed\n{show.sentence()}\n\nwrote {show.page}, {show.numbers}")
    return code


class Show:
    """What has been found so far, its page and its JSON."""

    def __init__(self, out: Path, full: bool) -> None:
        self.page, self.numbers, self.full = out / "demo.html", out / "demo.json", full
        self.began = time.time()
        self.layer: list[Row] = []
        self.wanted: Experiment | None = None
        self.runs: list[PlannedRun] = []
        self.hours: RunHours | None = None
        self.iterations: list[Iteration] = []

    def accuracies(self) -> dict[str, list[float]]:
        """Of the finished runs, by variant."""
        from cpt_model.training.run_folder import finished

        found: dict[str, list[float]] = {}
        for run in self.runs:
            summary = finished(run.settings)
            if summary is not None and summary.test_accuracy is not None:
                found.setdefault(run.variant.title, []).append(summary.test_accuracy)
        return found

    def scores(self) -> tuple[list[str], list[list[str]]]:
        from cpt_model.demonstration.watching import staircase
        from cpt_model.drawing.spread import Spread, spread

        firsts = {run.variant.title: run for run in reversed(self.runs)}
        rows = [
            [title, staircase(firsts[title]), spread(Spread.of(values)), str(len(values))]
            for title, values in self.accuracies().items()
        ]
        return ["precision", "forward bits over the run", "test accuracy (%)", "seeds"], rows

    def score_note(self) -> str:
        settings = self.runs[0].settings
        tested = "all" if settings.test_limit is None else f"{settings.test_limit:,}"
        note = f"On {tested} test images of {settings.dataset}, at 8 bits, after {settings.steps} steps of"
        note += f" {settings.batch}."
        if len({run.seed for run in self.runs}) == 1:
            note += " One seed each: a difference of a point or two says nothing; --full has three."
        return note

    def sentence(self) -> str:
        """What was found, one saving for each question."""
        parts = []
        found = {title: sum(each) / len(each) for title, each in self.accuracies().items()}
        if len(found) == 2:
            (_, static), (_, cyclic) = found.items()
            parts.append(f"Training at bits that cycle from 3 to 8 reached {cyclic:.1f} %, at 8 bits {static:.1f} %.")
        if len(self.iterations) == 2:
            high, low = self.iterations
            equal = "equal to PyTorch's in every integer" if high.equal and low.equal else "DIFFERENT from PyTorch's"
            parts.append(
                f"A training iteration on the simulated RTL core is {equal}, and takes"
                f" {100 * (1 - low.total / high.total):.1f} % fewer cycles at 3 than at 8 forward bits."
            )
        if self.hours is not None:
            parts.append(f"A run of the papers' ResNet-74 would take {self.hours.saved:.1f} % fewer hours (estimate).")
        return " ".join(parts) or "Computing ..."

    def write(self, growing: bool = True) -> None:
        from cpt_model.demonstration import hours, on_core, one_layer, watching
        from cpt_model.drawing.html import about, found, heading, page, paragraph, table
        from scripts.report import origin, write_whole

        parts = [found(self.sentence()), about(origin("cpt demo"))]
        if self.runs and any(watching.lines_of(run) for run in self.runs):
            parts += [heading("Does it still learn?"), *reversed(watching.pictures(self.runs))]
            if self.accuracies():
                parts += [table(*self.scores()), paragraph(self.score_note())]
        if self.iterations:
            parts += [
                heading("Does the hardware compute the same?"),
                paragraph(on_core.about(self.iterations)),
                on_core.picture(self.iterations),
                table(*on_core.cells(self.iterations, 1, "work")),
                table(*on_core.cells(self.iterations, 0, "layer")),
            ]
        if self.layer:
            parts += [
                heading("What do fewer bits gain in one layer?"),
                paragraph(f"{one_layer.NAME}, on the zc706 core, by the latency model. {one_layer.turn(self.layer)}"),
                one_layer.picture(self.layer),
                table(*one_layer.cells(self.layer)),
            ]
        if self.hours:
            parts += [
                heading("How long is a run of the papers?"),
                paragraph(hours.about(self.hours)),
                hours.picture(self.hours),
                table(*hours.cells(self.hours)),
            ]
        numbers = json.dumps(self.as_json(), indent=1) + "\n"
        write_whole({self.page: page(TITLE, parts, 5 if growing else None), self.numbers: numbers})

    def as_json(self) -> dict[str, Any]:
        return {
            "found": self.sentence(),
            "layer": [
                {"bits": str(row.bits), "forward_cycles": row.forward, "cycles": row.all, "bound": row.bound}
                for row in self.layer
            ],
            "accuracy": self.accuracies(),
            "iterations": [
                {"bits": str(each.bits), "equal": each.equal, "cycles": each.total, "rows": each.cycles}
                for each in self.iterations
            ],
            "hours": None if self.hours is None else vars(self.hours) | {"saved_pct": self.hours.saved},
        }


def say(question: str) -> None:
    print(f"\n{question}\n", flush=True)


@contextmanager
def in_background(module: str, log: Path, *arguments: str) -> Iterator[subprocess.Popen]:
    """A process of the kit's own, in a group that ends with the block."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as stream:
        process = subprocess.Popen(
            [*python_module(module), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()


@contextmanager
def compiling(arguments: argparse.Namespace) -> Iterator[subprocess.Popen | None]:
    """The tiny RTL core, from the first second."""
    if arguments.no_rtl:
        yield None
        return
    with in_background("sim.devices.rtl_library", arguments.out / "rtl.log", "tiny") as process:
        yield process


@contextmanager
def fetching(arguments: argparse.Namespace) -> Iterator[subprocess.Popen | None]:
    """Fashion-MNIST, if no data set was asked for and it is not there."""
    from cpt_model.data import DataError, load_images

    if arguments.dataset is not None:
        yield None
        return
    place = None if arguments.datadir is None else Path(arguments.datadir)
    try:
        load_images(FETCHED, place)
    except DataError:
        print(f"fetching {FETCHED} meanwhile (31 MB)", flush=True)
        flags = [] if place is None else ["--datadir", str(place)]
        with in_background(f"{__package__}.cli", arguments.out / "data.log", "data", FETCHED, *flags) as process:
            yield process
        return
    yield None


def had(fetch: subprocess.Popen | None) -> str:
    """The data set there is, once it has been fetched or not."""
    if fetch is not None and not ended(fetch, DATA_SECONDS, f"fetching {FETCHED}"):
        print(f"{FETCHED} could not be fetched ('cpt data {FETCHED}' says why): the digits of scikit-learn instead")
        return "digits"
    return FETCHED


def ended(process: subprocess.Popen, limit: float, what: str, log: Path | None = None) -> bool:
    """Whether it ended well in time; says now and then that it is waited for, and what its log's last line is."""
    began = printed = time.monotonic()
    while process.poll() is None:
        now = time.monotonic()
        if now - began > limit:
            return False
        if now - printed >= LINE_SECONDS:
            printed = now
            last = log.read_text(errors="replace").strip().splitlines()[-1:] if log and log.exists() else []
            print("".join(last) if last else f"  {what}: {now - began:.0f} s so far", flush=True)
        time.sleep(0.2)
    return process.returncode == 0


def trained(runs: Sequence[PlannedRun], jobs: int, watch: Any) -> bool:
    """Runs what is not finished; whether a run failed."""
    from cpt_model.experiments.processes import run_all
    from cpt_model.training import run_folder

    left = [each for each in runs if run_folder.finished(each.settings) is None]
    if len(left) < len(runs):
        print(f"  {len(runs) - len(left)} of {len(runs)} runs finished before", flush=True)
    failures = run_all(left, jobs, watch)
    for each in failures:
        print(f"cpt: {each.run.variant.title} seed {each.run.seed} failed: {each.message}", file=sys.stderr)
    return bool(failures)


def on_the_core(show: Show, compiler: subprocess.Popen, runs: Sequence[PlannedRun], datadir: str | None) -> int:
    from cpt_model.demonstration import on_core

    log = show.page.with_name("rtl.log")
    if not ended(compiler, RTL_SECONDS, "compiling the core", log):
        print(f"left out: the core could not be compiled; {log} says why")
        return 1
    cyclic = str(next(run.folder for run in runs if len(run.settings.fw_bits) > 1))
    asked = {"folder": cyclic, "batch": BATCH, "datadir": datadir}
    with tempfile.TemporaryDirectory() as scratch:
        answers = [Path(scratch, f"{bits[0]}.json") for bits in LOW_HIGH]
        processes = []
        for bits, answer in zip(LOW_HIGH, answers, strict=True):
            with answer.open("w") as stream:
                process = subprocess.Popen(
                    python_module("cpt_model.demonstration.on_core"), stdin=subprocess.PIPE, stdout=stream
                )
            assert process.stdin
            process.stdin.write(json.dumps(asked | {"bits": bits}).encode() + b"\n")
            process.stdin.close()
            processes.append(process)
        try:
            done = [ended(process, RTL_SECONDS, "simulating the iteration") for process in processes]
        finally:
            for process in processes:
                process.terminate() if process.poll() is None else None
                process.wait()
        if not all(done):
            print("left out: the simulation did not end well")
            return 1
        show.iterations = [on_core.read(answer.read_text()) for answer in answers]
    print(as_table(*on_core.cells(show.iterations, 1, "work")))
    print(f"\n{as_table(*on_core.cells(show.iterations, 0, 'layer'))}")
    print(on_core.about(show.iterations), flush=True)
    return 0 if all(each.equal for each in show.iterations) else 1


def report(show: Show, wanted: Experiment, runs: Sequence[PlannedRun]) -> None:
    """With spread, and the report's own page on the runs."""
    from cpt_model.cost.accelerator import PROFILES
    from cpt_model.experiments.findings import gather
    from cpt_model.experiments.report import notes, render
    from cpt_model.reports.page import html
    from cpt_model.reports.report import make_report
    from scripts.report import origin, write_whole

    results = gather(wanted, runs)
    print(f"\n{render(results)}\n\n" + "\n".join(notes(results)))
    found = make_report([each.folder for each in runs], PROFILES["zc706"])
    page = show.page.with_name("report.html")
    write_whole({page: html(found, origin=origin("cpt demo --full"))})
    print(f"\nthe report on the runs: {page}")
