"""`python -m host.compiler.step`: the memory that a network's whole iterations need, and the bytes they move."""

from __future__ import annotations

import argparse
import sys

from host.compiler.bits import Bits
from host.compiler.plan import PlanError
from host.compiler.step.networks import named
from host.compiler.step.program import WIDEST, StepProgram
from host.compiler.step.traffic import traffic
from host.compiler.step.widths import LEAST_BITS
from sim.common.flag_types import whole
from sim.common.leaving import run_and_leave
from sim.contract import BUILDS, Build


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m host.compiler.step", description=__doc__.split(": ", 1)[1])
    parser.add_argument("--arch", default="cifar10_resnet_74", help="network (default: cifar10_resnet_74)")
    parser.add_argument("--batch", type=whole(), default=128, help="images of an iteration (default: 128)")
    parser.add_argument("--bits", type=int, nargs=2, default=tuple(WIDEST), metavar=("FW", "BW"), help="widest bits")
    parser.add_argument("--evaluation-batch", type=whole(), help="images of an evaluation list (default: the batch)")
    parser.add_argument("--build", choices=list(BUILDS), default="zc706", help="build of the core (default: zc706)")
    parser.add_argument("--limit", type=whole(), help="bytes of memory there are (default: any)")
    parser.add_argument("--pieces", action="store_true", help="every piece of the region")
    chosen = parser.parse_args(arguments)
    try:
        bits, build = Bits(*chosen.bits), Build.named(chosen.build)
        network = named(chosen.arch)
        program = StepProgram(network, chosen.batch, build, bits, chosen.evaluation_batch, chosen.limit)
    except (PlanError, ValueError) as problem:
        print(f"step: {problem}", file=sys.stderr)
        return 2
    if chosen.pieces:
        print(program.plan.describe())
    _, shared = program.plan.pieces["shared by all that passes"]
    print(f"{chosen.arch}, batch {chosen.batch}, up to {bits} bits: {program.bytes:,} bytes in one piece")
    kept = program.bytes - shared
    print(f"  kept (weights, parameters, records, lists): {kept:,}; shared by all that passes: {shared:,}")
    print("bits  commands  bytes of maps an element: forward  backward    all   (before any results were seen)")
    for forward in range(max(3, LEAST_BITS), bits.forward + 1):
        lists = program.training(Bits(forward, bits.backward))
        count = len(lists.forward.commands) + len(lists.backward.commands)
        print(f"{forward:2}/{bits.backward:<2} {count:8}" + " " * 26 + traffic(lists).row())
    return 0


if __name__ == "__main__":
    run_and_leave(main)
