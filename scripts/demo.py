"""`cpt demo`: a small network trained with cyclic and with static precision, side by side, and one layer checked."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cpt_model.experiments import Experiment

TITLE = "Cyclic precision training, a demonstration"
# What about a minute and a half on two cores allows; digits need no download.
SCALES = {
    "digits": {"arch": "digits_resnet_8", "steps": 500, "batch": 64, "lr": 0.05, "seeds": 3},
    "fashion-mnist": {"arch": "fashion_resnet_8", "steps": 500, "batch": 64, "lr": 0.05, "seeds": 1},
    "cifar10": {"arch": "cifar10_resnet_8", "steps": 500, "batch": 64, "lr": 0.05, "seeds": 1},
}


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "demo",
        help="train with cyclic and with static precision on real data, side by side",
        description="Trains a small ResNet with static 8/8 bits and with CPT's 3-8/8 on real data, prints accuracy, "
        "bit operations and board hours side by side, checks one layer's three passes against PyTorch bit by bit "
        "(cpt layer), and writes a page about it all (cpt report). About two minutes on two cores.",
    )
    parser.add_argument(
        "--dataset", default="digits", help=f"{', '.join(SCALES)} (digits); for cifar10 call 'cpt data cifar10' first"
    )
    parser.add_argument("--datadir", help="where the data is, if not in the cache")
    parser.add_argument("--steps", type=int, help="of each run (500)")
    parser.add_argument("--seeds", type=int, help="runs of each precision (digits: 3, else 1)")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time, of one thread each (2)")
    parser.add_argument("--out", type=Path, default=Path("out") / "demo", help="folder for runs, JSON, plot and page")
    parser.set_defaults(run=run)


def demonstration(dataset: str) -> Experiment:
    """The experiment that the demo is."""
    from cpt_model.experiments import Experiment
    from cpt_model.experiments.catalogue import RECIPE, STATIC_VS_CPT

    if dataset not in SCALES:
        raise ValueError(f"--dataset {dataset}: the demo knows {', '.join(SCALES)}")
    scale = dict(SCALES[dataset])
    seeds = scale.pop("seeds")
    assert isinstance(seeds, int)
    variants = tuple(replace(each, paper=None) for each in STATIC_VS_CPT.variants[:2])
    recipe = {**RECIPE, **scale, "dataset": dataset, "log_every": 10, "warm_up": 20}
    return Experiment("demo", "Static or cyclic precision?", "", recipe, variants, seeds)


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.cost.accelerator import PROFILES
    from cpt_model.data import load_images
    from cpt_model.drawing.html import heading
    from cpt_model.drawing.text import render as render_table
    from cpt_model.experiments import planned_runs
    from cpt_model.experiments.findings import gather
    from cpt_model.experiments.report import as_json, notes, render
    from cpt_model.reports.page import as_json as report_json
    from cpt_model.reports.page import html
    from cpt_model.reports.report import make_report
    from cpt_model.reports.tables import headline
    from cpt_model.training import run_folder
    from scripts import layer, layer_report
    from scripts.experiment import carry_out
    from scripts.report import write_whole

    wanted = demonstration(arguments.dataset)
    given = {name: getattr(arguments, name) for name in ("steps", "datadir")}
    wanted = wanted.changed({name: value for name, value in given.items() if value is not None})
    seeds = wanted.seeds if arguments.seeds is None else arguments.seeds
    for name, value in (("--seeds", seeds), ("--jobs", arguments.jobs)):
        if value < 1:
            raise ValueError(f"{name} {value}: must be 1 or more")
    load_images(arguments.dataset, None if arguments.datadir is None else Path(arguments.datadir))  # or it says why not
    runs = planned_runs(wanted, range(seeds), arguments.out / "runs")
    for each in runs:  # a demonstration begins anew
        run_folder.clear(each.folder)

    print(f"1. Training {wanted.recipe['arch']} on {arguments.dataset}, static 8/8 bits beside CPT's 3-8/8\n")
    if carry_out(wanted, runs, arguments.jobs, minutes=None):
        return 1
    results = gather(wanted, runs)
    print(f"\n{render(results)}\n\n" + "\n".join(notes(results)))

    print(f"\n2. {layer.INTRODUCTION}\n")
    rows = layer.measure()
    print(layer.as_table(rows))

    report = make_report([each.folder for each in runs], PROFILES["zc706"])
    print(f"\n3. Both on our core\n\n{render_table(*headline(report))}\n\n{report.estimate}")

    out = arguments.out
    numbers, image, page = (out / name for name in ("demo.json", "layer.png", "demo.html"))
    layer_report.draw(rows, image)
    more = [heading(layer_report.TITLE), *layer_report.parts(rows, image)]
    training = json.loads(as_json(results))
    content = {"training": training, "report": report_json(report), "layer": [asdict(row) for row in rows]}
    write_whole({page: html(report, TITLE, more), numbers: json.dumps(content, indent=1) + "\n"})
    print(f"\nwrote {numbers}, {image}\nthe report on all of it: {page}")
    return 0 if layer.agrees(rows) else 1
