"""Fits the latency model to a board: the bandwidth of its memory, and what the host adds to each list.

The input is the CSV that `cpt board measure` writes. The core's cycles follow from the commands; what the model cannot
know is how fast the board's memory is and how long the host takes from start to done.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from host.compiler.layer import Pass
from host.compiler.networks import named_network
from host.compiler.results import Results, pass_commands
from host.measure.prediction import model_cycles
from host.measure.report import Row
from sim.contract import BOARD_LATENCY_CYCLES, Build, Command
from sim.latency.core import LIST_BEGINS

# From a slow port to two full buses.
BANDWIDTHS = np.geomspace(2.0, 128.0, 49)


class FitError(ValueError):
    """Measurements that no profile follows from; the message says why."""


@dataclass(frozen=True)
class Fit:
    """A memory and a host that explain the measurements best.

    Attributes:
        bytes_per_cycle: of the memory, reads and writes together.
        list_us: what the host adds to each list.
        mean_pct, worst_pct: deviations of the fitted model from the latencies.
    """

    build: Build
    clock_mhz: float
    bytes_per_cycle: float
    list_us: float
    mean_pct: float
    worst_pct: float

    def profile(self, name: str) -> dict[str, Any]:
        """What `cpt_model.cost.profile_file` reads."""
        return {
            "name": name,
            "build": self.build.name,
            "clock_mhz": self.clock_mhz,
            "bytes_per_cycle": round(self.bytes_per_cycle, 3),
            "latency": BOARD_LATENCY_CYCLES,
            "list_us": round(self.list_us + LIST_BEGINS / self.clock_mhz, 3),
        }

    @property
    def gigabytes_per_second(self) -> float:
        return self.bytes_per_cycle * self.clock_mhz / 1e3


def fit(rows: Sequence[Row]) -> Fit:
    """The least mean deviation, over all bandwidths; the host's share is the median of what is left."""
    build, clock = _build(rows)
    passes = [_commands(row, build) for row in rows]
    measured = np.array([row.latency_us for row in rows])
    fits = []
    for bandwidth in BANDWIDTHS.tolist():
        model = np.array([model_cycles(commands, build, bandwidth) / clock for commands in passes])
        host = max(0.0, statistics.median((measured - model).tolist()))
        deviations = 100 * np.abs((model + host) / measured - 1)
        fits.append(Fit(build, clock, bandwidth, host, float(deviations.mean()), float(deviations.max())))
    return min(fits, key=lambda fit: fit.mean_pct)


def _build(rows: Sequence[Row]) -> tuple[Build, float]:
    if len(rows) < 3:
        raise FitError(f"{len(rows)} passes are too few to fit a memory and a host to: measure three or more")
    kinds = {(row.source, row.build, row.clock_mhz) for row in rows}
    if len(kinds) > 1:
        raise FitError(f"rows of different sources, builds or clocks: {', '.join(map(str, sorted(kinds)))}")
    source, build, clock = kinds.pop()
    if source == "counted":
        raise FitError("these latencies are counted, not measured or simulated: there is no time in them")
    wrong = [row for row in rows if not row.latency_us > 0]
    if wrong:
        raise FitError(f"latency_us = {wrong[0].latency_us} of layer '{wrong[0].layer}': a latency is above 0")
    return Build.named(build), clock


def _commands(row: Row, build: Build) -> list[Command]:
    layers = named_network(row.network, row.batch)
    if row.layer not in layers:
        raise FitError(f"network '{row.network}' has no layer '{row.layer}'")
    return pass_commands(layers[row.layer], Pass(row.which), row.bits, build, Results(row.results))
