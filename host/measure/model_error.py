"""How far the latency model is from the RTL core, on simulated cycles that are kept in the repository."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from host.compiler.bits import Bits
from host.compiler.jobs import Job, Step, training_jobs
from host.compiler.networks import named_network
from host.compiler.results import Results, pass_commands
from host.measure.cycle_grid import Point
from host.measure.efficiency import PLAIN
from sim.common.places import VIVADO
from sim.contract import Build
from sim.latency import Memory, command_time
from sim.latency.core import LIST_BEGINS

# What the model's constants were fitted on, and layers chosen at random afterwards.
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


def figures(rows: list[Deviation]) -> dict[str, float]:
    sizes = [abs(row.percent) for row in rows]
    return {"passes": len(rows), "mean_pct": sum(sizes) / len(sizes), "worst_pct": max(sizes)}


def grid_deviations(path: Path) -> list[Deviation]:
    """Every point of a file that `cpt cycles --out` wrote."""
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
    measured: dict[str, Any] = json.loads(path.read_text())
    build, memory = Build("measured", **measured["build"]), Memory(measured["bytes_per_cycle"], measured["latency"])
    step = Step(0, Bits(measured["fw_bits"], measured["bw_bits"]))

    def cycles(job: Job) -> float:
        commands = pass_commands(job.layer, job.which, step.bits, build, Results(measured["results"]))
        return sum(command_time(command, build, memory).cycles for command in commands)

    done = len(measured["passes"])
    jobs = training_jobs(named_network(measured["network"], measured["batch"]), [step])
    model = sum(map(cycles, islice(jobs, done))) + LIST_BEGINS * -(-done // measured["list_passes"])
    what = f"{measured['network']}, batch {measured['batch']}, {step.bits}, {measured['results']}"
    what += "" if measured["complete"] else f" (so far: {done} passes)"
    return Deviation(what, sum(row["cycles"] for row in measured["passes"]), model)
