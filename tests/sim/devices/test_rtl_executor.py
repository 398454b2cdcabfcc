"""The Verilated core as an executor: counters, watchdogs, refusals. What it computes is tested in tests/vivado."""

from __future__ import annotations

from typing import Any

import pytest

from sim.devices.rtl_executor import NOTHING, Counters, Ddr, RtlExecutor
from sim.devices.rtl_pins import RtlPins
from sim.vectors import Vector, catalogue
from tests.tools import TINY


@pytest.fixture(scope="module")
def vectors() -> list[Vector]:
    return [vector for vector in catalogue(TINY, features=0) if not vector.slow]


@pytest.mark.slow
def test_counters_belong_to_commands_and_grow_with_latency(vectors: list[Vector]) -> None:
    vector = next(vector for vector in vectors if vector.commands_done > 1 and not vector.error)
    totals = []
    for latency in (0, 300):
        executor = RtlExecutor(TINY, Ddr(latency=latency))
        outcome = vector.run_on(executor, vector.before.copy())
        assert outcome.cycles == executor.counters.total
        assert len(executor.commands) == vector.commands_done
        assert sum(command.busy for command in executor.commands) == executor.counters.busy > 0
        assert executor.bytes_read > 0 < executor.bytes_written
        totals.append(executor.counters.total)
    assert totals[1] > totals[0] + 300 * vector.commands_done


@pytest.mark.slow
def test_rows_and_turns_cost_cycles_and_change_no_result(vectors: list[Vector]) -> None:
    vector = next(vector for vector in vectors if vector.name == "width-8x8")
    totals = []
    for miss, turn in ((0, 0), (20, 0), (0, 20), (20, 20)):
        memory, executor = vector.before.copy(), RtlExecutor(TINY, Ddr(8, row_miss=miss, turnaround=turn))
        assert vector.agrees(memory, vector.run_on(executor, memory))
        totals.append(executor.counters.total)
    neither, miss, turn, both = totals
    assert neither < miss < both
    assert neither < turn < both


@pytest.mark.slow
def test_an_endless_list_is_reported(vectors: list[Vector]) -> None:
    vector = next(vector for vector in vectors if vector.commands_done)
    with pytest.raises(TimeoutError, match="does not end in 100 cycles"):
        vector.run_on(RtlExecutor(TINY, watchdog=100), vector.before.copy())


IMPOSSIBLE: list[dict[str, Any]] = [
    {"bytes_per_cycle": 0},
    {"jitter": -1},
    {"stall": 1.0},
    {"fail": (0, -1, 0)},
    {"row_miss": -1},
]


@pytest.mark.parametrize("wrong", IMPOSSIBLE)
def test_a_memory_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="bandwidth must be positive"):
        Ddr(**wrong)


@pytest.mark.slow
def test_a_core_can_be_used_again_after_a_list_that_does_not_end(vectors: list[Vector]) -> None:
    vector = next(vector for vector in vectors if vector.commands_done)
    place = (vector.list_offset, vector.list_bytes, vector.mem_base, vector.mem_bytes)
    with RtlPins(TINY) as pins:
        with pytest.raises(TimeoutError, match="does not end in 100 cycles"):
            RtlExecutor(TINY, watchdog=100).run_on(pins, vector.before.copy(), *place)
        pins.soft_reset(10_000)
        memory = vector.before.copy()
        assert vector.agrees(memory, RtlExecutor(TINY).run_on(pins, memory, *place))


def test_counters_subtract() -> None:
    assert Counters(5, 4, 3, 2) - Counters(1, 1, 1, 1) == Counters(4, 3, 2, 1)
    assert NOTHING - NOTHING == NOTHING
