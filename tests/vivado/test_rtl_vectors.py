"""The Verilated core in its harness: vectors under twenty seeds, every state and error code, random lists."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import numpy as np
import pytest

from sim.contract import Build, Error
from sim.devices.rtl_executor import Ddr, RtlExecutor
from sim.devices.rtl_pins import RtlPins
from sim.devices.rtl_states import declared_states, forget_states, never_reached
from sim.reference import Reference
from sim.vectors import Vector, catalogue
from tests.hls.random_lists import random_list
from tests.tools import TINY, TRAIN, ZC706

pytestmark = pytest.mark.slow
WATCHDOG = 3_000_000
FULL_SIZE = (
    "shape-",
    "shift-",
    "plane-rows-",
    "row-sums-",
    "batch",
    "read-after",
    "write-after",
    "out-int64",
    "layer-",
)


OF_LANES = ("shape-", "layer-")


@pytest.fixture(scope="module")
def vectors() -> list[Vector]:
    return [vector for vector in catalogue(TINY) if not vector.slow]


def agrees(executor: RtlExecutor, pins: RtlPins, vector: Vector) -> bool:
    memory = vector.before.copy()
    place = (vector.list_offset, vector.list_bytes, vector.mem_base, vector.mem_bytes)
    return vector.agrees(memory, executor.run_on(pins, memory, *place))


def disagreements(ddr: Ddr, vectors: Iterable[Vector], build: Build = TINY, synthesised: bool = False) -> list[str]:
    """The names of the vectors that one core, never reset, gets wrong in this order."""
    executor = RtlExecutor(build, ddr, WATCHDOG)
    with RtlPins(build, ddr, synthesised) as pins:
        return [vector.name for vector in vectors if not agrees(executor, pins, vector)]


@pytest.mark.parametrize("seed", range(1, 21))
def test_vectors_whatever_the_memory_does(vectors: list[Vector], seed: int) -> None:
    """Others for every seed, a quarter of them, in random order: each list follows others, some of which failed.

    `cpt vectors --device rtl --build tiny --seeds 20` runs all of them under every seed.
    """
    assert disagreements(Ddr.unfriendly(seed), Random(seed).sample(vectors, len(vectors) // 4)) == []


def test_the_vectors_reach_every_state_and_every_error(vectors: list[Vector]) -> None:
    forget_states(TINY)
    assert len(never_reached(TINY)) == sum(map(len, declared_states().values()))
    assert disagreements(Ddr(), vectors) == []
    # For bundles wider than the engine's memory of maxima, which no quick vector has.
    assert never_reached(TINY) == ["weight_update.Fence"]
    assert {vector.error for vector in vectors} == set(Error)


def test_the_core_as_it_is_synthesised(vectors: list[Vector]) -> None:
    """LUTs, carry chains and multiplexers by name, in the place of what simulators get; some vectors of every kind."""
    chosen = vectors[:: len(vectors) // 12]
    assert len(chosen) >= 12
    assert disagreements(Ddr(stall=0.1, seed=3), chosen, synthesised=True) == []


def test_the_full_size_core() -> None:
    """Three groups of lanes, 64-byte beats, memories that are no power of two: a selection, as each takes a while."""
    chosen = [each for each in catalogue(ZC706) if each.name.startswith(FULL_SIZE) and not each.slow]
    assert len(chosen) > 50
    assert disagreements(Ddr(latency=10, stall=0.05, seed=1), chosen, ZC706) == []


def test_the_core_for_training() -> None:
    """More memories than rows of the array, sets of a WGRAD from two kernel rows: what differs from the others."""
    chosen = [each for each in catalogue(TRAIN) if each.name.startswith(OF_LANES) and not each.slow]
    assert len(chosen) > 20
    assert disagreements(Ddr(latency=10, stall=0.05, seed=1), chosen, TRAIN) == []


@pytest.mark.exhaustive
def test_every_vector_on_the_core_for_training() -> None:
    assert disagreements(Ddr.unfriendly(1), [each for each in catalogue(TRAIN) if not each.slow], TRAIN) == []


@pytest.mark.parametrize(
    ("seed", "build"), [*((seed, TINY) for seed in range(20)), *((seed, ZC706) for seed in (1, 2))]
)
def test_random_lists(seed: int, build: Build) -> None:
    memory, offset, size = random_list(seed, build)
    expected = memory.copy()
    outcome = Reference(build).run(expected, offset, size)
    found = RtlExecutor(build, Ddr(latency=10, stall=0.1, seed=seed + 1), WATCHDOG).run(memory, offset, size)
    assert found.error == outcome.error
    assert np.array_equal(memory, expected)
