"""`cpt demo`: a small network trained with cyclic and with static precision, side by side, and one layer checked."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.flags import add
from scripts.parser import Parser
from sim.common.table import as_table

if TYPE_CHECKING:
    from cpt_model.experiments import Experiment, PlannedRun

TITLE = "Cyclic precision training, a demonstration"
DESCRIPTION = """\
Trains a small ResNet with static 8/8 bits and with CPT's 3-8/8 on real data, prints accuracy, bit
operations and board hours side by side, checks one layer's three passes against PyTorch bit by bit
('cpt layer'), and writes a page about it all ('cpt report'). About two minutes on two cores.
"""
EXAMPLES = """\
  cpt demo
  cpt demo --dataset cifar10 --steps 2000      (after 'cpt data cifar10')
"""


def add_flags(parser: Parser) -> None:
    add(parser, "--dataset", default="digits", shown="digits", help="data set: digits, fashion-mnist or cifar10")
    add(parser, "--datadir")
    add(parser, "--steps", default=None, shown="500", help="number of training steps of each run")
    add(parser, "--seeds", shown="3 for digits, else 1", help="number of seeds that each precision is trained with")
    add(parser, "--jobs")
    add(parser, "--out", default=Path("out", "demo"), help="folder for runs, JSON, plot and page")


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.data import load_images
    from cpt_model.experiments import planned_runs
    from cpt_model.experiments.demonstration import demonstration
    from cpt_model.training import run_folder

    given = {name: getattr(arguments, name) for name in ("steps", "datadir")}
    changes = {name: value for name, value in given.items() if value is not None}
    wanted = demonstration(arguments.dataset, changes)
    load_images(arguments.dataset, None if arguments.datadir is None else Path(arguments.datadir))  # or refuses
    runs = planned_runs(wanted, range(arguments.seeds or wanted.seeds), arguments.out / "runs")
    with run_folder.held(arguments.out):  # another demonstration there would clear these runs
        return demonstrate(wanted, runs, arguments)


def demonstrate(wanted: Experiment, runs: list[PlannedRun], arguments: argparse.Namespace) -> int:
    from cpt_model.cost.accelerator import PROFILES
    from cpt_model.drawing.html import heading
    from cpt_model.experiments.findings import gather
    from cpt_model.experiments.report import as_json, notes, render
    from cpt_model.reports import layer, layer_plot
    from cpt_model.reports.page import as_json as report_json
    from cpt_model.reports.page import html
    from cpt_model.reports.report import make_report
    from cpt_model.reports.tables import headline
    from cpt_model.training import run_folder
    from scripts.experiment import carry_out
    from scripts.report import write_whole

    for each in runs:  # a demonstration starts afresh
        run_folder.clear(each.folder)

    print(f"1. Training {wanted.recipe['arch']} on {arguments.dataset}, static 8/8 bits and CPT's 3-8/8\n")
    if carry_out(wanted, runs, arguments.jobs, minutes=None):
        return 1
    results = gather(wanted, runs)
    print(f"\n{render(results)}\n\n" + "\n".join(notes(results)))

    print(f"\n2. {layer.INTRODUCTION}\n")
    rows = layer.measure()
    print(as_table(*layer.cells(rows), layer.LEFT))

    report = make_report([each.folder for each in runs], PROFILES["zc706"])
    print(f"\n3. Both on our core\n\n{as_table(*headline(report))}\n\n{report.estimate}")

    out = arguments.out
    numbers, image, page = (out / name for name in ("demo.json", "layer.png", "demo.html"))
    layer_plot.draw(rows, image)
    more = [heading(layer_plot.TITLE), *layer_plot.parts(rows, image)]
    training = json.loads(as_json(results))
    content = {"training": training, "report": report_json(report), "layer": [asdict(row) for row in rows]}
    write_whole({page: html(report, TITLE, more), numbers: json.dumps(content, indent=1) + "\n"})
    print(f"\nwrote {numbers}, {image}\nthe report on all of it: {page}")
    return 0 if layer.agrees(rows) else 1
