"""`cpt latency`: errors of the latency model against simulated cycles of the RTL core."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from scripts.flags import add
from scripts.parser import Parser
from sim.common.table import as_table

if TYPE_CHECKING:
    from host.measure.model_error import Deviation

DESCRIPTION = """\
Compares the latency model with simulated cycles of the RTL core: on the layers it was fitted to, on
randomly chosen ones ('cpt cycles --unseen' simulated them), and on whole training iterations
('cpt iteration'). It takes a second: nothing is simulated here.
"""
EXAMPLES = """\
  cpt latency
  cpt latency --json
"""
HEAD = ("", "RTL cycles", "model", "deviation")


def add_flags(parser: Parser) -> None:
    add(parser, "--all", action="store_true", help="print every pass, not only the worst five of each set of layers")
    add(parser, "--json")


def run(arguments: argparse.Namespace) -> int:
    from host.measure.model_error import GRIDS, ITERATIONS, figures, grid_deviations, iteration_deviation

    grids = {name: grid_deviations(path) for name, path in GRIDS.items()}
    iterations = [iteration_deviation(path) for path in sorted(ITERATIONS.glob("*.json"))]
    if arguments.json:
        values = {
            "grids": {name: figures(rows) for name, rows in grids.items()},
            "iterations": [{**row._asdict(), "percent": row.percent} for row in iterations],
        }
        print(json.dumps(values, indent=2))
        return 0
    for name, rows in grids.items():
        numbers = figures(rows)
        print(
            f"{name}: {len(rows)} passes, {numbers['mean_pct']:.2f} % on average, {numbers['worst_pct']:.1f} % at worst"
        )
        shown = sorted(rows, key=lambda row: -abs(row.percent))[: None if arguments.all else 5]
        print(as_table(HEAD, [_cells(row, digits=1) for row in shown], indent="  "))
    print("whole training iterations, simulated layer by layer")
    print(as_table(HEAD, [_cells(row, digits=2) for row in iterations], indent="  "))
    return 0


def _cells(row: Deviation, digits: int) -> tuple[object, ...]:
    return row.what, row.rtl, f"{row.model:,.0f}", f"{row.percent:+.{digits}f} %"
