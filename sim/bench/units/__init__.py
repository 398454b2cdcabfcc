"""Cocotb benches of single modules of the RTL; `run_unit` builds one and runs it."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from sim.bench.runner import LOCK_SECONDS, BenchError, environment, raise_failures
from sim.common.files import locked
from sim.common.places import OUT, RTL, VIVADO
from sim.devices.rtl_sources import STRICT
from sim.devices.verilator import verilator_environment
from sim.synthesis.yosys import PRIMITIVES, run_yosys

BENCH = VIVADO / "bench"
IP = VIVADO / "ip"
PACKAGES = ("contract_pkg.sv", "command_pkg.sv")


@dataclass(frozen=True)
class Unit:
    """A module under test: its cocotb bench is `sim.bench.units.<bench>`, its sources are looked up by name."""

    bench: str
    toplevel: str
    modules: tuple[str, ...]  # from the leaves up, without the suffix
    parameters: dict[str, object] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)  # for the bench's environment
    synthesised: bool = False  # simulate LUTs, carry chains and DSPs by Yosys' models of them

    def sources(self) -> list[Path]:
        return [*(RTL / name for name in PACKAGES), *(_source(module) for module in self.modules)]


def _source(module: str) -> Path:
    for path in (RTL / f"{module}.sv", BENCH / f"{module}.sv", IP / f"{module}.v"):
        if path.exists():
            return path
    raise FileNotFoundError(f"no module '{module}' in vivado/rtl, vivado/bench or vivado/ip")


def plain_verilog(unit: Unit, build: Path) -> list[Path]:
    """The unit as Yosys understands it, in Verilog: Icarus does not support enough of SystemVerilog.

    So Icarus also checks that what is synthesised is what Verilator simulates. Assertions are left to Verilator.
    """
    written = build / f"{unit.toplevel}.v"
    settings = [f"-G{name}={value}" for name, value in unit.parameters.items()]
    sources = unit.sources()
    models: list[str] = []
    if unit.synthesised:
        sources, settings = [PRIMITIVES, *sources], [*settings, "-D SYNTHESIS"]
        models = ["read_verilog -overwrite +/xilinx/cells_sim.v", f"hierarchy -top {unit.toplevel}"]
    else:
        settings.append("--no-synthesis-define")  # the behaviour of LUTs instantiated by name, not the LUTs
    run_yosys(
        [
            f"read_slang -j 1 --top {unit.toplevel} {' '.join(settings)} {' '.join(map(str, sources))}",
            *(*models, "proc", "flatten", "chformal -remove", "opt_clean", f"write_verilog -noattr {written}"),
        ]
    )
    return [written]


def missing_simulator(simulator: str) -> str:
    """Why this simulator cannot be used here; empty if it can."""
    if simulator == "icarus" and shutil.which("iverilog") is None:
        return "Icarus Verilog is not installed (apt-get install iverilog)"
    return ""


def build_folder(unit: Unit, kind: str, waves: bool) -> Path:
    parts = [kind, unit.bench, *(str(value) for value in unit.parameters.values()), *(["waves"] if waves else [])]
    return OUT / "units" / "-".join(parts)


def run_unit(unit: Unit, simulator: str = "verilator", seed: int = 1) -> None:
    """Runs a unit's bench; raises BenchError with what it found. WAVES=1 in the environment keeps a waveform."""
    from cocotb_tools.runner import get_runner

    waves = os.environ.get("WAVES") == "1"
    kind = f"{simulator}-synthesised" if unit.synthesised else simulator
    build = build_folder(unit, kind, waves)
    build.mkdir(parents=True, exist_ok=True)
    arguments = [*STRICT, "--assert"] if simulator == "verilator" else ["-g2012"]
    tools = verilator_environment() if simulator == "verilator" else {}
    sources, parameters = unit.sources(), unit.parameters
    if simulator == "icarus" or unit.synthesised:
        arguments = ["-g2012"] if simulator == "icarus" else ["-Wno-fatal", "-Wno-lint", "-Wno-style"]
        sources, parameters = plain_verilog(unit, build), {}
    with locked(build / ".lock", LOCK_SECONDS), environment(tools):
        results = build / "results.xml"
        results.unlink(missing_ok=True)
        # The last build's program has the module's name; one called `array` would be compiled as the C++ header.
        (build / unit.toplevel).unlink(missing_ok=True)
        runner = get_runner(simulator)
        try:
            runner.build(
                sources=sources,
                hdl_toplevel=unit.toplevel,
                build_dir=build,
                build_args=arguments,
                parameters=parameters,
                timescale=("1ns", "1ps"),
                waves=waves,
                log_file=build / "build.log",
            )
            runner.test(
                test_module=f"{__name__}.{unit.bench}",
                hdl_toplevel=unit.toplevel,
                build_dir=build,
                waves=waves,
                extra_env={"CPT_SEED": str(seed), "COCOTB_LOG_LEVEL": "WARNING", **unit.settings},
                results_xml=str(results),
                log_file=build / "test.log",
            )
        except (RuntimeError, SystemExit) as failed:
            if not results.exists():
                raise BenchError(f"{failed}: see build.log and test.log in {build}") from failed
        raise_failures(results)
