"""The Verilated core behind its C++ harness: every vector, an unfriendly memory, injected bus errors."""

from __future__ import annotations

import numpy as np
import pytest

from sim.contract import Error
from sim.rtl_device import NOTHING, Counters, Ddr, RtlKernel
from sim.vectors import Vector, catalogue
from tests.tools import TINY

WATCHDOG = 2_000_000  # cycles


@pytest.fixture(scope="module")
def vectors() -> list[Vector]:
    return [vector for vector in catalogue(TINY) if not vector.slow]


def failures(kernel: RtlKernel, vectors: list[Vector]) -> list[str]:
    """The names of vectors that the kernel does not agree with."""
    wrong = []
    for vector in vectors:
        memory = vector.before.copy()
        if not vector.agrees(memory, vector.run_on(kernel, memory)):
            wrong.append(vector.name)
    return wrong


@pytest.mark.slow
def test_every_vector_agrees(vectors: list[Vector]) -> None:
    assert failures(RtlKernel(TINY, watchdog=WATCHDOG), vectors) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 21))
def test_vectors_agree_whatever_the_memory_does(vectors: list[Vector], seed: int) -> None:
    """Twenty seeds; each has its own stalls, latency and bandwidth, and its share of the vectors."""
    ddr = Ddr(bytes_per_cycle=2 + 3 * (seed % 5), latency=seed * 7 % 90, stall=0.1 * (seed % 7), seed=seed)
    assert failures(RtlKernel(TINY, ddr, WATCHDOG), vectors[seed % 10 :: 10]) == []


@pytest.mark.slow
def test_injected_errors_end_the_list_and_nothing_else_is_written(vectors: list[Vector]) -> None:
    seen = set()
    for number, vector in enumerate(vectors[::3]):
        ddr = Ddr(latency=9, stall=0.2, read_errors=0.003, write_errors=0.02, seed=number)
        memory = vector.before.copy()
        outcome = vector.run_on(RtlKernel(TINY, ddr, WATCHDOG), memory)
        seen.add(outcome.error)
        if outcome.error in (Error.READ_BUS, Error.WRITE_BUS):
            assert outcome.error_index == outcome.commands_done <= vector.commands_done
            # What the vector does not change must not change, whatever is missing of what it does.
            same = vector.before == vector.after
            assert np.array_equal(memory[same], vector.before[same]), vector.name
        else:
            assert vector.agrees(memory, outcome), vector.name
    assert {Error.OK, Error.READ_BUS, Error.WRITE_BUS} <= seen


@pytest.mark.slow
def test_counters_belong_to_commands_and_grow_with_latency(vectors: list[Vector]) -> None:
    vector = next(vector for vector in vectors if vector.commands_done > 1 and not vector.error)
    totals = []
    for latency in (0, 300):
        kernel = RtlKernel(TINY, Ddr(latency=latency))
        outcome = vector.run_on(kernel, vector.before.copy())
        assert outcome.cycles == kernel.counters.total
        assert len(kernel.commands) == vector.commands_done
        assert sum(command.busy for command in kernel.commands) == kernel.counters.busy > 0
        assert kernel.bytes_read > 0 < kernel.bytes_written
        totals.append(kernel.counters.total)
    assert totals[1] > totals[0] + 300 * vector.commands_done


@pytest.mark.slow
def test_an_endless_list_is_reported(vectors: list[Vector]) -> None:
    vector = next(vector for vector in vectors if vector.commands_done)
    with pytest.raises(TimeoutError, match="does not end in 100 cycles"):
        vector.run_on(RtlKernel(TINY, watchdog=100), vector.before.copy())


def test_a_memory_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="bandwidth must be positive"):
        Ddr(bytes_per_cycle=0)


def test_counters_subtract() -> None:
    assert Counters(5, 4, 3, 2) - Counters(1, 1, 1, 1) == Counters(4, 3, 2, 1)
    assert NOTHING - NOTHING == NOTHING
