"""Bit operations and hours against sums written out step by step."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpt_model.cost import (
    AS_PAPERS,
    FLOAT_LAYERS,
    LayerCount,
    LinearBoard,
    ModelCount,
    Run,
    bit_operations,
    gbitops,
    saving_pct,
)
from cpt_model.cost.linear_board import width_sum
from cpt_model.schedules import CPT, Cyclic, ScheduleError, Static, named
from host.compiler.bits import Bits
from host.schedules.names import NAMES

SMALL = ModelCount(
    (
        LayerCount("conv", "Conv2d", 1000, quantised=True),
        LayerCount("bn", "BatchNorm2d", norm_elements=30),
        LayerCount("fc", "Linear", 70),
    )
)


@given(
    st.sampled_from(sorted(NAMES)),
    st.integers(1, 8),
    st.integers(0, 8),
    st.integers(1, 16),
    st.integers(1, 5),
    st.integers(5, 200),
)
def test_every_schedule_costs_the_sum_of_its_steps(
    name: str, low: int, more: int, gradient: int, cycles: int, steps: int
) -> None:
    run = Run(named(name, low, low + more, cycles), gradient, iterations=steps, batch=3)
    widths = [int(run.forward.bits(step, steps)) for step in range(steps)]
    expected = sum((1000 + 70 + 2 * 30) * 3 * (fw * fw + 2 * fw * gradient) for fw in widths)
    assert bit_operations(SMALL, run, AS_PAPERS) == expected
    assert width_sum(run) == sum(2 * fw + gradient for fw in widths)
    assert sum(run.widths().values()) == steps


def test_gradients_may_cycle_too() -> None:
    gradient = CPT(6, 16, cycles=2)
    expected = sum(36 + 12 * int(gradient.bits(step, 50)) for step in range(50))
    assert bit_operations(SMALL, Run(Static(6), gradient, iterations=50), AS_PAPERS) == 1130 * 128 * expected


def test_results_beyond_64_bits_are_exact() -> None:
    huge = ModelCount((LayerCount("fc", "Linear", 10**15 + 1, quantised=True),))
    assert bit_operations(huge, Run.named("8/8")) == (10**15 + 1) * 192 * 64_000 * 128


def test_float_layers_count_as_asked() -> None:
    run = Run.named("3/8", iterations=7, batch=2)
    scheduled, float32, nothing = (bit_operations(SMALL, run, what) for what in FLOAT_LAYERS)
    assert nothing == 1000 * 14 * (9 + 48)
    assert scheduled == 1130 * 14 * (9 + 48)
    assert float32 == nothing + 130 * 14 * 3 * 1024
    with pytest.raises(ValueError, match="cannot count as 'free'; there are: scheduled, float32, nothing"):
        bit_operations(SMALL, run, "free")


def test_savings_and_units() -> None:
    million = Run.named("8/8", iterations=10**6, batch=1)
    assert gbitops(SMALL, million, AS_PAPERS) == pytest.approx(1130 * 192 * 1e6 / 1e9)
    assert saving_pct(SMALL, Run.named("8/8"), Run.named("8/8")) == 0
    assert saving_pct(SMALL, Run.named("4/4"), Run.named("8/8"), AS_PAPERS) == 75
    assert saving_pct(SMALL, Run.named("8/8", batch=96), Run.named("8/8", batch=128)) == 25


def test_the_board_is_linear_in_the_widths_and_ignores_normalisation() -> None:
    board = LinearBoard.calibrated(SMALL, Run.named("8/8"), hours=24)
    assert board.hours(SMALL, Run.named("6/6")) == pytest.approx(18)
    assert board.hours(SMALL, Run.named("3/8")) == pytest.approx(14)
    assert board.hours(SMALL, Run.named("8/8", iterations=32_000)) == pytest.approx(12)
    with pytest.raises(ValueError, match="above 0"):
        LinearBoard.calibrated(SMALL, Run.named("8/8"), hours=0)


def test_64000_iterations_take_well_under_a_second() -> None:
    start = time.process_time()
    bit_operations(SMALL, Run.named("3-8/8"))
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize("text", ["8", "8-/8", "a/8", "3-8", "3 8/8", ""])
def test_a_precision_not_understood_is_refused(text: str) -> None:
    with pytest.raises(ScheduleError, match="write 8/8 or 3-8/8"):
        Run.named(text)


def test_precisions_and_schedules_that_cannot_be_are_refused() -> None:
    with pytest.raises(ScheduleError, match="low = 8 is above high = 3"):
        Run.named("8-3/8")
    with pytest.raises(ScheduleError, match=r"not a whole number in 1\.\.16"):
        Run.named("0/8")
    with pytest.raises(ScheduleError, match=r"not a whole number in 1\.\.16"):
        Run.named("8/17").widths()
    with pytest.raises(ScheduleError, match="fewer than the 8 cycles"):
        Run(Cyclic(3, 8, cycles=8), 8, iterations=5).widths()
    with pytest.raises(ScheduleError, match="must both be at least 1"):
        Run.named("8/8", iterations=0)


def test_layers_with_bits_of_their_own_count_at_those() -> None:
    layers = (
        LayerCount("a", "Conv2d", 1000, quantised=True),
        LayerCount("b", "Conv2d", 10, quantised=True, bits=Bits(4, 6)),
        LayerCount("c", "Linear", 7),
    )
    run = Run.named("8/8", iterations=3, batch=2)
    own, others = 10 * (4 * 4 + 2 * 4 * 6), 1000 * 3 * 64
    rest = {"scheduled": 7 * 3 * 64, "float32": 7 * 3 * 1024, "nothing": 0}
    for what, floats in rest.items():
        assert bit_operations(ModelCount(layers), run, what) == 6 * (own + others + floats)
    assert LinearBoard(1.0).hours(ModelCount(layers), run) == 6 * (1000 * 24 + 10 * 14)


def test_what_stays_float_saves_nothing() -> None:
    """The more of a network is float, the less its schedule saves."""
    layers = [LayerCount(str(index), "Linear", 100, quantised=index < 3) for index in range(4)]
    saved = [
        saving_pct(ModelCount(tuple(layers[index:])), Run.named("3-8/8"), Run.named("8/8")) for index in (0, 1, 2, 3)
    ]
    assert saved == sorted(saved, reverse=True)
    assert saved[-1] == 0
