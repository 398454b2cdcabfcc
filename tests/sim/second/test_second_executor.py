"""The reference against the second executor: every vector of the vector unit, whole memories."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from sim.contract import Build
from sim.vectors import Vector
from sim.vectors.catalogue import VECTOR_UNIT_FAMILIES
from tests.sim.second.executor import run_list
from tests.tools import TINY


@pytest.mark.parametrize("family", VECTOR_UNIT_FAMILIES, ids=lambda family: family.__name__)
def test_both_executors_agree(family: Callable[[Build], Iterator[Vector]]) -> None:
    for vector in family(TINY):
        if vector.name.startswith("conv-error"):
            continue
        memory = vector.before.copy()
        outcome = run_list(memory, vector.list_offset, vector.list_bytes, vector.mem_bytes)
        assert (outcome.error, outcome.error_index) == (vector.error, vector.error_index), vector.name
        assert np.flatnonzero(memory != vector.after)[:8].tolist() == [], f"{vector.name}: addresses that differ"
