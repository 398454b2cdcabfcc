"""`python -m host.compiler.memory_need`: the contiguous memory a network needs, and the boot option that gives it.

A region holds one pass: both operands, the result, the row sums and the commands. The driver that streams layers fills
a second region while the core works on the first.

>>> largest_pass(named_network("cifar10_resnet_20", batch=8), Bits(8, 8), Build.named("zc706")).bytes
429184
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from host.compiler.bits import Bits
from host.compiler.command_list import CommandList
from host.compiler.jobs import pass_precision
from host.compiler.layer import Conv, Pass
from host.compiler.lower import lower
from host.compiler.networks import named_network
from host.compiler.plan import Plan
from host.compiler.results import Results, stored_results
from sim.common.flag_types import whole
from sim.common.leaving import run_and_leave
from sim.contract import BUILDS, Build

MIB = 1 << 20
REGIONS = 2  # one is filled while the core works on the other
SPARE = 64 * MIB  # for Ethernet, USB and whatever else takes from the same pool
STEP = 32 * MIB
# The kernel takes its pool from low memory, of which a 32-bit Linux has about 760 MiB.
MOST = 512 * MIB


@dataclass(frozen=True)
class Need:
    """What a pass needs."""

    layer: str
    which: Pass
    bytes: int


def pass_need(name: str, layer: Conv, which: Pass, bits: Bits, build: Build, results: Results) -> Need:
    """One pass in a region of its own."""
    precision, plan = pass_precision(which, bits), Plan()
    output = stored_results(layer, which, precision, results)
    CommandList.place([lower(layer, which, precision, build, output, plan=plan)], plan)
    return Need(name, which, plan.bytes)


def largest_pass(layers: Mapping[str, Conv], bits: Bits, build: Build, results: Results = Results.ROUNDED) -> Need:
    needs = (pass_need(name, layer, which, bits, build, results) for name, layer in layers.items() for which in Pass)
    return max(needs, key=lambda need: need.bytes)


def boot_option(need: int) -> int:
    """Bytes for `cma=`: the regions and what others take, in whole steps.

    >>> boot_option(16 * MIB) // MIB
    96
    """
    return -(-(REGIONS * need + SPARE) // STEP) * STEP


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=f"python -m {__package__}.memory_need", description=__doc__.split("\n")[0])
    what = "network, by the CPT authors' names (default: %(default)s)"
    parser.add_argument("--arch", metavar="NAME", default="cifar10_resnet_74", help=what)
    parser.add_argument(
        "--depth", dest="arch", type="resnet{}".format, default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )
    what = "number of samples in a training step (default: %(default)s)"
    parser.add_argument("--batch", type=whole(), metavar="N", default=128, help=what)
    what = "greatest forward and backward width of a run (default: 8 8)"
    parser.add_argument("--bits", type=whole(1, 16), nargs=2, default=(8, 8), metavar=("FW", "BW"), help=what)
    what = "build of the core (default: %(default)s)"
    parser.add_argument("--build", choices=list(BUILDS), default="zc706", help=what)
    parser.add_argument("--exact", action="store_true", help="store exact accumulators, for checking")
    chosen = parser.parse_args(arguments)
    try:
        layers = named_network(chosen.arch, chosen.batch)
        results = Results.EXACT if chosen.exact else Results.ROUNDED
        need = largest_pass(layers, Bits(*chosen.bits), Build.named(chosen.build), results)
    except ValueError as problem:
        print(f"memory_need: {problem}", file=sys.stderr)
        return 2
    option = boot_option(need.bytes)
    print(f"largest pass: {need.layer}, {need.which.value}: {need.bytes:,} bytes in one piece")
    print(f"{REGIONS} regions and {SPARE // MIB} MiB for others: cma={option // MIB}M")
    if option > MOST:
        print(f"that is more than the {MOST // MIB} MiB or so that a 32-bit kernel can reserve: use a smaller batch")
    return 0


if __name__ == "__main__":
    run_and_leave(main)
