"""How far the latency model is from the RTL core, on simulated cycles that are kept in the repository."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from host.compiler.bits import Bits
from host.compiler.jobs import Job, Step, training_jobs
from host.compiler.networks import named_network
from host.compiler.results import Results, pass_commands
from host.measure.cycle_grid import Point
from host.measure.efficiency import PLAIN
from host.measure.step_cycles import command_of
from host.measure.step_iteration import model_cycles
from sim.common.places import VIVADO
from sim.contract import Build
from sim.latency import ROWS_BYTES_PER_CYCLE, Memory, command_time
from sim.latency.core import LIST_BEGINS

# What the model's constants were fitted on, and layers chosen at random afterwards.
GRIDS = {
    "fitted on": VIVADO / "cycles.json",
    "unseen": VIVADO / "cycles-unseen.json",
    "unseen, on tiny": VIVADO / "cycles-tiny-unseen.json",
    "on zc706_train": VIVADO / "cycles-train.json",  # a layer of a ResNet's body, from before the build was compact
}
ROWS = VIVADO / "cycles-rows.json"  # with rows of the DDR, and turns between reads and writes
ITERATIONS = VIVADO / "iterations"
# Whole training steps of small networks, command by command (`cpt cycles --whole-steps`).
STEP_ITERATIONS = ITERATIONS / "whole-steps"
STEPS = sorted(VIVADO.glob("steps-*.json"))
NN_METER_PCT = 10


class Deviation(NamedTuple):
    """One pass: simulated on the RTL, and by the model; in per cent of the former."""

    what: str
    rtl: int
    model: float

    @property
    def percent(self) -> float:
        return 100 * (self.model / self.rtl - 1)


def figures(rows: Sequence[Deviation]) -> dict[str, float]:
    """Mean and worst deviation, and the share within ±10 %, which is how nn-Meter states its error."""
    sizes = [abs(row.percent) for row in rows]
    within = sum(size <= NN_METER_PCT for size in sizes)
    return {
        "passes": len(rows),
        "mean_pct": sum(sizes) / len(sizes),
        "worst_pct": max(sizes),
        "within_10_pct": 100 * within / len(sizes),
    }


def grid_deviations(path: Path) -> list[Deviation]:
    """Every point of a file of `cpt cycles --out`; to the model, a DDR with rows is one of fewer bytes a cycle."""
    measured = json.loads(path.read_text())
    bandwidth = ROWS_BYTES_PER_CYCLE if measured.get("row_miss") else measured["bytes_per_cycle"]
    build, memory = Build("measured", **measured["build"]), Memory(bandwidth, measured["latency"])
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


def step_iteration_deviations(path: Path) -> list[Deviation]:
    """A whole training step of a file that `cpt iteration --whole-step` wrote, and its parts by kind of work."""
    measured: dict[str, Any] = json.loads(path.read_text())
    model = model_cycles(measured)
    bits = Bits(measured["fw_bits"], measured["bw_bits"])
    whole = Deviation(f"{measured['arch']}, batch {measured['batch']}, {bits}", sum(measured["lists"]), 0.0)
    parts = [
        Deviation(f"  {work.value}", sum(row[3] for row in measured["work"] if row[1] == work.value), cycles)
        for work, cycles in model.items()
    ]
    return [whole._replace(model=sum(model.values())), *parts]


class StepErrors(NamedTuple):
    """Commands of one draw by kind, each as often as it was run; and whole networks: two iterations of each."""

    kinds: dict[str, list[Deviation]]
    networks: list[Deviation]


def step_errors(path: Path) -> dict[tuple[str, str], StepErrors]:
    """Of a file that `cpt cycles --whole-steps --out` wrote, by build and draw; `steps-BUILD.json`, or more words."""
    measured: dict[str, Any] = json.loads(path.read_text())
    build, memory = Build("measured", **measured["build"]), Memory(measured["bytes_per_cycle"], measured["latency"])
    name = path.stem.split("-")[1]
    found: dict[tuple[str, str], StepErrors] = {}
    sums: dict[tuple[str, str], list[float]] = {}
    for row in measured["commands"]:
        errors = found.setdefault((name, row["draw"]), StepErrors({}, []))
        model = command_time(command_of(row), build, memory, row["alone"], row.get("history", True)).cycles
        one = Deviation(row["network"], row["cycles"], model)
        errors.kinds.setdefault(row["kind"], []).extend([one] * row["times"])
        total = sums.setdefault((row["draw"], row["network"]), [0, 0.0])
        total[0] += row["cycles"] * row["times"]
        total[1] += model * row["times"]
    for (draw, network), (rtl, model) in sums.items():
        found[name, draw].networks.append(Deviation(network, int(rtl), model))
    return found
