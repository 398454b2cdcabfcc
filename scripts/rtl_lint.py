"""`make -C vivado lint`: Verilator's warnings on the whole kernel of every build, and on its array as synthesised."""

from __future__ import annotations

import subprocess
import sys

from sim.bench.verilator import verilator_environment
from sim.contract import CONFIGS
from sim.rtl_sources import rtl_sources
from sim.yosys import PRIMITIVES


def lint(top: str, *options: str) -> str:
    """What Verilator has to say; nothing if the module is clean. The pin `interrupt` has the name Vitis gives it."""
    command = ["verilator", "--lint-only", "-Wall", "-Wno-SYMRSVDWORD", "--quiet-stats", "--top-module", top, *options]
    ran = subprocess.run(
        [*command, *map(str, rtl_sources())], env=verilator_environment(), capture_output=True, text=True, check=False
    )
    return (ran.stdout + ran.stderr).strip()


def main() -> int:
    complaints = {name: lint("cpt_kernel", f"-GBuild={build}") for build, name in enumerate(CONFIGS)}
    complaints["dot products in LUTs"] = lint("dpu_row", "+define+SYNTHESIS", str(PRIMITIVES))
    for name, complaint in complaints.items():
        print(f"{name}: {complaint or 'clean'}")
    return int(any(complaints.values()))


if __name__ == "__main__":
    sys.exit(main())
