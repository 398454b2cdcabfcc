"""Groups of modules of the zc706 core, each flattened across its ports and mapped: paths from module to module.

The rest of the design is left out, but for the wires and registers between modules (core, cpt_kernel). Of modules that
the design has several times one is mapped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from sim.contract import BUILDS
from sim.synthesis.cache import Cache, digest, read_modules
from sim.synthesis.resources import CACHE, MODULES, SYNTH, SYNTHESIS, TOP, escape, kind
from sim.synthesis.yosys import read_rtl, run_yosys

GROUPS: dict[str, tuple[str, ...]] = {
    "reads": ("sequencer", "conv_reads", "wgrad_reads", "feeder"),
    "array": ("lane", "feeder", "array", "dpu_row", "row_sum"),
    "results": ("accumulator", "epilogue", "requantise", "noise", "row_table", "store_buffer"),
    "stores": ("store", "row_table", "store_buffer", "axi_writer"),
    "loads": ("loader", "row_requests", "load_dispatch", "load_writer", "axi_reader"),
    "plans": ("planner",),
    "lists": ("list_runner", "command_check", "control_registers", "cycle_counters"),
}
BETWEEN = (TOP, "core")  # what connects modules is in every group
REPEATED = ("lane", "dpu_row", "row_sum", "load_writer", "requantise", "noise")


def mapped(group: str) -> Path:
    """The netlist of a group in Yosys' JSON, its top module `cpt_kernel`; an earlier one of the same design is kept."""
    SYNTHESIS.mkdir(parents=True, exist_ok=True)
    design, hidden = _elaborate(group)
    key = digest(read_modules(design), TOP, set(hidden), f"{SYNTH} {group}")
    netlist = Cache(CACHE).folder / f"{key}.netlist.json"
    if not netlist.exists():
        partial = netlist.with_suffix(".partial")
        run_yosys(
            [
                *(f"read_rtlil {design}", *(f"blackbox {escape(name)}" for name in hidden)),
                *(f"hierarchy -top {TOP} -purge_lib", f"{SYNTH} -top {TOP}"),
                *(f"select {TOP}", f"write_json -selected {partial}"),
            ],
            seconds=7200,
        )
        partial.rename(netlist)
    return netlist


def _elaborate(group: str) -> tuple[Path, list[str]]:
    """The design with the group's modules only, and the names of those that another one of their kind stands for."""
    name = group.replace(" ", "_")
    design, listing = SYNTHESIS / f"{name}.il", SYNTHESIS / f"{name}.modules"
    left_out = [module for module in MODULES if module not in (*BETWEEN, *GROUPS[group])]
    number = list(BUILDS).index("zc706")
    boxes = [f"--blackboxed-module {module}" for module in left_out]
    read = read_rtl(TOP, f"-GBuildNumber={number}", "--keep-hierarchy", *boxes)
    run_yosys([read, f"write_rtlil {design}", f"tee -q -o {listing} ls"])
    design.write_text(_without_parameters(design.read_text(), left_out))
    names = re.findall(r"^  (\S+)$", listing.read_text(), flags=re.MULTILINE)
    return design, [name for kinds in REPEATED for name in [each for each in names if kind(each) == kinds][1:]]


def _without_parameters(design: str, modules: Sequence[str]) -> str:
    """What is left out has no parameters any more."""
    cell = re.compile(rf"^  cell \\({'|'.join(modules)}) .*?^  end$", flags=re.MULTILINE | re.DOTALL)
    return cell.sub(lambda found: re.sub(r"^    parameter .*\n", "", found[0], flags=re.MULTILINE), design)
