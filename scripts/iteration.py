"""`cpt iteration`: one whole training iteration of a network on the full-size RTL core."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from host.compiler.networks import full_name
from scripts.flags import WIDTH, add, add_memory, add_rows, core_of, simulated_memory
from scripts.parser import Parser
from sim.common.progress import Progress

if TYPE_CHECKING:
    from sim.devices.rtl_executor import RtlExecutor

DESCRIPTION = """\
Runs every layer's passes of one training iteration on the Verilated core with a modelled DDR, and
writes their counters. The results of every shape are compared with the reference once. Gradients are
exact accumulators. An interrupted simulation continues where it stopped. No board is involved.
With --whole-step everything between the products runs on the core too, and cycles are added up by
layer and kind of work.
"""
EXAMPLES = """\
  cpt iteration --arch cifar10_resnet_74 --fw-bits 3      # six minutes on one core
  cpt iteration --arch cifar10_resnet_8 --batch 1 --build tiny
  cpt iteration --arch cifar10_resnet_20 --batch 16 --whole-step      # minutes
"""


def add_flags(parser: Parser) -> None:
    what = "CIFAR ResNet, by the CPT authors' names"
    add(parser, "--arch", type=full_name, default="cifar10_resnet_74", help=what, old=["--network"])
    add(parser, "--batch")
    one = {"type": WIDTH, "nargs": None, "action": None, "default": 8}
    add(parser, "--fw-bits", **one, help="width of weights and activations")
    add(parser, "--bw-bits", **one, help="width of errors")
    add(parser, "--results")
    add(parser, "--build")
    add_memory(parser)
    add(parser, "--latency")
    add_rows(parser)
    what = "the first whole training step in integers, on random images, instead of matrix passes"
    add(parser, "--whole-step", action="store_true", help=what)
    add(parser, "--no-verify", action="store_true", help="do not compare results with the reference")
    add(parser, "--out", metavar="FILE", shown="out/iterations/ARCH-BUILD-FW-BW.json", help="JSON file of all counters")


def run(arguments: argparse.Namespace) -> int:
    from host.compiler.bits import Bits
    from host.compiler.jobs import Step, training_jobs
    from host.compiler.networks import named_network
    from host.measure.iteration import LIST_PASSES, simulated, summary
    from sim.contract import Build
    from sim.devices.rtl_executor import RtlExecutor

    if arguments.whole_step:
        return whole_step(arguments)
    network = named_network(arguments.arch, arguments.batch)
    jobs = list(training_jobs(network, [Step(0, Bits(arguments.fw_bits, arguments.bw_bits))]))
    executor = RtlExecutor(Build.named(arguments.build), simulated_memory(arguments))
    heading = {"network": arguments.arch, **settings(arguments, executor), "results": arguments.results}
    heading["list_passes"] = LIST_PASSES
    out = out_of(arguments)
    with Progress(len(jobs), out.stem, "passes") as bar:
        rows = simulated(executor, jobs, heading, out, not arguments.no_verify, bar.update)
    print(summary(rows, arguments.clock_mhz))
    print(f"wrote {out}")
    return 0


def whole_step(arguments: argparse.Namespace) -> int:
    """One iteration of the network as command lists; nothing of it is compared."""
    from host.compiler.bits import Bits
    from host.compiler.step.networks import named
    from host.measure.step_iteration import simulated, summary, write
    from sim.contract import Build
    from sim.devices.rtl_executor import RtlExecutor

    network, bits = named(arguments.arch), Bits(arguments.fw_bits, arguments.bw_bits)
    executor = RtlExecutor(Build.named(arguments.build), simulated_memory(arguments))
    found = simulated(executor, network, arguments.batch, bits)
    out = out_of(arguments)
    write(out, {"arch": arguments.arch, **settings(arguments, executor)}, found)
    print(f"{summary(found, arguments.clock_mhz)}\nwrote {out}")
    return 0


def settings(arguments: argparse.Namespace, executor: RtlExecutor) -> dict[str, Any]:
    """What a file says of the core, its memory and the iteration."""
    return {
        "batch": arguments.batch,
        "fw_bits": arguments.fw_bits,
        "bw_bits": arguments.bw_bits,
        **core_of(executor),
    }


def out_of(arguments: argparse.Namespace) -> Path:
    names = [arguments.arch, arguments.build, f"{arguments.fw_bits}-{arguments.bw_bits}"]
    if arguments.whole_step:
        names.append(f"step-{arguments.batch}")
    return arguments.out or Path("out", "iterations", f"{'-'.join(names)}.json")
