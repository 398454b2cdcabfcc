"""The RTL core's files, in an order that every tool can read.

>>> [path.name for path in rtl_sources()][:2]
['contract_pkg.sv', 'command_pkg.sv']
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from sim.common.places import RTL
from sim.contract import BUILDS, OVERLAY_RTL_BUILDS

# Statements in a file and in a function of Verilated C++: the compiler's time grows faster than their size.
SPLIT = ("--output-split", "10000", "--output-split-cfuncs", "2000", "--output-groups", "0")
# Every warning but one: the pin `interrupt` has the name that Vitis gives it.
STRICT = ("-Wall", "-Wno-SYMRSVDWORD", "--relative-includes")
FIRST = ("contract_pkg.sv", "command_pkg.sv")  # packages that others import
# Builds of the core, and the BuildNumber of each.
RTL_BUILDS = {name: number for number, name in enumerate(BUILDS) if name in OVERLAY_RTL_BUILDS.split()}


def rtl_sources() -> list[Path]:
    """Packages first, then modules by name."""
    packages = sorted(RTL.glob("*_pkg.sv"), key=lambda path: (path.name not in FIRST, path.name != FIRST[0], path.name))
    return [*packages, *sorted(path for path in RTL.glob("*.sv") if path not in packages)]


@lru_cache
def rtl_constant(name: str) -> int:
    """A whole number of core_pkg.sv: latencies and depths are written there and nowhere else.

    >>> rtl_constant("DpuLatency") == rtl_constant("CountLatency") + rtl_constant("AccumulateLatency")
    True
    """
    source = (RTL / "core_pkg.sv").read_text(encoding="utf-8")
    found = re.search(rf"localparam int unsigned {name}\s*=\s*([^;]+);", source)
    if found is None:
        raise ValueError(f"core_pkg.sv has no constant {name}")
    return sum(_product(term) for term in re.findall(r"[+-]?[^+-]+", found[1].replace(" ", "").replace("\n", "")))


def _product(term: str) -> int:
    """One term of a sum, with its sign: numbers and names of constants, multiplied."""
    product = -1 if term.startswith("-") else 1
    for factor in term.lstrip("+-").split("*"):
        product *= int(factor) if factor.isdigit() else rtl_constant(factor)
    return product


def struct_fields(name: str, types: dict[str, int]) -> list[tuple[str, int]]:
    """Fields of a packed struct of core_pkg.sv with their bits, the highest first; `types`: bits of other types.

    >>> struct_fields("span_t", {})
    [('first', 32), ('behind', 32)]
    """
    source = re.sub(r"//.*", "", (RTL / "core_pkg.sv").read_text(encoding="utf-8"))
    found = re.search(rf"typedef struct packed \{{([^}}]*)\}} {name};", source)
    if found is None:
        raise ValueError(f"core_pkg.sv has no struct {name}")
    fields = re.findall(r"(\w+)(?: signed)?\s*(?:\[\s*(\w+)(-1)?:0\])?\s+(\w+);", found[1])
    return [(field, types.get(kind) or _bits(high, bool(less))) for kind, high, less, field in fields]


def _bits(high: str, less: bool) -> int:
    """Of [high:0], or of [high-1:0]; 1 without a range."""
    number = int(high) if high.isdigit() else rtl_constant(high) if high else 0
    return number if less else number + 1
