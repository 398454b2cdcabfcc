"""The scalar engine of the RTL: its program, arithmetic and commands. Vectors on the whole core: test_rtl_vectors."""

from __future__ import annotations

import pytest

from sim.bench.units import Unit, run_unit
from sim.synthesis.scalar_program import PACKAGE, render
from tests.vivado.engines import SCALAR_ENGINE, SCALAR_PIPE

ENGINE = ("vector_pkg", "sync_fifo", *SCALAR_ENGINE)


def test_the_program_in_the_tree_is_that_of_its_source() -> None:
    assert PACKAGE.read_text(encoding="utf-8") == render(), "run python -m sim.synthesis.scalar_program"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_arithmetic(seed: int) -> None:
    run_unit(Unit("scalar_pipe", "scalar_pipe", SCALAR_PIPE), seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize(("bus_bytes", "every"), [(8, 2), (16, 4)])
def test_engine(bus_bytes: int, every: int) -> None:
    settings = {"CPT_BUS_BYTES": str(bus_bytes), "CPT_EVERY": str(every)}
    run_unit(Unit("scalar_engine", "scalar_engine", ENGINE, {"BusBytes": bus_bytes}, settings))
