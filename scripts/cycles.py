"""`cpt cycles`: cycles of layers on the RTL core, with a modelled DDR, compared with what array and memory allow."""

from __future__ import annotations

import argparse
import json
from typing import Any

from scripts.flags import WIDTH, add, add_memory, add_rows, core_of, simulated_memory
from scripts.parser import Parser
from sim.common.flag_types import path
from sim.common.progress import watched

DESCRIPTION = """\
Runs a grid of layers, passes and widths on the Verilated core. Results have 16 bits; in some passes
they are narrower, or have row sums (column 'stored').
'ratio' is cycles over the larger of two bounds: bit operations by the array's binary MACs, bytes by
the memory's bandwidth. 'per bit' is cycles over a_bits·b_bits, relative to the layer's widest
operands, where the array's bound rules.
"""
EXAMPLES = """\
  cpt cycles --body --out out/cycles.json
  cpt cycles --only '*k1*' --operand-bits 8 8
  cpt cycles --body --show vivado/cycles.json
  cpt cycles --savings --show vivado/cycles.json
"""


def add_flags(parser: Parser) -> None:
    add(parser, "--build")
    add(parser, "--body", action="store_true", help="only the body layers of a CIFAR ResNet, with 16-bit results")
    what = "the random layers, or networks, that the latency model is checked on"
    add(parser, "--unseen", action="store_true", help=what)
    what = "every command of whole training steps of small random networks instead; needs --out"
    add(parser, "--whole-steps", action="store_true", help=what)
    add(parser, "--only", type=as_pattern, help="shell pattern of the layers or passes to run")
    what = "the only pair of operand widths to run"
    add(parser, "--operand-bits", type=WIDTH, nargs=2, metavar=("A", "B"), help=what, old=["--bits"])
    add_memory(parser)
    add(parser, "--latency")
    add_rows(parser)
    add(parser, "--verify", action="store_true", help="compare every result with the reference")
    add(parser, "--json")
    add(parser, "--out", metavar="FILE", help="file to write the JSON to as well")
    what = "with --show: what 3x3 bits leave of each pass's cycles at 8x8, and why not less"
    add(parser, "--savings", action="store_true", help=what)
    add(parser, "--show", type=path, metavar="FILE", help="file of --out to print the table of, without a simulation")


def as_pattern(text: str) -> str:
    """A shell pattern; plain text matches wherever it occurs.

    >>> as_pattern("forward"), as_pattern("conv:*k1*")
    ('*forward*', 'conv:*k1*')
    """
    return text if any(sign in text for sign in "*?[") else f"*{text}*"


def run(arguments: argparse.Namespace) -> int:
    from host.measure.cycle_grid import BODY
    from host.measure.efficiency import efficiency, read_rows, savings

    if arguments.show is not None:
        if arguments.unseen:
            raise ValueError(f"--unseen: the layers are those of {arguments.show}; leave out the flag")
        layers = BODY if arguments.body else None
        rows = read_rows(arguments.show, arguments.only, layers, arguments.operand_bits)
        table = savings if arguments.savings else efficiency
        print(json.dumps(rows, indent=2) if arguments.json else table(rows))
        return 0
    if arguments.savings:
        raise ValueError("--savings: give --show, a file of simulated cycles, as vivado/cycles.json")
    if arguments.whole_steps:
        return simulated_steps(arguments)
    result = simulated(arguments)
    print(json.dumps(result, indent=2) if arguments.json else efficiency(result["points"]))
    return 0


def simulated_steps(arguments: argparse.Namespace) -> int:
    """The networks that the model was corrected on, or is only examined on; those that are done are in the file."""
    from host.measure.step_cycles import draw_rows, write_steps
    from sim.contract import Build
    from sim.devices.rtl_executor import RtlExecutor

    if arguments.out is None:
        raise ValueError("--whole-steps: give --out, a file for the commands")
    executor = RtlExecutor(Build.named(arguments.build), simulated_memory(arguments))
    rows: list[dict[str, Any]] = []
    for found in draw_rows(executor, "unseen" if arguments.unseen else "fitted on"):
        write_steps(arguments.out, executor, rows := rows + found)
    print(f"wrote {arguments.out}: {len(rows)} rows; cpt latency compares them with the model")
    return 0


def simulated(arguments: argparse.Namespace) -> dict[str, Any]:
    """Points of the grid; those that are done are in the file if the rest is interrupted."""
    from host.measure.cycle_grid import grid, measure, unseen
    from sim.common.files import write_atomically
    from sim.contract import Build
    from sim.devices.rtl_executor import RtlExecutor

    build = Build.named(arguments.build)
    points = [
        point
        for point in (unseen(build) if arguments.unseen else grid(arguments.body))
        if point.matches(arguments.only, arguments.operand_bits)
    ]
    if not points:
        raise ValueError(f"no point of the grid matches '{arguments.only}' and these widths")
    executor = RtlExecutor(build, simulated_memory(arguments))
    rows: list[dict[str, Any]] = []
    result = {**core_of(executor), "points": rows}
    for point in watched(points, "simulating", "passes"):
        rows.append(measure(executor, point, arguments.verify))
        if arguments.out:
            write_atomically(arguments.out, json.dumps(result, indent=1) + "\n")
    return result
