"""`cpt plot-schedule`: precision schedules as a picture and a table of what they cost."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.flags import add
from scripts.parser import Parser
from sim.common.flag_types import share
from sim.common.table import as_table

if TYPE_CHECKING:
    from cpt_model.cost.schedules_plot import ScheduleRow

GROUPS = ("ten", "all")
DESCRIPTION = """\
Draws precision schedules, and prints the share of steps each has at each width, and what it saves
against static precision at the highest bits.
"""
EXAMPLES = """\
  cpt plot-schedule
  cpt plot-schedule cpt CR RR --fw-bits 4 8 --cycles 4 --late-start 0.25
"""


def add_flags(parser: Parser) -> None:
    what = "schedule to draw, or a group of them: ten, all (default: ten)"
    parser.add_argument("names", nargs="*", default=["ten"], metavar="NAME", help=what)
    add(parser, "--fw-bits", help="bounds of the schedules")
    add(parser, "--bw-bits", nargs=None, action=None, default=8, help="width of errors and gradients")
    add(parser, "--cycles", default=8)
    add(parser, "--steps")
    what = "share of the run at the lowest bits before the schedule begins"
    add(parser, "--late-start", type=share, metavar="SHARE", help=what)
    add(parser, "--out", metavar="FILE", default=Path("out", "schedules.png"), help="picture, a .png file")
    add(parser, "--json")


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.cost.schedules_plot import describe, plot
    from cpt_model.schedules import LateStart, named

    if arguments.out.suffix != ".png":
        raise ValueError(f"--out {arguments.out}: the picture is a .png file")
    low, high = arguments.fw_bits[0], arguments.fw_bits[-1]
    schedules = {name: named(name, low, high, arguments.cycles) for name in expand(arguments.names)}
    title = f"FW({low},{high})/BW{arguments.bw_bits}, {arguments.cycles} cycles in {arguments.steps:,} steps"
    if arguments.late_start is not None:
        schedules = {name: LateStart(low, arguments.late_start, each) for name, each in schedules.items()}
        title += f", started at {arguments.late_start:.0%}"
    rows = [describe(name, each, arguments.bw_bits, arguments.steps) for name, each in schedules.items()]
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    plot(schedules, arguments.steps, arguments.out, title)
    if arguments.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
    else:
        print(f"{title}; savings are against static {high}/{arguments.bw_bits}\n\n{render(rows)}\n")
        print(f"wrote {arguments.out}")
    return 0


def expand(names: list[str]) -> list[str]:
    """Names in order, each once, groups written out.

    >>> expand(["static", "ten", "CR"])[:3]
    ['static', 'CR', 'CT']
    """
    from host.schedules.names import NAMES, TEN

    groups = {"ten": list(TEN), "all": list(NAMES)}
    for name in names:
        if name not in NAMES and name not in groups:
            raise ValueError(f"unknown schedule '{name}'; there are: {', '.join([*GROUPS, *NAMES])}")
    return list(dict.fromkeys(each for name in names for each in groups.get(name, [name])))


def render(rows: list[ScheduleRow]) -> str:
    widths = sorted({width for row in rows for width in row.share_pct})
    head = ("schedule", "first", "last", "mean", *(f"{width}-bit" for width in widths), "saves bit ops", "board time")
    lines: list[tuple[object, ...]] = []
    for row in rows:
        shares = (f"{row.share_pct.get(width, 0):.1f} %" for width in widths)
        saved = (f"{row.saving_gbitops_pct:.2f} %", f"{row.saving_hours_pct:.2f} %")
        lines.append((row.name, row.first, row.last, f"{row.mean:.2f}", *shares, *saved))
    return as_table(head, lines)
