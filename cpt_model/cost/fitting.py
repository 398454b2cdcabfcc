"""Fits the latency model to a board: the bandwidth of its memory, and what the host adds to each list.

The input is the CSV that `cpt board measure` writes. The core's cycles follow from the commands; what the model cannot
know is how fast the board's memory is and how long the host takes from start to done.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import BeforeValidator, ConfigDict

from host.compiler.bits import Bits
from host.compiler.layer import Pass
from host.compiler.networks import named_network
from host.compiler.results import Results, pass_commands
from host.measure.prediction import model_cycles
from host.measure.report import Row
from host.measure.source import COUNTED, MEASURED, SIMULATED
from sim.common.checked import Checked, Count, one_of, within
from sim.common.flag_types import CLOCK_MHZ
from sim.contract import BOARD_LATENCY_CYCLES, MAX_OPERAND_BITS, Build, Command
from sim.latency.core import LIST_BEGINS

Width = Annotated[int, within((1, MAX_OPERAND_BITS))]
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


class Measured(Checked):
    """What a fit takes from a row; a row has more."""

    model_config = ConfigDict(extra="ignore")
    error: ClassVar[type[ValueError]] = FitError

    source: Annotated[str, one_of(MEASURED, SIMULATED, COUNTED)]
    network: str
    batch: Count
    layer: str
    which: Annotated[Pass, BeforeValidator(Pass)]
    fw_bits: Width
    bw_bits: Width
    latency_us: Annotated[float, within((1e-6, 1e12))]
    build: Annotated[Build, BeforeValidator(Build.named)]
    clock_mhz: Annotated[float, within(CLOCK_MHZ)]
    results: Annotated[Results, BeforeValidator(Results)]

    @property
    def bits(self) -> Bits:
        return Bits(self.fw_bits, self.bw_bits)


def fit(stated: Sequence[Row], where: object = "measurements") -> Fit:
    """The least mean deviation, over all bandwidths; the host's share is the median of what is left.

    `where` is named if a row cannot be.
    """
    rows = [Measured.of(asdict(row), f"{where}, row {number}") for number, row in enumerate(stated, start=1)]
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


def _build(rows: Sequence[Measured]) -> tuple[Build, float]:
    if len(rows) < 3:
        raise FitError(f"{len(rows)} passes are too few to fit a memory and a host to: measure three or more")
    kinds = {(row.source, row.build.name, row.clock_mhz) for row in rows}
    if len(kinds) > 1:
        raise FitError(f"rows of different sources, builds or clocks: {', '.join(map(str, sorted(kinds)))}")
    source, build, clock = kinds.pop()
    if source == COUNTED:
        raise FitError("these latencies are counted, not measured or simulated: there is no time in them")
    return Build.named(build), clock


def _commands(row: Row | Measured, build: Build) -> list[Command]:
    layers = named_network(row.network, row.batch)
    if row.layer not in layers:
        raise FitError(f"network '{row.network}' has no layer '{row.layer}'")
    return pass_commands(layers[row.layer], Pass(row.which), row.bits, build, Results(row.results))
