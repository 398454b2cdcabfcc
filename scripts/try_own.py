"""`cpt try`: a network of one's own through everything: training, cost, the HLS and the RTL device, the report."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripts.flags import add
from scripts.parser import Parser
from sim.common.table import as_table

if TYPE_CHECKING:
    from cpt_model.tracing.counts import ModelCount
    from cpt_model.training import Settings

DESCRIPTION = """\
Takes a class of your own from a file: says what of it is quantised, trains it for some steps at 3-8/8
bits, prints what that saves, sends a training step's products through the C-simulated HLS kernel and
the Verilated RTL core at 8/8 and 3/8 bits, compared with PyTorch result by result, and writes the
report. Its constructor may take classes (or num_classes); the shape of an image comes with the data.
"""
EXAMPLES = """\
  cpt try my.py:Net
  cpt try my.py:Net --dataset fashion-mnist --steps 200 --devices hls
"""
DEVICES = ("hls", "rtl")
BATCH, BUILD = 32, "tiny"
TESTED = 1000  # test images


def add_flags(parser: Parser) -> None:
    what = "network: FILE.py:CLASS, or FILE.py:CLASS:CxHxW with the shape of an image"
    parser.add_argument("network", metavar="NETWORK", help=what)
    add(parser, "--dataset", shown="the one whose images have its shape, else cifar10")
    add(parser, "--datadir")
    add(parser, "--steps", default=30)
    add(parser, "--batch", default=None, shown="32")
    add(parser, "--devices", nargs="*", choices=DEVICES, default=list(DEVICES), help="simulated devices")
    add(parser, "--build", choices=["tiny", "zc706"], default=None, shown="tiny", help="build of the devices")
    add(parser, "--out", shown="out/try/CLASS", help="folder of the run and the report")


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.cost import count
    from cpt_model.data import load_images
    from cpt_model.models import entry, own_network

    settings = settings_of(arguments)
    where = None if settings.datadir is None else Path(settings.datadir)
    data = load_images(settings.dataset, where)
    known = entry(settings.arch)
    network = count(known.make(data.classes), known.example(), policy=known.policy)
    name = own_network(settings.arch).where
    print(f"{name} on {settings.dataset}: {network.macs:,} multiply-accumulates for an image")
    print(as_table(*layers_table(network)))
    if not any(layer.quantised for layer in network.layers):
        raise ValueError(
            f"{name} has nothing to quantise: convolutions and linear layers are, but for the first and last"
        )
    print(whole_steps(settings.arch, data.classes))
    trained(settings)
    costs(network, settings)
    for device in arguments.devices:
        on_device(settings.arch, data.classes, network, device, arguments.build or BUILD)
    report(settings)
    return 0


def settings_of(arguments: argparse.Namespace) -> Settings:
    from scripts import train_flags

    if ".py" not in arguments.network:
        raise ValueError(f"'{arguments.network}': a class of one's own is FILE.py:CLASS, as my.py:Net")
    stated: dict[str, Any] = {"arch": arguments.network, "steps": arguments.steps, "batch": arguments.batch or BATCH}
    stated |= {key: value for key in ("dataset", "datadir") if (value := getattr(arguments, key)) is not None}
    stated = train_flags.own_arch(stated)
    folder = arguments.out or Path("out", "try", stated["arch"].split(":")[-2])
    more = {"fw_bits": [3, 8], "bw_bits": [8], "cycles": 1, "out": folder}
    if stated["dataset"] != "digits":  # which has fewer
        more["test_limit"] = TESTED
    made = train_flags.settings(stated | more)
    return made.changed(warm_up=0, warm_up_lr=None, log_every=max(1, arguments.steps // 10), tensorboard=False)


def layers_table(network: ModelCount) -> tuple[list[str], list[list[str]]]:
    rows = []
    for layer in network.layers:
        if layer.macs:
            how = "quantised" if layer.quantised else "float32"
            why = f"{how}; {layer.foreign[0]}" if layer.foreign else how
            rows.append([layer.name, layer.kind, f"{layer.macs:,}", why])
    return ["layer", "kind", "multiply-accumulates", "it is"], rows


def whole_steps(arch: str, classes: int) -> str:
    from cpt_model.models import entry
    from cpt_model.step.describe import describe

    known = entry(arch)
    try:
        describe(known.make(classes), known.input_shape)  # type: ignore[arg-type]
    except ValueError as problem:
        return f"Its matrix products run on the accelerator, float32 between them. (No whole integer steps: {problem})"
    return "It can also train in whole integer steps: cpt train --step integer."


def trained(settings: Settings) -> None:
    from cpt_model.training import train
    from scripts.train import render

    print(f"\nTraining, {settings.steps} steps at 3-8/8 bits", flush=True)
    print(render(train(settings, resume=True, progress=sys.stderr.isatty())))


def costs(network: ModelCount, settings: Settings) -> None:
    from cpt_model.cost import Run
    from cpt_model.cost.accelerator import PROFILES, AcceleratorBoard
    from cpt_model.cost.comparison import compare
    from host.compiler.layer import LayerError
    from sim.common.units import as_time

    runs = [Run.named(name, 64_000, settings.batch) for name in ("3-8/8", "8/8")]
    print(f"\nCost of a run of 64,000 steps of {settings.batch}, 3-8/8 bits against static 8/8")
    try:
        found = compare(network, runs[0], runs[1], AcceleratorBoard(PROFILES["zc706"]))
    except LayerError as problem:
        print(f"  the core cannot run it: {problem}")
        return
    times = [as_time(3600 * each["all"].hours) for each in (found.run, found.static)]
    print(f"  bit operations      {found.saving_pct('gbitops'):.1f} % fewer")
    print(f"  its matrix products {times[0]} instead of {times[1]} on the zc706 core, estimated")


def on_device(arch: str, classes: int, network: ModelCount, device: str, build: str) -> None:
    from cpt_model.trial import BATCH, fit, stepped
    from host.compiler.bits import Bits
    from sim.contract import Build

    widths = Bits(8, 8), Bits(3, 8)
    fitting = fit(network, Build.named(build), widths)
    what = {"hls": "the HLS kernel in C++", "rtl": "the RTL core, Verilated"}[device]
    print(f"\nOne step of {BATCH} images on {what}, {build} build", flush=True)
    for layer, why in fitting.refused.items():
        hint = "" if build == "zc706" else "; --build zc706 is larger (its RTL compiles for minutes)"
        print(f"  left out: {layer}, {why}{hint}")
    if not fitting.layers:
        print("  no layer fits this build")
        return
    rows = []
    for bits in widths:
        report = stepped(arch, classes, bits, device, build, fitting.layers)
        results = sum(check.results for check in report.checks)
        cycles = f"{sum(check.cycles for check in report.checks):,}"
        rows.append([str(bits), str(len(report.checks)), f"{results:,}", "equal", cycles])
    counted = "cycles" if device == "rtl" else "array steps"
    print(as_table(["bits", "passes", "results", "to PyTorch's", counted], rows, left=(0, 3), indent="  "))


def report(settings: Settings) -> None:
    from cpt_model.cost.accelerator import PROFILES
    from cpt_model.reports.page import as_json, html
    from cpt_model.reports.report import make_report
    from scripts.report import origin, write_whole

    folder = Path(settings.folder)
    found = make_report([folder], PROFILES["zc706"])
    page = folder / "report.html"
    write_whole(
        {
            page: html(found, origin=origin(f"cpt try {settings.arch.rpartition('/')[2]}")),
            page.with_suffix(".json"): json.dumps(as_json(found), indent=1) + "\n",
        }
    )
    print(f"\nthe report: {page}")
