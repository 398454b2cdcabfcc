"""Costs of runs: savings over the steps done, hours on the core, and runs that it cannot have."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cpt_model.cost import Run, count_network
from cpt_model.cost.accelerator import PROFILES, AcceleratorBoard
from cpt_model.cost.whole_step import StepBoard
from cpt_model.reports.costs import Change, run_cost
from cpt_model.reports.runs import read_run
from cpt_model.schedules import CPT, Bits, Static
from host.compiler.results import Results
from tests.cpt_model.reports.report_tools import leave_run

ZC706 = PROFILES["zc706"]


@pytest.mark.parametrize("results", [Results.EXACT, Results.ROUNDED])
def test_hours_and_savings_are_those_of_the_schedule_and_of_what_is_stored(tmp_path: Path, results: Results) -> None:
    cost = run_cost(read_run(leave_run(tmp_path / "run", results=results)), ZC706)
    network, exact = count_network("cifar10_resnet_8"), results is Results.EXACT
    board = AcceleratorBoard(replace(ZC706, results=results)) if exact else StepBoard("cifar10_resnet_8", ZC706)
    assert cost.hours_of == ("matrix passes" if exact else "whole training steps")
    cyclic, static = (
        board.hours(network, Run(schedule, 8, iterations=40, batch=64)) for schedule in (CPT(3, 8, cycles=2), Static(8))
    )
    assert cost.hours is not None
    assert len(cost.hours) == 10
    assert cost.hours[-1] == pytest.approx(cyclic)
    assert cost.static_hours == pytest.approx(static)
    assert cost.saving_hours_pct == pytest.approx(100 * (1 - cyclic / static), abs=1e-5)
    assert 30 < cost.saving_gbitops_pct < 45
    assert cost.gbitops == pytest.approx(cost.static_gbitops * (1 - cost.saving_gbitops_pct / 100), rel=1e-6)
    assert not cost.differs


def test_a_static_run_saves_exactly_nothing(tmp_path: Path) -> None:
    cost = run_cost(read_run(leave_run(tmp_path / "run", fw_bits=(8,))), ZC706)
    assert (cost.saving_gbitops_pct, cost.saving_hours_pct) == (0.0, 0.0)
    assert cost.schedule == [Change(0, Bits(8, 8))]


def test_a_run_under_way_is_compared_over_the_steps_it_has_done(tmp_path: Path) -> None:
    whole = run_cost(read_run(leave_run(tmp_path / "whole")), ZC706)
    half = run_cost(read_run(leave_run(tmp_path / "half", done=20)), ZC706)
    assert half.static_gbitops == pytest.approx(whole.static_gbitops / 2)
    assert half.saving_gbitops_pct == pytest.approx(whole.saving_gbitops_pct)  # one of two equal cycles
    assert half.schedule == whole.schedule


def test_float32_has_no_hours(tmp_path: Path) -> None:
    cost = run_cost(read_run(leave_run(tmp_path / "run", fw_bits=(0,))), ZC706)
    assert (cost.hours, cost.static_hours, cost.saving_hours_pct) == (None, None, None)
    assert cost.refused == "steps in float32 do not run on the core"


def test_what_the_core_cannot_run_is_said(tmp_path: Path) -> None:
    cost = run_cost(read_run(leave_run(tmp_path / "run", fw_bits=(16,), bw_bits=(16,))), ZC706)
    assert cost.hours is None
    assert cost.refused is not None
    assert "layer 'conv1', weight-gradient pass" in cost.refused
    assert cost.gbitops > 0


def test_a_fitted_batch_is_known_from_what_steps_cost(tmp_path: Path) -> None:
    folder = leave_run(tmp_path / "run", done=20, batch=48)
    settings = json.loads((folder / "settings.json").read_text())
    (folder / "settings.json").write_text(json.dumps(settings | {"batch": 128, "fit_batch": True}))
    assert run_cost(read_run(folder), ZC706).batch == 48


def test_a_run_that_counted_another_network_is_found_out(tmp_path: Path) -> None:
    folder = leave_run(tmp_path / "run")
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    for line in lines:
        line["gbitops"] = 1.1 * line.get("gbitops", 0)
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run_cost(read_run(folder), ZC706).differs


def test_highest_bits_are_the_schedules(tmp_path: Path) -> None:
    assert run_cost(read_run(leave_run(tmp_path / "run", bw_bits=(6,))), ZC706).highest == Bits(8, 6)
