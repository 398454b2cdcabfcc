"""What can stand behind the bench's pins: DUT=hls (the C++ through DPI), rtl (our core), vitis (exported RTL)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim.common.places import HLS
from sim.common.plain_names import plain_name
from sim.contract import ALL_FEATURES, BUILDS, Build
from sim.devices.hls_executor import WORKPLACE, hls_sources, vendor_headers
from sim.devices.rtl_sources import SPLIT, STRICT, rtl_sources


@dataclass(frozen=True)
class Dut:
    """A device in Verilator's terms."""

    sources: list[Path]
    build_args: list[str] = field(default_factory=list)
    parameters: dict[str, object] = field(default_factory=dict)
    features: int = 0  # which vectors it can run

    def build_options(self) -> dict[str, Any]:
        """What cocotb's runner is given."""
        return {
            "sources": [plain_name(each) for each in self.sources],
            "build_args": self.build_args,
            "parameters": self.parameters,
        }


def open_dut(name: str, build: Build) -> Dut:
    """The device of this name; a missing one is an error that says how to get it."""
    if name not in DUTS:
        raise ValueError(f"no device '{name}'; there are: {', '.join(DUTS)}")
    return DUTS[name](build)


def _hls(build: Build) -> Dut:
    flags = f"-std=c++17 -O2 -DCPT_BUILD={build.name} -I{plain_name(HLS)} -isystem {plain_name(vendor_headers())}"
    c_sources = [plain_name(each) for each in (*hls_sources(), HLS / "cosim" / "dpi.cpp")]
    return Dut(
        sources=[HLS / "cosim" / "cpt_kernel.sv"],
        build_args=[*STRICT, "-CFLAGS", flags, "-LDFLAGS", "-pthread", *map(str, c_sources)],
        parameters={"BusBytes": build.bus_bytes},
        features=ALL_FEATURES,
    )


def _rtl(build: Build) -> Dut:
    # cocotb's runner makes every signal public, which disables Verilator's optimiser; the bench needs the pins only.
    pins = ["--no-public-flat-rw", "--public-depth", "1"]
    return Dut(
        sources=rtl_sources(),
        build_args=[*STRICT, "--noassert", "-O3", *SPLIT, *pins, "-CFLAGS", "-O2"],
        parameters={"BuildNumber": list(BUILDS).index(build.name)},
    )


def _vitis(build: Build) -> Dut:
    folder = WORKPLACE / "build" / f"vitis_{build.name}"
    sources = sorted(folder.glob("*/syn/verilog/*.v"))  # in solution/ by Tcl, in hls/ by a config file
    if not sources:
        goal = f"make -C {WORKPLACE} csynth BUILD={build.name}"
        raise ValueError(f"no Verilog in {folder}: run '{goal}' where Vitis HLS is")
    return Dut(sources, build_args=["-Wno-fatal"], features=ALL_FEATURES)


DUTS = {"hls": _hls, "rtl": _rtl, "vitis": _vitis}
