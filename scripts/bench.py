"""`cpt bench`: speeds on this machine, each next to what it should be compared with."""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module

from scripts.flags import add
from scripts.parser import Parser
from sim.common.table import as_table

BENCHMARKS = {
    "reference": "the NumPy reference and the packing of codes",
    "train": "a bit-exact 8/8 training step of ResNet-20, batch 128, two threads; float32; fake quantisation",
    "data": "batches of 128 CIFAR-10 images, and their share of a bit-exact ResNet-20 CPT 3-8/8 step, two threads",
    "accuracy": "test accuracy of a small net on digits, bit-exact and fake-quantised, --repeat seeds each",
    "authors": "what the CPT authors' weights in the input error change, ResNet-8 and -74, --repeat seeds each",
    "coverage": "what of other people's networks is quantised: timm's and Hugging Face's, those that are installed",
    "cost": "bit operations of a run of ResNet-164, and plain loops; latency of one of ResNet-74, and SCALE-Sim",
    "board": "the host's share of an iteration of ResNet-20, batch 128, on the board, by the latency model",
    "driver": "what the driver adds to a command list, on a simulated device that does nothing",
    "hls": "the C-simulated HLS kernel, one core: multiply-accumulates a second, an iteration of ResNet-8",
}
LINES = "\n".join(f"  {name:10} {what}" for name, what in BENCHMARKS.items())
DESCRIPTION = f"Runs the benchmarks named, or all of them:\n\n{LINES}"
EXAMPLES = """\
  cpt bench train --repeat 3
  cpt bench reference driver --json
"""


def add_flags(parser: Parser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmark to run (default: all)")
    add(parser, "--repeat", help="number of runs of each measurement, of which the best counts")
    add(parser, "--json")


def run(arguments: argparse.Namespace) -> int:
    unknown = set(arguments.names) - set(BENCHMARKS)
    if unknown:
        raise ValueError(f"no benchmark '{sorted(unknown)[0]}'; there are: {', '.join(BENCHMARKS)}")
    from cpt_model.benchmarks.timing import Others

    results = {}
    for name in arguments.names or BENCHMARKS:
        with Others() as others:
            results[name] = import_module(f"cpt_model.benchmarks.{name}").measure(arguments.repeat)
        if remark := others.remark():
            print(f"cpt: bench {name}: {remark}", file=sys.stderr)
        if not arguments.json:
            print(f"{name}: {BENCHMARKS[name]}")
            rows = [(what, f"{value:,.3f}") for what, value in results[name].items()]
            print(as_table(None, rows, indent="  "))
    if arguments.json:
        print(json.dumps(results, indent=2))
    return 0
