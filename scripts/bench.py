"""`cpt bench`: speeds on this machine, each beside what it is to be compared with."""

from __future__ import annotations

import argparse
import json
from importlib import import_module

BENCHMARKS = {
    "reference": "the NumPy reference and the packing",
    "train": "a bit-exact 8/8 training step of ResNet-20, batch 128, two threads, beside float32 and fake quantisation",
    "data": "batches of 128 CIFAR-10 images, and their share of a bit-exact ResNet-20 CPT 3-8/8 step, two threads",
    "accuracy": "test accuracy of a small net on digits, ours beside fake quantisation, --repeat seeds each",
    "cost": "bit operations of 64,000 CPT iterations of ResNet-164, beside a plain loop over iterations and layers; "
    "latency of such a schedule of ResNet-74, beside SCALE-Sim v3's one forward pass of one image, if it is installed",
    "driver": "what the driver adds to a command list, on a simulated device that has nothing to do",
    "hls": "the C-simulated HLS kernel, one core: multiply-accumulates a second and a training iteration of ResNet-8",
}


def add_parser(commands: argparse._SubParsersAction) -> None:
    known = "; ".join(f"{name}: {what}" for name, what in BENCHMARKS.items())
    parser = commands.add_parser(
        "bench",
        help="measure speeds on this machine",
        description=f"Runs the benchmarks named, or all of them. {known}.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ({', '.join(BENCHMARKS)}; default: all)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each measurement; the best counts (5)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    unknown = set(arguments.names) - set(BENCHMARKS)
    if unknown:
        raise ValueError(f"no benchmark '{sorted(unknown)[0]}'; there are: {', '.join(BENCHMARKS)}")
    if arguments.repeat < 1:
        raise ValueError(f"--repeat {arguments.repeat}: must be 1 or more")
    results = {}
    for name in arguments.names or BENCHMARKS:
        results[name] = import_module(f"{__package__}.benchmarks.{name}").measure(arguments.repeat)
        if not arguments.json:
            print(f"{name}: {BENCHMARKS[name]}")
            for what, value in results[name].items():
                print(f"  {what:45} {value:12,.3f}")
    if arguments.json:
        print(json.dumps(results, indent=2))
    return 0
