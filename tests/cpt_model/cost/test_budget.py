"""Schedules within a number of hours: they fit, the best comes first, and less time makes runs shorter."""

from __future__ import annotations

import pytest

from cpt_model.cost import Run, count_network
from cpt_model.cost.accelerator import PROFILES, AcceleratorBoard
from cpt_model.cost.budget import propose
from cpt_model.cost.linear_board import paper_board
from cpt_model.cost.whole_step import StepHours, hours_of_step, step_hours
from cpt_model.schedules import PFQ, Bits
from cpt_model.schedules.closed_loop_scheduler import ClosedLoopScheduler

ARCH, STEPS, BATCH = "cifar10_resnet_8", 8000, 32
ZC706 = AcceleratorBoard(PROFILES["zc706"])
OF_STEP = hours_of_step(ARCH, count_network(ARCH), BATCH, ZC706, [(width, 8) for width in range(3, 9)])


def hours(precision: str) -> float:
    return sum(step_hours(ARCH, Run.named(precision, STEPS, BATCH), ZC706.profile).values())


def test_what_is_proposed_takes_as_long_as_cost_says_and_fits() -> None:
    budget = (hours("3-8/8") + hours("4-8/8")) / 2
    found = propose(OF_STEP, budget, (3, 8), 8, STEPS, BATCH, cycles=32)
    best = found.choices[0]
    assert (best.low, best.high, best.cycles) == (3, 8, 32)
    assert best.hours == pytest.approx(hours("3-8/8"), rel=1e-3)  # which has starts of lists in one sum
    assert all(choice.hours <= budget for choice in found.choices)
    assert [choice.high for choice in found.choices] == sorted((each.high for each in found.choices), reverse=True)
    assert found.shorter == []


def test_static_precision_is_proposed_where_there_is_time_for_it() -> None:
    best = propose(OF_STEP, 2 * hours("8/8"), (3, 8), 8, STEPS, BATCH).choices[0]
    assert (best.low, best.high, best.cycles, best.saving_pct) == (8, 8, 0, 0)


def test_too_little_time_shortens_the_run() -> None:
    budget = hours("3/8") / 10
    found = propose(OF_STEP, budget, (3, 8), 8, STEPS, BATCH)
    assert found.choices == []
    assert len(found.shorter) == 21
    for choice in found.shorter:
        assert 0.98 * budget < choice.hours <= budget
        assert choice.steps < STEPS / 9
    assert propose(OF_STEP, budget, (3, 8), 8, STEPS, BATCH, cycles=STEPS).shorter[0].is_static


def test_a_schedule_of_ones_own_takes_the_time_of_its_own_widths() -> None:
    slow, fast = (propose(OF_STEP, 1e9, (3, 8), 8, STEPS, BATCH, name).choices[5].hours for name in ("ER", "RR"))
    assert fast < hours("3-8/8") < slow


def test_no_budget_is_refused() -> None:
    with pytest.raises(ValueError, match="budget = 0 hours: it must be positive"):
        propose(OF_STEP, 0, (3, 8), 8, STEPS, BATCH)


def test_what_the_hours_of_a_step_are_of() -> None:
    count = count_network("lstm_lm_small")
    assert OF_STEP.of == "whole training steps"
    assert hours_of_step("lstm_lm_small", count, 8, ZC706, [(8, 8)]).of == "matrix passes"
    assert hours_of_step(ARCH, count_network(ARCH), 8, ZC706, [(12, 8)]).of == "matrix passes"
    paper = StepHours(paper_board(), count, 8)
    assert hours_of_step("lstm_lm_small", count, 8, paper_board(), [(8, 8)]) == paper


def test_a_rule_that_looks_at_the_training_costs_afterwards_what_its_bits_did() -> None:
    scheduler = ClosedLoopScheduler(lambda bits: None, PFQ([(3, 8), (8, 8)], window=2))
    for loss in (1.0, 0.99, 0.98):
        for _ in range(100):
            scheduler.step()
        scheduler.observe(loss)
    spent = scheduler.costs(OF_STEP)
    assert set(spent) == {Bits(3, 8), Bits(8, 8)}
    assert scheduler.cost(OF_STEP) == pytest.approx(sum(spent.values()))
    assert scheduler.cost(OF_STEP) == pytest.approx((2 * hours("3/8") + hours("8/8")) * 100 / STEPS, rel=1e-3)
