"""`cpt latency`: how far the latency model is from the RTL core, on measured cycles that are kept in the repository."""

from __future__ import annotations

import argparse
import json
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from sim.places import VIVADO

# What the model's constants were fitted on, and layers drawn by the dice when that was done.
GRIDS = {"fitted on": VIVADO / "cycles.json", "unseen": VIVADO / "cycles-unseen.json"}
ITERATIONS = VIVADO / "iterations"


class Deviation(NamedTuple):
    """One pass: simulated on the RTL, and by the model; in per cent of the former."""

    what: str
    rtl: int
    model: float

    @property
    def percent(self) -> float:
        return 100 * (self.model / self.rtl - 1)


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


def figures(rows: list[Deviation]) -> dict[str, float]:
    sizes = [abs(row.percent) for row in rows]
    return {"passes": len(rows), "mean_pct": sum(sizes) / len(sizes), "worst_pct": max(sizes)}


def grid_deviations(path: Path) -> list[Deviation]:
    """Every point of a file that `cpt cycles --out` wrote."""
    from scripts.cycles import Point
    from scripts.cycles_table import PLAIN
    from sim.contract import Build
    from sim.latency import Memory, command_time

    measured = json.loads(path.read_text())
    build, memory = Build("measured", **measured["build"]), Memory(measured["bytes_per_cycle"], measured["latency"])
    rows = []
    for row in measured["points"]:
        model = sum(command_time(command, build, memory).cycles for command in Point.measured(row).commands(build))
        what = f"{row['layer']} {row['pass']} {row['a_bits']}x{row['b_bits']}"
        what += f" {row['stored']}" if row["stored"] != PLAIN else ""
        rows.append(Deviation(what, row["cycles"], model))
    return rows


def iteration_deviation(path: Path) -> Deviation:
    """The sum over all passes of a file that `cpt iteration` wrote."""
    from host.compiler.jobs import Job, Step, stored_results, training_jobs
    from host.compiler.lower import lower
    from host.compiler.networks import named_network
    from host.compiler.plan import Plan
    from sim.contract import Build
    from sim.latency import Memory, command_time
    from sim.latency.core import LIST_BEGINS

    measured: dict[str, Any] = json.loads(path.read_text())
    build, memory = Build("measured", **measured["build"]), Memory(measured["bytes_per_cycle"], measured["latency"])
    step = Step(0, measured["fw_bits"], measured["bw_bits"])

    def cycles(job: Job) -> float:
        stored = stored_results(job.layer, job.which, job.precision, measured["results"])
        program = lower(job.layer, job.which, job.precision, build, stored, plan=Plan())
        return sum(command_time(command, build, memory).cycles for command in program.commands)

    done = len(measured["passes"])
    jobs = training_jobs(named_network(measured["network"], measured["batch"]), [step])
    model = sum(map(cycles, islice(jobs, done))) + LIST_BEGINS * -(-done // measured["list_passes"])
    what = f"{measured['network']}, batch {measured['batch']}, {step.fw_bits}/{step.bw_bits}, {measured['results']}"
    what += "" if measured["complete"] else f" (so far: {done} passes)"
    return Deviation(what, sum(row["cycles"] for row in measured["passes"]), model)
