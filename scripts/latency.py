"""`cpt latency`: errors of the latency model against simulated cycles of the RTL core."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scripts.flags import add
from scripts.parser import Parser
from sim.common.table import as_table

if TYPE_CHECKING:
    from host.measure.model_error import Deviation, StepErrors

DESCRIPTION = """\
Compares the latency model with simulated cycles of the RTL core: on the layers it was fitted to, on
randomly chosen ones ('cpt cycles --unseen' simulated them), on whole training iterations
('cpt iteration'), and on every kind of command of whole steps of small random networks, on all builds
('cpt cycles --whole-steps'). It takes seconds: nothing is simulated here.
"""
EXAMPLES = """\
  cpt latency
  cpt latency --json
"""
HEAD = ("", "RTL cycles", "model", "deviation")
KINDS_HEAD = ("", "commands", "RTL cycles", "mean", "worst", "within ±10 %", "sum")


def add_flags(parser: Parser) -> None:
    add(parser, "--all", action="store_true", help="print every pass, not only the worst five of each set of layers")
    add(parser, "--json")


def run(arguments: argparse.Namespace) -> int:
    from host.measure.model_error import (
        GRIDS,
        ITERATIONS,
        ROWS,
        STEP_ITERATIONS,
        STEPS,
        figures,
        grid_deviations,
        iteration_deviation,
        step_errors,
        step_iteration_deviations,
    )
    from sim.latency import ROWS_BYTES_PER_CYCLE

    grids = {name: grid_deviations(path) for name, path in GRIDS.items()}
    grids[f"DDR with rows, modelled as {ROWS_BYTES_PER_CYCLE:g} bytes a cycle"] = grid_deviations(ROWS)
    iterations = [iteration_deviation(path) for path in sorted(ITERATIONS.glob("*.json"))]
    wholes = [step_iteration_deviations(path) for path in sorted(STEP_ITERATIONS.glob("*.json"))]
    steps = {key: found for path in STEPS for key, found in step_errors(path).items()}
    if arguments.json:
        values = {
            "steps": [
                {"build": build, "draw": draw, "kind": kind, **figures(rows), "sum_pct": summed(rows).percent}
                for (build, draw), found in steps.items()
                for kind, rows in with_all(found).items()
            ],
            "grids": {name: figures(rows) for name, rows in grids.items()},
            "iterations": [{**row._asdict(), "percent": row.percent} for row in iterations],
            "whole_steps": [{**row._asdict(), "percent": row.percent} for rows in wholes for row in rows],
        }
        print(json.dumps(values, indent=2))
        return 0
    for name, rows in grids.items():
        numbers = figures(rows)
        print(
            f"{name}: {len(rows)} passes, {numbers['mean_pct']:.2f} % on average, {numbers['worst_pct']:.1f} %"
            f" at worst, {numbers['within_10_pct']:.1f} % of them within ±10 %"
        )
        shown = sorted(rows, key=lambda row: -abs(row.percent))[: None if arguments.all else 5]
        print(as_table(HEAD, [_cells(row, digits=1) for row in shown], indent="  "))
    print("whole training iterations, simulated layer by layer")
    print(as_table(HEAD, [_cells(row, digits=2) for row in iterations], indent="  "))
    for rows in wholes:
        print("a whole training step, vector commands included, and its work")
        print(as_table(HEAD, [_cells(row, digits=2) for row in rows], indent="  "))
    for (build, draw), found in steps.items():
        print(f"whole steps of small networks on {build}, {draw}: commands by kind, and two iterations of each network")
        print(as_table(KINDS_HEAD, [_kind_cells(kind, rows) for kind, rows in with_all(found).items()], indent="  "))
    return 0


def with_all(found: StepErrors) -> dict[str, list[Deviation]]:
    """By kind, then all vector commands, all commands, and networks."""
    from host.measure.step_cycles import PRODUCTS

    vector = [row for kind, rows in found.kinds.items() if kind not in PRODUCTS for row in rows]
    every = [row for rows in found.kinds.values() for row in rows]
    return {**found.kinds, "vector commands": vector, "all commands": every, "whole networks": found.networks}


def summed(rows: Sequence[Deviation]) -> Deviation:
    from host.measure.model_error import Deviation

    return Deviation("", sum(row.rtl for row in rows), sum(row.model for row in rows))


def _kind_cells(kind: str, rows: list[Deviation]) -> tuple[object, ...]:
    from host.measure.model_error import figures

    numbers, total = figures(rows), summed(rows)
    shares = (f"{numbers['mean_pct']:.1f} %", f"{numbers['worst_pct']:.1f} %", f"{numbers['within_10_pct']:.0f} %")
    return kind, len(rows), total.rtl, *shares, f"{total.percent:+.2f} %"


def _cells(row: Deviation, digits: int) -> tuple[object, ...]:
    return row.what, row.rtl, f"{row.model:,.0f}", f"{row.percent:+.{digits}f} %"
