"""The unit benches of the core's modules, on Verilator."""

from __future__ import annotations

import pytest

from sim.bench.units import Unit, run_unit

ROUNDING = Unit("rounding", "rounding_bench", ("noise_pkg", "noise_keys", "noise", "requantise", "rounding_bench"))
LANE = Unit("lane", "lane", ("core_pkg", "lane"), {"Words": 256, "Slots": 9})
ARRAY = Unit("array_drain", "array", ("core_pkg", "dpu_row_model", "dpu_row", "row_sum", "array"))


@pytest.mark.slow
@pytest.mark.parametrize("unit", [ROUNDING, LANE, ARRAY], ids=lambda unit: unit.bench)
def test_unit(unit: Unit) -> None:
    run_unit(unit)
