"""`cpt plot-schedule`: precision schedules as a picture and a table of what they cost."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cpt_model.cost.schedules_plot import ScheduleRow

GROUPS = ("ten", "all")


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "plot-schedule",
        help="draw precision schedules and say what they save",
        description="Draws schedules by name, as 'cpt plot-schedule CR RR' or 'cpt plot-schedule ten', and prints how "
        "many steps each has at which width, and what it saves against static precision at the highest bits.",
    )
    parser.add_argument(
        "names", nargs="*", default=["ten"], metavar="NAME", help="schedules, 'ten' or 'all' (default: ten)"
    )
    parser.add_argument("--fw-bits", type=int, nargs=2, default=[3, 8], metavar=("LOW", "HIGH"), help="bounds (3 8)")
    parser.add_argument("--bw-bits", type=int, default=8, metavar="BITS", help="bits of the gradients (8)")
    parser.add_argument("--cycles", type=int, default=8, help="cycles in the run (8)")
    parser.add_argument("--steps", type=int, default=64_000, help="steps of the run (64,000)")
    parser.add_argument(
        "--late-start", type=float, metavar="SHARE", help="lowest bits for this share of the run, then the schedule"
    )
    parser.add_argument("--out", type=Path, default=Path("out") / "schedules.png", help="the picture, a .png file")
    parser.add_argument("--json", action="store_true", help="print one JSON list instead of the table")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.cost.schedules_plot import describe, plot
    from cpt_model.schedules import LateStart, named
    from host.compiler.bits import check_bits

    if arguments.out.suffix != ".png":
        raise ValueError(f"--out {arguments.out}: the picture is a .png file")
    low, high = arguments.fw_bits
    check_bits("--bw-bits", arguments.bw_bits)
    schedules = {name: named(name, low, high, arguments.cycles) for name in expand(arguments.names)}
    title = f"FW({low},{high})/BW{arguments.bw_bits}, {arguments.cycles} cycles in {arguments.steps:,} steps"
    if arguments.late_start is not None:
        if not 0 < arguments.late_start < 1:
            raise ValueError(f"--late-start {arguments.late_start} is not between 0 and 1")
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
    from cpt_model.schedules.names import NAMES, TEN

    groups = {"ten": list(TEN), "all": list(NAMES)}
    for name in names:
        if name not in NAMES and name not in groups:
            raise ValueError(f"unknown schedule '{name}'; there are: {', '.join([*GROUPS, *NAMES])}")
    return list(dict.fromkeys(each for name in names for each in groups.get(name, [name])))


def render(rows: list[ScheduleRow]) -> str:
    widths = sorted({width for row in rows for width in row.share_pct})
    head = f"{'schedule':16} {'first':>5} {'last':>5} {'mean':>6}"
    head += "".join(f" {width:>4}-bit" for width in widths)
    lines = [f"{head}  {'saves bit ops':>15} {'board time':>11}"]
    for row in rows:
        line = f"{row.name:16} {row.first:5} {row.last:5} {row.mean:6.2f}"
        line += "".join(f" {row.share_pct.get(width, 0):6.1f} %" for width in widths)
        lines.append(f"{line}  {row.saving_gbitops_pct:13.2f} % {row.saving_hours_pct:9.2f} %")
    return "\n".join(lines)
