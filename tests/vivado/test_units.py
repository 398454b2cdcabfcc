"""The unit benches of the RTL modules, on Verilator and, where it is installed, on Icarus."""

from __future__ import annotations

import shutil

import pytest

from sim.bench.units import Unit, build_folder, run_unit
from sim.contract import ALL_FEATURES
from tests.vivado.engines import MAP_ENGINE, SCALAR_ENGINE, WEIGHT_ENGINE

STREAMS = (
    *("sync_fifo", "burst_split", "select_two", "select_four", "rotate", "join_beats", "axi_reader"),
    "axi_writer",
)
ENGINES = (*STREAMS, "axi_rules", "axi_engines")

CHECKER = ("field_check", "command_check", "checker_bench")

CONTROL = (
    *STREAMS,
    *("vector_pkg", *MAP_ENGINE, *SCALAR_ENGINE, *WEIGHT_ENGINE),
    *("map_fields", "scalar_fields", "weight_fields", "vector_check", "vector_unit", "port_share"),
    *("field_check", "command_check", "list_check", "command_fetch", "list_runner"),
    *("control_registers", "cycle_counters", "stub/core", "cpt_kernel"),
)

DOT_PRODUCTS = (
    *("core_pkg", "compressor_pkg", "count_products", "count_six", "carry_chain", "compress_36", "compress_66"),
    *(
        "compress_7",
        "compress_6",
        "compress_76",
        "full_adder",
        "ternary_add",
        "count_48",
        "popcount_lut",
        "dpu_control",
    ),
    *("accumulate_dsp", "dpu_row_model", "dpu_row", "dpu_bench"),
)


def engines(bus_bytes: int) -> Unit:
    return Unit("axi_engines", "axi_engines", ENGINES, {"BusBytes": bus_bytes})


def checker(number: int, features: int) -> Unit:
    build = ("tiny", "zc706")[number]
    settings = {"CPT_BUILD": build, "CPT_COUNT": "2000", "CPT_FEATURES": str(features)}
    return Unit("command_check", "checker_bench", CHECKER, {"BuildNumber": number, "VectorUnit": features}, settings)


def control() -> Unit:
    return Unit("control", "cpt_kernel", CONTROL)


@pytest.fixture(params=["verilator", "icarus"])
def simulator(request: pytest.FixtureRequest) -> str:
    if request.param == "icarus" and shutil.which("iverilog") is None:
        pytest.skip("Icarus Verilog is not installed (apt-get install iverilog)")
    return str(request.param)


@pytest.mark.slow
@pytest.mark.parametrize("bus_bytes", [8, 64])
def test_axi_engines(bus_bytes: int, simulator: str) -> None:
    run_unit(engines(bus_bytes), simulator)


@pytest.mark.slow
@pytest.mark.parametrize(("build", "features"), [(0, 0), (1, 0), (1, ALL_FEATURES)])
def test_checker(build: int, features: int, simulator: str) -> None:
    run_unit(checker(build, features), simulator)


@pytest.mark.slow
def test_registers_and_lists(simulator: str) -> None:
    run_unit(control(), simulator)


MONITOR = Unit("response_monitor", "response_monitor", ("response_monitor",))


@pytest.mark.slow
def test_response_monitor(simulator: str) -> None:
    run_unit(MONITOR, simulator)


@pytest.mark.slow
def test_a_waveform_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    written = build_folder(MONITOR, "verilator", waves=True) / "dump.vcd"
    written.unlink(missing_ok=True)
    monkeypatch.setenv("WAVES", "1")
    run_unit(MONITOR)
    assert "ap_clk" in written.read_text() or "clk" in written.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(("bits", "synthesised"), [(48, False), (144, True)])
def test_dot_products(bits: int, synthesised: bool) -> None:
    run_unit(Unit("dot_products", "dpu_bench", DOT_PRODUCTS, {"Bits": bits}, synthesised=synthesised))
