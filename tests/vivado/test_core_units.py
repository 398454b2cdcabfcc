"""The unit benches of the core's modules, on Verilator."""

from __future__ import annotations

import pytest

from sim.bench.runner import BenchError
from sim.bench.units import Unit, run_unit
from tests.vivado.engines import MAP_ENGINE, WEIGHT_ENGINE

ROUNDING_MODULES = (
    *("noise_pkg", "rounding_pkg", "carry_chain", "mix_add", "noise_keys", "noise_base", "noise", "select_four"),
    *("rounding_control", "requantise", "rounding_bench"),
)
ROUNDING = Unit("rounding", "rounding_bench", ROUNDING_MODULES)
LANE = Unit("lane", "lane", ("core_pkg", "select_two", "select_four", "lane"), {"Words": 384, "Slots": 9})
WRITER_MODULES = ("core_pkg", "sync_fifo", "select_two", "select_four", "select_eight", "load_writer")
WRITERS = [
    Unit(
        "load_writer",
        "load_writer",
        WRITER_MODULES,
        {"BusBytes": bus, "Writers": bus // 4, "Triples": triples},
        settings,
    )
    for bus, triples in ((8, 1), (64, 3))
    for settings in ({"CPT_TRIPLES": str(triples)},)
]
STORE_MODULES = (
    *("core_pkg", "sync_fifo", "select_two", "select_four", "rotate", "row_table", "store_buffer", "store"),
    "store_bench",
)
STORES = [
    Unit("store", "store_bench", STORE_MODULES, {"BuildNumber": build}, {"CPT_LANES": str(lanes)})
    for build, lanes in ((0, 16), (1, 48))
]
ARRAY_MODULES = (
    "copies",
    "dpu_row_model",
    "dpu_row",
    "count_ones",
    "select_two",
    "select_four",
    "row_sum",
    "result_drain",
)
ARRAY = Unit("array_drain", "array", ("core_pkg", *ARRAY_MODULES, "array"))
TALLY_MODULES = ("core_pkg", "product_sum", "tally_channel", "tally")
TALLIES = [
    Unit("tally", "tally", TALLY_MODULES, {"Lanes": lanes}, {"CPT_LANES": str(lanes)}, synthesised)
    for lanes, synthesised in ((16, False), (48, False), (16, True))
]

LOADS = [
    Unit("row_joiner", "row_joiner", ("core_pkg", "row_joiner")),
    Unit("weight_walker", "weight_walker", ("core_pkg", "weight_walker"), {"Groups": 9}),
    Unit("load_credits", "load_credits", ("core_pkg", "load_credits")),
    Unit("walk", "walk_bench", ("core_pkg", "lane_dealer", "row_walker", "walk_bench")),
]

MAPS = [Unit("map_engine", "map_bench", ("vector_pkg", *MAP_ENGINE), {"BusBytes": bus}) for bus in (8, 32, 64)]
MAP_LANE_MODULES = (
    *("rounding_pkg", "map_pkg", "select_four", "select_eight", "rounding_control", "requantise", "scaled_product"),
    *("dsp_add", "near_limit", "map_lane", "product_sum", "map_tally", "map_lane_bench"),
)
MAP_LANE = Unit("map_lane", "map_lane_bench", MAP_LANE_MODULES)
WEIGHTS = [
    Unit(
        "weight_engine",
        "weight_engine",
        ("vector_pkg", "sync_fifo", *WEIGHT_ENGINE),
        {"BusBytes": bus, "MaximaBlocks": blocks},
        {"CPT_BUS_BYTES": str(bus)},
    )
    for bus, blocks in ((8, 4), (64, 64))
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [ROUNDING, LANE, ARRAY, *WRITERS, *STORES, *LOADS, MAP_LANE, *MAPS, *TALLIES, *WEIGHTS],
    ids=lambda unit: "-".join([unit.bench, *map(str, unit.parameters.values()), *["synthesised"] * unit.synthesised]),
)
def test_unit(unit: Unit) -> None:
    run_unit(unit)


@pytest.mark.slow
def test_assertions_are_on() -> None:
    with pytest.raises(BenchError):
        run_unit(Unit("overrun", "sync_fifo", ("sync_fifo",)))
    run_unit(Unit("overrun", "sync_fifo", ("sync_fifo",), {"Depth": 16}))
