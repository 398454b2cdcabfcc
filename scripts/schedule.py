"""`cpt schedule`: bounds and cycles of a precision schedule that fit a number of hours."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scripts.cost import add_host, board_of, in_words
from scripts.flags import add
from scripts.parser import Parser
from sim.common.flag_types import above_zero
from sim.common.table import as_table

if TYPE_CHECKING:
    from cpt_model.cost.budget import Choice, Proposal

DESCRIPTION = """\
Proposes the bounds of a precision schedule, and its number of cycles, so that a training run takes at
most a given number of hours on the accelerator, by the model: an estimate, as 'cpt cost' prints it. The
highest upper bound comes first, then the highest lower one. Where nothing fits, it says how many steps do.
How low a network's bounds may be, 'cpt range-test' finds out.
"""
EXAMPLES = """\
  cpt schedule --arch cifar100_resnet_74 --budget-hours 5
  cpt schedule --arch cifar10_resnet_20 --budget-hours 2 --clock-mhz 100 --fw-bits 4 8 --schedule RR
"""
MOST_ROWS = 10


def add_flags(parser: Parser) -> None:
    add(parser, "--arch", required=True)
    what = "most hours that the run may take"
    parser.add_argument("--budget-hours", type=above_zero, required=True, metavar="HOURS", help=what)
    add(parser, "--fw-bits", help="least and greatest width of weights and activations to propose")
    add(parser, "--bw-bits", nargs=None, action=None, default=8, help="width of errors and gradients")
    add(parser, "--schedule")
    add(parser, "--cycles", default=None, shown="one for 2,000 steps, as in the CPT paper")
    add(parser, "--steps")
    add(parser, "--batch")
    add(parser, "--profile")
    add(parser, "--clock-mhz", default=None, shown="the profile's")
    add(parser, "--bandwidth", default=None, shown="the profile's")
    add(parser, "--results", default=None, shown="the profile's, else rounded")
    add_host(parser)
    add(parser, "--json")
    parser.set_defaults(layers=False)


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.cost import count_network
    from cpt_model.cost.budget import propose
    from cpt_model.cost.whole_step import hours_of_step

    board, low, high = board_of(arguments), arguments.fw_bits[0], arguments.fw_bits[-1]
    count = count_network(arguments.arch)
    widest = [(width, arguments.bw_bits) for width in range(low, high + 1)]
    of_step = hours_of_step(arguments.arch, count, arguments.batch, board, widest)
    name = arguments.schedule or "cpt"
    found = propose(
        *(of_step, arguments.budget_hours, (low, high), arguments.bw_bits, arguments.steps, arguments.batch, name),
        cycles=arguments.cycles,
    )
    values = as_values(arguments, of_step.of, found)
    if arguments.json:
        print(json.dumps(values, indent=2))
        return 0
    print(
        f"{arguments.arch}, {arguments.steps:,} steps of {arguments.batch} samples in at most "
        f"{arguments.budget_hours:g} hours\n{in_words(board)}; hours of {of_step.of}, an estimate\n"
    )
    if found.choices:
        print(render(found.choices, name, arguments.bw_bits))
        best = found.choices[0]
        flags = f"--fw-bits {best.low} {best.high}" if not best.is_static else f"--fw-bits {best.high}"
        flags += f" --schedule {name} --cycles {best.cycles}" if not best.is_static else ""
        print(f"\nproposed: {flags} --bw-bits {arguments.bw_bits}")
    else:
        print("No bounds fit. As many steps do:\n" if found.shorter else "No bounds fit, not even for one cycle.")
        if found.shorter:
            print(render(found.shorter, name, arguments.bw_bits))
    return 0


def as_values(arguments: argparse.Namespace, of: str, found: Proposal) -> dict[str, Any]:
    return {
        "arch": arguments.arch,
        "budget_hours": arguments.budget_hours,
        "batch": arguments.batch,
        "schedule": arguments.schedule or "cpt",
        "bw_bits": arguments.bw_bits,
        "hours_of": of,
        "choices": [asdict(choice) for choice in found.choices],
        "shorter": [asdict(choice) for choice in found.shorter],
    }


def render(choices: list[Choice], schedule: str, backward: int) -> str:
    rows = [
        (
            f"{each.high}/{backward}" if each.is_static else f"{each.low}-{each.high}/{backward}",
            "static" if each.is_static else f"{schedule} x{each.cycles}",
            f"{each.steps:,}",
            f"{each.hours:.4g}",
            f"{each.saving_pct:.1f} %",
        )
        for each in choices[:MOST_ROWS]
    ]
    table = as_table(("bits", "schedule", "steps", "hours", "saved"), rows, left=(0, 1), indent="  ")
    more = len(choices) - len(rows)
    return f"{table}\n  and {more} with lower bounds" if more > 0 else table
