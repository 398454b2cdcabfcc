"""Rows of a run: what they hold, how they are written, and that nothing simulated is called measured."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from host.compiler.bits import Bits
from host.compiler.jobs import Job, Step
from host.compiler.layer import Conv, Pass
from host.driver.outcome import ListOutcome
from host.measure.report import Gathered, Row, as_text, plot, read_csv, write_csv
from host.measure.source import Source
from sim.contract import NO_COMMAND, Counters, Error
from tests.tools import TINY

JOB = Job("conv1", Conv(2, 3, 16, 8, 8, (3, 3), padding=(1, 1)), Pass.FORWARD, Step(0, Bits(3, 8)))


def outcome(cycles: int, seconds: float) -> ListOutcome:
    return ListOutcome(Error.OK, NO_COMMAND, 1, Counters(cycles, cycles // 2, 3, 4), seconds)


def source(simulates: str | None) -> Source:
    device: Any = SimpleNamespace(simulates=simulates, build=TINY)
    return Source.of(device, clock_mhz=200)


def row(simulates: str | None) -> Row:
    runs = [outcome(1000, 10e-6), outcome(1200, 14e-6), outcome(1100, 11e-6)]
    return Gathered(JOB, runs, bound_cycles=800, model_cycles=1000, golden="equal").row(source(simulates), "net")


@pytest.mark.parametrize(
    ("simulates", "kind", "median", "least", "most"),
    [
        (None, "measured", 11.0, 10.0, 14.0),
        ("rtl", "simulated", 5.5, 5.0, 6.0),
        ("hls", "counted", 5.5, 5.0, 6.0),
        ("reference", "counted", 5.5, 5.0, 6.0),
    ],
)
def test_latency_is_the_hosts_clock_on_a_board_and_cycles_elsewhere(
    simulates: str | None, kind: str, median: float, least: float, most: float
) -> None:
    found = row(simulates)
    assert (found.source, found.device) == (kind, simulates or "board")
    assert (found.latency_us, found.latency_us_min, found.latency_us_max) == (median, least, most)
    assert (found.cycles, found.busy, found.load_stall, found.store_stall) == (1100, 550, 3, 4)
    assert (found.bound_us, found.model_us) == (4.0, 5.0)
    assert found.ratio == pytest.approx(median / 5)
    assert (found.build, found.clock_mhz, found.results) == ("tiny", 200, "rounded")


@pytest.mark.parametrize("simulates", ["rtl", "hls", "reference", "Broken"])
def test_no_simulation_says_measured(simulates: str, tmp_path: Path) -> None:
    text = as_text([row(simulates)], source(simulates))
    write_csv([row(simulates)], tmp_path / "rows.csv")
    assert "measured" not in text + (tmp_path / "rows.csv").read_text()
    assert "measured" in as_text([row(None)], source(None))


def test_spread_is_the_standard_deviation() -> None:
    assert row("rtl").latency_us_stdev == pytest.approx(0.5)
    assert Gathered(JOB, [outcome(5, 1e-6)], 1.0, 1.0).row(source("rtl"), "net").latency_us_stdev == 0


def test_sums_count_every_layer_a_row_stands_for() -> None:
    gathered = Gathered(JOB, [outcome(1000, 0.0)], bound_cycles=200, model_cycles=900)
    gathered.layers = 3
    table = as_text([gathered.row(source("rtl"), "net")], source("rtl"))
    assert (
        "3/8 bits: 3 passes, 15.0 us simulated; the latency model says 13.5 us, array and memory need 3.0 us at least"
        in table
    )


def test_a_file_gives_the_rows_back(tmp_path: Path) -> None:
    rows = [row("rtl"), row(None)]
    write_csv(rows, tmp_path / "rows.csv")
    assert read_csv(tmp_path / "rows.csv") == rows


def test_a_foreign_or_spoilt_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="line 1: the first line does not name the columns"):
        read_csv(path)
    write_csv([row("rtl")], path)
    path.write_text(path.read_text().replace("1100", "many"))
    with pytest.raises(ValueError, match="line 2: invalid literal"):
        read_csv(path)


def test_the_plot_is_a_picture(tmp_path: Path) -> None:
    plot([row("rtl")], source("rtl"), tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
