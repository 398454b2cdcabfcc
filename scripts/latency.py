"""`cpt latency`: errors of the latency model against simulated cycles of the RTL core."""

from __future__ import annotations

import argparse
import json

from host.measure.model_error import GRIDS, ITERATIONS, figures, grid_deviations, iteration_deviation


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "latency",
        help="errors of the latency model against the RTL core's simulated cycles",
        description="Compares the latency model with cycles of the RTL core: over the grid it was fitted on, over"
        " layers drawn by the dice (cpt cycles --unseen measured them), and over whole training"
        " iterations (cpt iteration). Takes a second: nothing is simulated here.",
    )
    parser.add_argument("--all", action="store_true", help="every pass, not only the worst five of each grid")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    grids = {name: grid_deviations(path) for name, path in GRIDS.items()}
    iterations = [iteration_deviation(path) for path in sorted(ITERATIONS.glob("*.json"))]
    if arguments.json:
        print(
            json.dumps(
                {
                    "grids": {name: figures(rows) for name, rows in grids.items()},
                    "iterations": [{**row._asdict(), "percent": row.percent} for row in iterations],
                },
                indent=2,
            )
        )
        return 0
    for name, rows in grids.items():
        numbers = figures(rows)
        print(
            f"{name}: {len(rows)} passes, {numbers['mean_pct']:.2f} % on average, {numbers['worst_pct']:.1f} % at worst"
        )
        shown = sorted(rows, key=lambda row: -abs(row.percent))[: None if arguments.all else 5]
        print("\n".join(f"  {row.what:60} {row.rtl:9,} {row.model:9,.0f} {row.percent:+6.1f} %" for row in shown))
    print("whole training iterations, simulated layer by layer")
    for row in iterations:
        print(f"  {row.what:60} {row.rtl:11,} {row.model:11,.0f} {row.percent:+6.2f} %")
    return 0
