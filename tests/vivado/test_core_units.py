"""The unit benches of the core's modules, on Verilator."""

from __future__ import annotations

import pytest

from sim.bench.units import Unit, run_unit

ROUNDING_MODULES = (
    *("noise_pkg", "rounding_pkg", "carry_chain", "mix_add", "noise_keys", "noise_base", "noise", "select_four"),
    *("rounding_control", "requantise", "rounding_bench"),
)
ROUNDING = Unit("rounding", "rounding_bench", ROUNDING_MODULES)
LANE = Unit("lane", "lane", ("core_pkg", "select_two", "select_four", "lane"), {"Words": 384, "Slots": 9})
ARRAY_MODULES = ("dpu_row_model", "dpu_row", "count_ones", "select_two", "select_four", "row_sum", "result_drain")
ARRAY = Unit("array_drain", "array", ("core_pkg", *ARRAY_MODULES, "array"))


@pytest.mark.slow
@pytest.mark.parametrize("unit", [ROUNDING, LANE, ARRAY], ids=lambda unit: unit.bench)
def test_unit(unit: Unit) -> None:
    run_unit(unit)
