"""Schedules against the papers' numbers, closed forms and the traps of other implementations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpt_model.cost.paper_values import BETTER_SCHEDULES
from cpt_model.schedules import (
    CPT,
    NAMES,
    CosineAnnealing,
    Cyclic,
    Deficit,
    LateStart,
    Progressive,
    ScheduleError,
    Sequence,
    Static,
    named,
)

STEPS = 64_000


def saving_percent(name: str) -> float:
    """Bit operations saved against static 8 bits, forward 3..8, gradients 8."""
    bits = named(name, 3, 8, cycles=8).bits(np.arange(STEPS), STEPS)
    return 100 * (1 - np.sum(bits**2 + 2 * bits * 8) / (STEPS * (8**2 + 2 * 8 * 8)))


@pytest.mark.parametrize(("name", "paper"), [each[:2] for each in BETTER_SCHEDULES])
def test_the_ten_save_what_the_paper_says(name: str, paper: float) -> None:
    assert saving_percent(name) == pytest.approx(paper, abs=0.05)


def test_iterations_at_each_precision_of_one_cycle() -> None:
    bits = CPT(3, 8, cycles=1).bits(np.arange(2000), 2000)
    assert np.bincount(bits)[3:].tolist() == [410, 329, 261, 262, 329, 409]


@given(
    low=st.integers(2, 8),
    span=st.integers(0, 8),
    cycles=st.integers(1, 40),
    extra=st.integers(0, 5000),
    name=st.sampled_from(sorted(NAMES)),
)
def test_every_schedule_stays_in_its_range(low: int, span: int, cycles: int, extra: int, name: str) -> None:
    total = cycles + extra
    bits = named(name, low, low + span, cycles).bits(np.arange(total), total)
    assert bits.min() >= low
    assert bits.max() <= low + span


@given(total=st.integers(200, 5000), cycles=st.integers(1, 33))
def test_no_extra_cycle_when_the_length_does_not_divide(total: int, cycles: int) -> None:
    bits = CPT(3, 8, cycles=cycles).bits(np.arange(total), total)
    restarts = np.count_nonzero(np.diff(bits) < -1)
    assert restarts == cycles - 1
    assert bits[0] == 3
    if total >= 20 * cycles:
        assert bits[-1] == 8, "training ends at high precision"


@given(step=st.integers(0, 999), cycles=st.integers(1, 50))
def test_cosine_is_the_closed_form(step: int, cycles: int) -> None:
    u = step * cycles / 1000
    x = u - min(math.floor(u), cycles - 1)
    expected = round(3 + 5 * (1 - math.cos(math.pi * x)) / 2)
    assert CPT(3, 8, cycles=cycles).bits(step, 1000) == expected


def test_triangular_falls_first_and_flips_as_named() -> None:
    steps = np.arange(0, 800, 10)
    for growth, decay in (("exponential", "vertical"), ("exponential", "horizontal")):
        bits = Cyclic(3, 8, 2, growth, decay).bits(steps, 800)
        assert bits[0] == 8
        assert np.all(np.diff(bits[:40]) <= 0)
        assert np.all(np.diff(bits[40:]) >= 0)
    vertical = Cyclic(3, 8, 2, "exponential", "vertical").bits(steps[:40], 800)
    horizontal = Cyclic(3, 8, 2, "exponential", "horizontal").bits(steps[:40], 800)
    assert vertical.sum() < horizontal.sum(), "one falls at once, the other stays high"


def test_cosine_annealing_restarts_high() -> None:
    bits = CosineAnnealing(3, 8, cycles=2).bits([0, 49, 50, 99], 100)
    assert bits.tolist() == [8, 3, 8, 3]


def test_late_start_then_the_whole_schedule() -> None:
    bits = LateStart(3, 0.25, CPT(4, 8, cycles=1)).bits(np.arange(400), 400)
    assert set(bits[:100]) == {3}
    assert bits[100:].tolist() == CPT(4, 8, cycles=1).bits(np.arange(300), 300).tolist()


def test_a_vector_equals_its_steps() -> None:
    schedule = Sequence([(0.5, Progressive(3, 8)), (0.5, CPT(3, 8, cycles=3))])
    vector = schedule.bits(np.arange(101), 101)
    assert vector.tolist() == [int(schedule.bits(step, 101)) for step in range(101)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Static(0), "not a whole number in 1..16"),
        (lambda: Static(17), "not a whole number in 1..16"),
        (lambda: Static(3.5), "not a whole number"),  # type: ignore[arg-type]
        (lambda: CPT(8, 3), "above high"),
        (lambda: CPT(3, 8, cycles=0), "at least 1"),
        (lambda: CPT(3, 8, cycles=2.5), "whole number"),  # type: ignore[arg-type]
        (lambda: CPT(3, 8, cycles=32).bits(0, 31), "fewer than the 32 cycles"),
        (lambda: Cyclic(3, 8, growth="cubic"), "'cubic' is unknown"),
        (lambda: Deficit(3, 8, 90, 20).bits(0, 100), "window ends at step 110"),
        (lambda: Sequence([(0.5, Static(8))]), "sum 1"),
        (lambda: Static(8).bits(100, 100), "not all in 0..99"),
        (lambda: named("best", 3, 8, 8), "unknown schedule 'best'"),
    ],
)
def test_what_cannot_be_is_refused(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ScheduleError, match=message):
        make()
