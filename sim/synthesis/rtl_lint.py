"""`make -C vivado lint`: Verilator on the kernel of every build, packaged and as it is synthesised, and on the monitor.

And what Verilator cannot see: carry chains by name that no slice can hold.
"""

from __future__ import annotations

import subprocess
import sys

from sim.common.places import VIVADO
from sim.contract import BUILDS
from sim.devices.rtl_library import SYNTHESISED
from sim.devices.rtl_sources import RTL_BUILDS, STRICT, rtl_sources
from sim.devices.verilator import verilator_environment
from sim.synthesis.slices import CHECKED, check_chains
from sim.synthesis.yosys import PRIMITIVES

IP = VIVADO / "ip"


def lint(top: str, *options: str) -> str:
    """Verilator's warnings; empty if the module is clean."""
    command = ["verilator", "--lint-only", *STRICT, "--quiet-stats", "--top-module", top, *options]
    ran = subprocess.run(
        [*command, *map(str, rtl_sources())], env=verilator_environment(), capture_output=True, text=True, check=False
    )
    return (ran.stdout + ran.stderr).strip()


def lint_packaged(build: str, data_bits: int) -> str:
    """The top that Vivado's packager gets, and the kernel in it."""
    parameters = {"BUILD": RTL_BUILDS[build], "DATA_BITS": data_bits, "VECTOR_UNIT": int(build == "zc706_train")}
    flags = [f"-G{name}={value}" for name, value in parameters.items()]
    return lint("cpt_kernel_ip", *flags, str(IP / "cpt_kernel_ip.v"))


def main() -> int:
    complaints = {f"{name}, packaged": lint_packaged(name, 8 * BUILDS[name]["bus_bytes"]) for name in RTL_BUILDS}
    complaints["response monitor"] = lint("response_monitor", str(IP / "response_monitor.v"))
    complaints["dot products in LUTs"] = lint("dpu_row", "+define+SYNTHESIS", str(PRIMITIVES))
    complaints["sums of products in DSPs"] = lint("tally", "+define+SYNTHESIS", str(PRIMITIVES))
    complaints["a channel of a MAP in DSPs"] = lint("map_lane", "+define+SYNTHESIS", str(PRIMITIVES))
    for name, number in RTL_BUILDS.items():
        build = f"-GBuildNumber={number}"
        complaints[f"{name}, synthesised"] = lint("cpt_kernel", build, *SYNTHESISED)
        complaints[f"{name}, vector unit, synthesised"] = lint("cpt_kernel", build, "-GVectorUnit=1", *SYNTHESISED)
    for top, parameters in CHECKED:
        conflicts = check_chains(top, *parameters).conflicts
        complaints[" ".join(["carry chains in slices,", top, *parameters])] = "\n".join(conflicts)
    for name, complaint in complaints.items():
        print(f"{name}: {complaint or 'clean'}")
    return int(any(complaints.values()))


if __name__ == "__main__":
    sys.exit(main())
