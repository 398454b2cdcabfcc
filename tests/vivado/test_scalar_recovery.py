"""After a reset in the middle of a scalar command, and after a bus error in it, the core's next list is right."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from sim.contract import CLASSES, COMMAND_BYTES, Error, Memory, ScalarCommand
from sim.contract.operands import scalar_operands
from sim.devices.rtl_executor import Ddr
from sim.vectors import Vector, catalogue
from tests.tools import TINY
from tests.vivado.core_bench import DRAIN, Bench

pytestmark = pytest.mark.slow
NAMES = ("norm-channels-33", "scale-history-twice", "join-channel-branch", "back-shape-3x33x2x5")
DDR = Ddr(bytes_per_cycle=8, latency=20, jitter=30, stall=0.2)


@pytest.fixture(scope="module")
def vectors() -> list[Vector]:
    found = [vector for vector in catalogue(TINY) if vector.name.startswith(NAMES)]
    assert len(found) >= len(NAMES)
    return found


def elsewhere(vector: Vector, memory: Memory) -> bool:
    """Whether only blocks that the list writes or changes have changed."""
    spared = np.ones(memory.size, dtype=bool)
    for start in range(vector.list_offset, vector.list_offset + vector.list_bytes, COMMAND_BYTES):
        command = CLASSES[vector.before[start]].decode(vector.before[start : start + COMMAND_BYTES].tobytes())
        assert isinstance(command, ScalarCommand)
        places = scalar_operands(command)
        for place in (*places.writes.values(), *places.changes.values()):
            spared[place.address : place.end] = False
    return bool(np.array_equal(memory[spared], vector.before[spared]))


@pytest.mark.parametrize("seed", range(4))
def test_a_reset_at_any_moment(vectors: list[Vector], seed: int) -> None:
    dice, bench = Random(seed), Bench(replace(DDR, seed=seed))
    for vector in vectors:
        assert bench.agrees(vector)
        length = bench.executor.simulated
        for _ in range(8):
            memory = vector.before.copy()
            bench.start(vector, memory)
            bench.pins.step(dice.randrange(length))
            bench.pins.soft_reset(DRAIN)
            assert elsewhere(vector, memory), vector.name
            assert bench.agrees(vector), vector.name


@pytest.mark.parametrize("seed", range(4))
def test_errors_here_and_there(vectors: list[Vector], seed: int) -> None:
    bench, seen = Bench(replace(DDR, seed=seed + 1)), set()
    for vector in vectors * 4:
        memory = vector.before.copy()
        outcome = bench.run(vector, memory, replace(DDR, read_errors=0.003, write_errors=0.02))
        seen.add(outcome.error)
        assert outcome.error in (Error.OK, Error.READ_BUS, Error.WRITE_BUS)
        assert elsewhere(vector, memory), vector.name
        assert bench.agrees(vector), vector.name
    assert len(seen) > 1
