"""Loads, array and stores: small cases that can be worked out by hand."""

from __future__ import annotations

import pytest

from sim.latency.pipeline import Batch, Work, run


def work(computing: float, storing: float, slots: int = 2, ahead: int = 2, reading: float = 0.0) -> Work:
    return Work(1, (computing,), (storing,), (reading,), slots, ahead)


def batches(number: int, bus: float, there: float = 0.0) -> tuple[Batch, ...]:
    return (Batch(1, bus, 0.0, there),) * number


def test_one_step_is_loaded_computed_and_stored() -> None:
    assert run(batches(1, 10), work(100, 7)) == (110, 117)


def test_where_the_array_rules_all_else_hides_behind_it() -> None:
    computed, stored = run(batches(20, 10), work(100, 7))
    assert computed == pytest.approx(10 + 20 * 100)
    assert stored == pytest.approx(computed + 7)


def test_where_the_memory_rules_loads_and_stores_add_up() -> None:
    _, stored = run(batches(20, 60), work(10, 50))
    assert stored == pytest.approx(20 * (60 + 50), rel=0.05)


def test_a_slow_writer_holds_the_array_up() -> None:
    computed, _ = run(batches(10, 10, there=200), work(100, 1, ahead=1))
    assert computed == pytest.approx(10 * 300)


def test_one_slot_lets_nothing_overlap_with_its_store() -> None:
    computed, stored = run(batches(5, 1), work(100, 40, slots=1))
    assert stored == pytest.approx(1 + 5 * 140, rel=0.01)
    assert computed == pytest.approx(stored - 40)


def test_reading_the_buffer_can_take_longer_than_the_bus() -> None:
    _, stored = run(batches(6, 1), work(10, 5, reading=80))
    assert stored == pytest.approx(1 + 10 + 6 * 80)


def test_parts_of_a_row_come_round_in_turn() -> None:
    uneven = Work(2, (30.0, 10.0), (1.0, 1.0), (0.0, 0.0), 2, 2)
    assert run(batches(3, 1), uneven)[0] == pytest.approx(1 + 3 * 40)


def test_a_long_run_goes_on_at_the_pace_of_its_first_part() -> None:
    short, long = (run(batches(number, 10), work(100, 7))[0] for number in (1500, 15000))
    assert long - short == pytest.approx(13500 * 100)
