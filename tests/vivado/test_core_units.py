"""The unit benches of the core's modules, on Verilator."""

from __future__ import annotations

import pytest

from sim.bench.runner import BenchError
from sim.bench.units import Unit, run_unit
from tests.vivado.engines import MAP_ENGINE, SCALAR_ENGINE, WEIGHT_ENGINE

ROUNDING_MODULES = (
    *("noise_pkg", "rounding_pkg", "carry_chain", "mix_add", "noise_keys", "noise_base", "noise", "select_four"),
    *("rounding_control", "requantise", "rounding_bench"),
)
ROUNDING = Unit("rounding", "rounding_bench", ROUNDING_MODULES)
LANE = Unit("lane", "lane", ("core_pkg", "select_two", "select_four", "lane"), {"Words": 384, "Slots": 9})
WRITER_MODULES = ("core_pkg", "sync_fifo", "block_fifo", "select_two", "select_four", "select_eight", "load_writer")
WRITERS = [
    Unit(
        "load_writer",
        "load_writer",
        WRITER_MODULES,
        {"BusBytes": bus, "Writers": writers, "Triples": triples, "InBlockRam": block_ram},
        settings,
    )
    for bus, writers, triples, block_ram in ((8, 2, 1, 0), (64, 4, 3, 1), (64, 16, 3, 0))
    for settings in ({"CPT_TRIPLES": str(triples), "CPT_WRITERS": str(writers)},)
]
STORE_MODULES = (
    *("core_pkg", "sync_fifo", "select_two", "select_four", "rotate", "row_table", "store_buffer", "store"),
    "store_bench",
)
STORES = [
    Unit("store", "store_bench", STORE_MODULES, {"BuildNumber": build}, {"CPT_LANES": str(lanes)})
    for build, lanes in ((0, 16), (1, 48))
]
ARRAY_MODULES = ("dpu_row_model", "dpu_row", "count_ones", "select_two", "select_four", "row_sum", "result_drain")
ARRAY = Unit("array_drain", "array", ("core_pkg", *ARRAY_MODULES, "array"))
TALLY_MODULES = ("core_pkg", "product_sum", "tally_channel", "tally")
TALLIES = [
    Unit("tally", "tally", TALLY_MODULES, {"Lanes": lanes, "AtOnce": at_once}, settings, synthesised)
    for lanes, at_once, synthesised in ((16, 2, False), (48, 2, False), (32, 1, False), (16, 2, True), (32, 1, True))
    for settings in ({"CPT_LANES": str(lanes), "CPT_AT_ONCE": str(at_once)},)
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
        {"CPT_BUS_BYTES": str(bus), "CPT_MAXIMA_BLOCKS": str(blocks)},
    )
    for bus, blocks in ((8, 4), (16, 64), (64, 64))
]
# Its engines with beats of 16 bytes on a wide bus.
VECTOR_UNITS = [
    Unit(
        bench,
        "vector_unit_bench",
        (
            *("vector_pkg", "rounding_pkg", "sync_fifo", *WEIGHT_ENGINE, *SCALAR_ENGINE),
            *("narrow_port", "vector_unit", "vector_unit_bench"),
        ),
        {"BusBytes": 64},
        {"CPT_BUS_BYTES": "64", "CPT_MAXIMA_BLOCKS": "64", "CPT_EVERY": "4"},
    )
    for bench in ("weight_engine", "scalar_engine")
]
PRODUCTS = [
    Unit(
        "wide_product",
        "wide_product",
        ("delay_line", "wide_product"),
        {"ABits": a, "BBits": b},
        {"CPT_A": str(a), "CPT_B": str(b)},
        synthesised,
    )
    for a, b, synthesised in ((25, 48, False), (25, 32, True), (25, 48, True), (32, 33, True))
]
NARROW = [
    Unit(
        "narrow_port",
        "narrow_port",
        ("vector_pkg", "sync_fifo", "narrow_port"),
        {"WideBytes": wide, "NarrowBytes": narrow},
        {"CPT_WIDE": str(wide), "CPT_NARROW": str(narrow)},
    )
    for wide, narrow in ((64, 32), (64, 16), (32, 16))
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [ROUNDING, LANE, ARRAY, *WRITERS, *STORES, MAP_LANE, *MAPS, *TALLIES, *WEIGHTS, *VECTOR_UNITS, *PRODUCTS, *NARROW],
    ids=lambda unit: "-".join(
        [unit.toplevel, unit.bench, *map(str, unit.parameters.values()), *["synthesised"] * unit.synthesised]
    ),
)
def test_unit(unit: Unit) -> None:
    run_unit(unit)


@pytest.mark.slow
def test_assertions_are_on() -> None:
    with pytest.raises(BenchError):
        run_unit(Unit("overrun", "sync_fifo", ("sync_fifo",)))
    run_unit(Unit("overrun", "sync_fifo", ("sync_fifo",), {"Depth": 16}))
