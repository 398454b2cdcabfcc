"""The RTL core's files, in an order that every tool can read.

>>> [path.name for path in rtl_sources()][:2]
['contract_pkg.sv', 'command_pkg.sv']
"""

from __future__ import annotations

from pathlib import Path

from sim.common.places import RTL

# Statements in a file and in a function of Verilated C++: the compiler's time grows faster than their size.
SPLIT = ("--output-split", "10000", "--output-split-cfuncs", "2000", "--output-groups", "0")
# Every warning but one: the pin `interrupt` has the name that Vitis gives it.
STRICT = ("-Wall", "-Wno-SYMRSVDWORD", "--relative-includes")
FIRST = ("contract_pkg.sv", "command_pkg.sv")  # packages that others import


def rtl_sources() -> list[Path]:
    """Packages first, then modules by name."""
    packages = sorted(RTL.glob("*_pkg.sv"), key=lambda path: (path.name not in FIRST, path.name != FIRST[0], path.name))
    return [*packages, *sorted(path for path in RTL.glob("*.sv") if path not in packages)]
