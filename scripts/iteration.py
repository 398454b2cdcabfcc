"""`cpt iteration`: one whole training iteration of a network on the full-size RTL core."""

from __future__ import annotations

import argparse
from pathlib import Path

from host.compiler.networks import full_name
from scripts.flags import WIDTH, add, add_memory, add_rows, simulated_memory
from scripts.parser import Parser

DESCRIPTION = """\
Runs every layer's passes of one training iteration on the Verilated core with a modelled DDR, and
writes their counters. The results of every shape are compared with the reference once. Gradients are
exact accumulators. An interrupted simulation continues where it stopped. No board is involved.
"""
EXAMPLES = """\
  cpt iteration --arch cifar10_resnet_74 --fw-bits 3      # six minutes on one core
  cpt iteration --arch cifar10_resnet_8 --batch 1 --build tiny
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
    add(parser, "--no-verify", action="store_true", help="do not compare results with the reference")
    add(parser, "--out", metavar="FILE", shown="out/iterations/ARCH-BUILD-FW-BW.json", help="JSON file of all counters")


def run(arguments: argparse.Namespace) -> int:
    from tqdm import tqdm

    from host.compiler.bits import Bits
    from host.compiler.jobs import Step, training_jobs
    from host.compiler.networks import named_network
    from host.measure.iteration import LIST_PASSES, simulated, summary
    from sim.contract import Build
    from sim.devices.rtl_executor import RtlExecutor

    network = named_network(arguments.arch, arguments.batch)
    jobs = list(training_jobs(network, [Step(0, Bits(arguments.fw_bits, arguments.bw_bits))]))
    executor = RtlExecutor(Build.named(arguments.build), simulated_memory(arguments))
    heading = {
        "network": arguments.arch,
        "batch": arguments.batch,
        "fw_bits": arguments.fw_bits,
        "bw_bits": arguments.bw_bits,
        "results": arguments.results,
        "build": executor.build.parameters(),
        "bytes_per_cycle": executor.ddr.bytes_per_cycle,
        "latency": executor.ddr.latency,
        "row_miss": executor.ddr.row_miss,
        "turnaround": executor.ddr.turnaround,
        "list_passes": LIST_PASSES,
    }
    bits = f"{arguments.fw_bits}-{arguments.bw_bits}"
    out: Path = arguments.out or Path("out", "iterations", f"{arguments.arch}-{arguments.build}-{bits}.json")
    with tqdm(total=len(jobs), unit="pass", desc=bits) as bar:
        rows = simulated(executor, jobs, heading, out, not arguments.no_verify, bar.update)
    print(summary(rows, arguments.clock_mhz))
    print(f"wrote {out}")
    return 0
