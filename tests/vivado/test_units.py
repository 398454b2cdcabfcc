"""The unit benches of the RTL modules, on Verilator and, where it is installed, on Icarus."""

from __future__ import annotations

import pytest

from sim.bench.units import Unit, missing_simulator, run_unit

ENGINES = ("sync_fifo", "burst_split", "axi_reader", "axi_writer", "axi_rules", "axi_engines")


def engines(bus_bytes: int) -> Unit:
    return Unit("axi_engines", "axi_engines", ENGINES, {"BusBytes": bus_bytes})


@pytest.fixture(params=["verilator", "icarus"])
def simulator(request: pytest.FixtureRequest) -> str:
    reason = missing_simulator(request.param)
    if reason:
        pytest.skip(reason)
    return str(request.param)


@pytest.mark.slow
@pytest.mark.parametrize("bus_bytes", [8, 64])
def test_axi_engines(bus_bytes: int, simulator: str) -> None:
    run_unit(engines(bus_bytes), simulator)
