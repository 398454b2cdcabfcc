"""The running cost ends where the cost model's sum over the whole run is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cpt_model.cost import AS_PAPERS, Run, count_network, gbitops, paper_board
from cpt_model.cost.accelerator import PROFILES
from cpt_model.cost.whole_step import step_hours
from cpt_model.precision_run import Plan
from cpt_model.schedules import CPT, Bits, Static
from cpt_model.training.latency import latency_models
from cpt_model.training.meter import Meter
from cpt_model.training.settings import Settings

NETWORK = count_network("cifar10_resnet_8")


def test_a_run_costs_what_the_cost_model_says() -> None:
    schedule, gradient = CPT(3, 8, cycles=4), CPT(6, 8, cycles=4)
    meter = Meter(NETWORK, Plan(schedule, gradient), steps=200, batch=32, board=paper_board())
    run = Run(schedule, gradient, iterations=200, batch=32)
    assert meter.after(200).gbitops == pytest.approx(gbitops(NETWORK, run, AS_PAPERS))
    assert meter.after(200).board_hours == pytest.approx(paper_board().hours(NETWORK, run))
    static = Run(Static(8), 8, iterations=200, batch=32)
    assert meter.static().gbitops == pytest.approx(gbitops(NETWORK, static, AS_PAPERS))
    assert meter.static().board_hours == pytest.approx(paper_board().hours(NETWORK, static))


def test_bits_are_the_schedulers() -> None:
    schedule = CPT(3, 8, cycles=2)
    meter = Meter(NETWORK, Plan(schedule, 8, every=10), steps=95, batch=1, board=paper_board())
    assert [meter.bits(step).forward for step in range(95)] == np.repeat(schedule.bits(range(10), 10), 10)[:95].tolist()
    assert meter.highest() == Bits(int(schedule.bits(range(10), 10).max()), 8)


def test_float32_counts_32_bits_and_has_no_hours() -> None:
    meter = Meter(NETWORK, None, steps=2, batch=3, board=paper_board())
    assert meter.after(2).gbitops == pytest.approx(2 * 3 * NETWORK.operations * 3 * 32**2 / 1e9)
    assert meter.after(2).board_hours is None
    assert meter.bits(0) == Bits(0, 0)


def test_hours_are_of_whole_steps_where_the_run_has_them_else_of_its_matrix_passes() -> None:
    zc706, plan = PROFILES["zc706"], Plan(Static(8), 8)

    def counted(bits: int = 8, **changes: object) -> tuple[str, float]:
        run = Settings.from_dict({"arch": "cifar10_resnet_8"} | changes)
        models = latency_models(run, zc706)
        meter = Meter.first(NETWORK, replace(plan, forward=Static(bits)), 10, 16, models)
        return meter.board.of, meter.after(10).board_hours or 0.0

    whole, passes = counted(), counted(results="exact")
    assert (whole[0], passes[0]) == ("whole training steps", "matrix passes")
    run = Run(Static(8), 8, iterations=10, batch=16)
    hours = step_hours("cifar10_resnet_8", run, zc706)
    assert whole[1] == pytest.approx(sum(hours.values()))
    assert counted(policy="imagenet")[0] == counted(layer_bits={"conv1": [8, 8]})[0] == "matrix passes"
    assert counted(bits=12)[0] == "matrix passes"  # which the integer step refuses
    assert [model.of for model in latency_models(Settings(), None)] == ["matrix passes"]  # of the paper's board
