"""`cpt board train`: from images to weights on a device, without PyTorch."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from scripts import train_flags
from scripts.flags import add
from scripts.parser import Parser
from sim.common.flag_types import path

DESCRIPTION = """\
Trains a network in whole integer steps on a device: the run of 'cpt train --step integer' with the
same flags and recipes, bit for bit, with NumPy and pynq alone. Its folder is read by 'cpt report';
--automatic_resume continues it, however it ended.
"""


# Flags of `cpt train` that mean nothing on a device.
FOREIGN = ("cmd", "resume", "recipes", "threads", "workers", "length", "latency", "swa_every")


def add_flags(parser: Parser) -> None:
    parser.argument_default = argparse.SUPPRESS
    train_flags.add_all(parser)
    for action in parser._actions:
        if action.dest in FOREIGN:
            action.help = argparse.SUPPRESS
        if "--recipe" in action.option_strings:
            action.help = "recipe, by its name in 'cpt train --recipes' (default: the network's)"
    what = "NPZ file of the weights to begin with ('cpt board convert --floats' writes it)"
    add(parser, "--weights", type=path, metavar="FILE", shown="drawn by the seed", help=what)


def run(arguments: argparse.Namespace) -> int:
    from host.driver.devices import open_device
    from host.training import host_time
    from host.training.recipe_names import read_plain
    from host.training.run import train
    from host.training.settings import Settings
    from host.training.signals import Stopped

    stated = {name: value for name, value in vars(arguments).items() if name != "run"}
    device, build, bitfile = (stated.pop(name, None) for name in ("device", "build", "bitfile"))
    where = {name: stated.pop(name, None) for name in ("registers", "memory")}
    refuse_foreign(stated)
    settings = train_flags.settings_of(stated, Settings.names(), Settings.from_dict, read_plain)
    if stated.get("dry_run"):
        print(json.dumps(settings.to_dict(), indent=2))
        return 0
    with open_device(device, build, bitfile, **where) as accelerator:
        try:
            how = stated.get("automatic_resume", False), stated.get("overwrite", False)
            summary = train(settings, accelerator, *how, weights=stated.get("weights"))
        except Stopped as end:
            print(f"cpt: {end}", file=sys.stderr)
            return end.code
    print(render(summary))
    print(host_time.render(Path(settings.folder)))
    return 0


def refuse_foreign(stated: dict[str, Any]) -> None:
    for name in FOREIGN:
        if name in stated:
            raise ValueError(f"--{name.replace('_', '-')} is a flag of 'cpt train', not of 'cpt board train'")


def render(summary: dict[str, Any]) -> str:
    forward, backward = summary["eval_bits"]
    return (
        f"{summary['arch']} on {summary['dataset']}, {summary['precision']}, seed {summary['seed']},"
        f" {summary['steps']} steps of {summary['batch']}\n"
        f"  test accuracy {summary['test_accuracy']:.2f} % (best {summary['best_accuracy']:.2f} %),"
        f" at {forward}/{backward} bits\n"
        f"  {summary['gbitops']:.4g} GBitOPs ({summary['saving_gbitops_pct']:.1f} % less than static)\n"
        f"  {summary['seconds']:.0f} s here; {summary['folder']}"
    )
