"""The Verilated core in its harness: every vector, random lists, and a memory that answers with errors."""

from __future__ import annotations

import numpy as np
import pytest

from sim.contract import Error
from sim.reference import Reference
from sim.rtl_device import Ddr, RtlKernel
from sim.vectors import Vector, catalogue
from tests.hls.random_lists import random_list
from tests.tools import TINY

pytestmark = pytest.mark.slow
WATCHDOG = 3_000_000


def agrees(kernel: RtlKernel, vector: Vector) -> bool:
    memory = vector.before.copy()
    return vector.agrees(memory, vector.run_on(kernel, memory))


@pytest.mark.parametrize("ddr", [Ddr(latency=0), Ddr(), Ddr(latency=20, stall=0.3)], ids=["at once", "ddr", "stalls"])
def test_every_vector(ddr: Ddr) -> None:
    kernel = RtlKernel(TINY, ddr, WATCHDOG)
    assert not [vector.name for vector in catalogue(TINY) if not vector.slow and not agrees(kernel, vector)]


@pytest.mark.parametrize("seed", range(20))
def test_random_lists(seed: int) -> None:
    memory, offset, size = random_list(seed, TINY)
    expected = memory.copy()
    outcome = Reference(TINY).run(expected, offset, size)
    found = RtlKernel(TINY, Ddr(latency=10, stall=0.1, seed=seed + 1), WATCHDOG).run(memory, offset, size)
    assert found.error == outcome.error
    assert np.array_equal(memory, expected)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", ["read_errors", "write_errors"])
def test_errors_of_the_bus_end_the_list(kind: str, seed: int) -> None:
    """A command before the error stands, and nothing but results is ever written."""
    vectors = {vector.name: vector for vector in catalogue(TINY) if vector.name in ("width-4x4", "row-sums-int16")}
    for vector in vectors.values():
        kernel = RtlKernel(TINY, Ddr(latency=5, seed=seed, **{kind: 0.01}), WATCHDOG)
        memory = vector.before.copy()
        outcome = vector.run_on(kernel, memory)
        allowed = Error.READ_BUS if kind == "read_errors" else Error.WRITE_BUS
        assert outcome.error in (Error.OK, allowed)
        if outcome.error == Error.OK:
            assert np.array_equal(memory, vector.after)
        else:
            assert outcome.commands_done == outcome.error_index
            assert ((memory == vector.before) | (memory == vector.after)).all()
