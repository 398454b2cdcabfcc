"""Cocotb benches of single modules of the RTL; `run_unit` builds one and runs it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from sim.bench.devices import Dut
from sim.bench.runner import LOCK_SECONDS, simulate
from sim.common.files import locked
from sim.common.places import OUT, RTL, VIVADO
from sim.devices.rtl_sources import STRICT
from sim.synthesis.yosys import MODELS, PRIMITIVES, run_yosys

BENCH = VIVADO / "bench"
IP = VIVADO / "ip"
PACKAGES = ("contract_pkg.sv", "command_pkg.sv")


@dataclass(frozen=True)
class Unit:
    """A module under test: its cocotb bench is `sim.bench.units.<bench>`, its sources are looked up by name."""

    bench: str
    toplevel: str
    modules: tuple[str, ...]  # from the leaves up, without the suffix; one may be named again
    parameters: dict[str, object] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)  # for the bench's environment
    synthesised: bool = False  # simulate LUTs, carry chains and DSPs by Yosys' models of them

    def sources(self) -> list[Path]:
        return [*(RTL / name for name in PACKAGES), *map(_source, dict.fromkeys(self.modules))]


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
        models = [MODELS, f"hierarchy -top {unit.toplevel}"]
    else:
        settings.append("--no-synthesis-define")  # the behaviour of LUTs instantiated by name, not the LUTs
    run_yosys(
        [
            f"read_slang -j 1 --top {unit.toplevel} {' '.join(settings)} {' '.join(map(str, sources))}",
            *(*models, "proc", "flatten", "chformal -remove", "opt_clean", f"write_verilog -noattr {written}"),
        ]
    )
    return [written]


def build_folder(unit: Unit, kind: str, waves: bool) -> Path:
    parts = [kind, unit.bench, *(str(value) for value in unit.parameters.values()), *(["waves"] if waves else [])]
    return OUT / "units" / "-".join(parts)


def run_unit(unit: Unit, simulator: str = "verilator", seed: int = 1) -> None:
    """Runs a unit's bench; raises BenchError with what it found. WAVES=1 in the environment keeps a waveform."""
    waves = os.environ.get("WAVES") == "1"
    kind = f"{simulator}-synthesised" if unit.synthesised else simulator
    build = build_folder(unit, kind, waves)
    build.mkdir(parents=True, exist_ok=True)
    arguments, sources, parameters = [*STRICT, "--assert"], unit.sources(), unit.parameters
    if simulator == "icarus" or unit.synthesised:
        arguments = ["-g2012"] if simulator == "icarus" else ["-Wno-fatal", "-Wno-lint", "-Wno-style"]
        sources, parameters = plain_verilog(unit, build), {}
    dut = Dut(sources, arguments, parameters)
    settings = {"CPT_SEED": str(seed), **unit.settings}
    with locked(build / ".lock", LOCK_SECONDS):
        # The last build's program has the module's name; one called `array` would be compiled as the C++ header.
        (build / unit.toplevel).unlink(missing_ok=True)
        simulate(dut, unit.toplevel, f"{__name__}.{unit.bench}", build, settings, waves, simulator)
