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
WRITER_MODULES = ("core_pkg", "sync_fifo", "select_two", "select_four", "select_eight", "load_writer")
WRITERS = [
    Unit(
        "load_writer",
        "load_writer",
        WRITER_MODULES,
        {"BusBytes": bus, "Writers": writers, "Triples": triples},
        settings,
    )
    for bus, writers, triples in ((8, 2, 1), (64, 8, 3))
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
TALLY_MODULES = ("core_pkg", "square_sum", "tally_channel", "tally")
TALLIES = [
    Unit("tally", "tally", TALLY_MODULES, {"Lanes": lanes}, {"CPT_LANES": str(lanes)}, synthesised)
    for lanes, synthesised in ((16, False), (48, False), (16, True))
]

MAPS = [Unit("map_engine", "map_engine", ("vector_pkg", *MAP_ENGINE), {"BusBytes": bus}) for bus in (8, 32, 64)]
WEIGHTS = [
    Unit(
        "weight_engine",
        "weight_engine",
        ("vector_pkg", "sync_fifo", *WEIGHT_ENGINE),
        {"BusBytes": bus, "MaximaBlocks": blocks},
        {"CPT_BUS_BYTES": str(bus), "CPT_MAXIMA_BLOCKS": str(blocks)},
    )
    for bus, blocks in ((8, 4), (16, 64))
]
# Its engines with beats of 16 bytes on a wide bus.
VECTOR_UNITS = [
    Unit(
        bench,
        "vector_unit_bench",
        ("vector_pkg", "sync_fifo", *WEIGHT_ENGINE, *SCALAR_ENGINE, "narrow_port", "vector_unit", "vector_unit_bench"),
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
    for wide, narrow in ((64, 16), (32, 16), (16, 8))
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [ROUNDING, LANE, ARRAY, *WRITERS, *STORES, *MAPS, *TALLIES, *WEIGHTS, *VECTOR_UNITS, *PRODUCTS, *NARROW],
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
