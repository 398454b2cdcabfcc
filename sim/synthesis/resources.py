"""`make -C vivado resources`: what the core needs of an XC7Z045, as Yosys counts it after synth_xilinx.

`tiny` is synthesised whole. The others are synthesised module by module: each module of MODULES once, without those of
its parts that are in the list themselves, and counted as often as the design has it. So the array is extrapolated from
one real row of dot products, the lanes from one real lane. Nothing is placed or routed: these are estimates. The memory
controller and the interconnect are no part of the core; ALLOWANCE stands for them, and is not a count.

Counts are kept in out/synthesis/cache, so only modules that have changed are synthesised again. `--module NAME` counts
that one and prints its line; the JSON stays as it is. `--alone MODULE NAME=VALUE..` counts any module with these
parameters, each of its parts in a line. `--show` prints the tables of the JSON. With CPT_VECTOR_UNIT=0 in the
environment the core has no vector unit.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sim.common.files import write_atomically
from sim.common.places import CHECKOUT, OUT, VIVADO
from sim.devices.rtl_library import vector_parameter, with_vector_unit
from sim.devices.rtl_sources import RTL_BUILDS
from sim.synthesis.cache import Cache, digest, extract, read_modules
from sim.synthesis.yosys import read_rtl, run_yosys

DEVICE = {"lut": 218_600, "ff": 437_200, "dsp": 900, "bram36": 545}  # XC7Z045
ALLOWANCE = 20_000  # LUTs for the memory controller and the interconnect
MOST = {"lut": 80, "dsp": 85, "bram36": 80}  # per cent of the device that a core and the allowance may take
SYNTHESIS = OUT / "synthesis"
CACHE = SYNTHESIS / "cache"
RESULT = (VIVADO if CHECKOUT else OUT) / "resources.json"
LUT6_2 = VIVADO / "synth" / "lut6_2.v"
TOP = "cpt_kernel"
VECTOR_UNIT = " with vector unit"  # in names of builds in the JSON
SYNTH = "synth_xilinx -family xc7 -flatten -noiopad -noclkbuf"
# Modules with a line of their own; all others are part of the module above them.
MODULES = (
    *(TOP, "control_registers", "cycle_counters", "list_runner", "command_check", "axi_reader", "axi_writer"),
    *("core", "planner", "loader", "row_requests", "load_dispatch", "load_writer", "lane", "feeder", "conv_reads"),
    *("wgrad_reads", "sequencer", "array", "dpu_row", "row_sum", "accumulator", "epilogue", "requantise", "noise"),
    *("row_table", "store", "store_buffer", "tally"),
    *("vector_check", "vector_unit", "map_engine", "map_lane", "map_fetch", "map_pack", "map_unpack", "map_walker"),
    *("scalar_engine", "weight_engine"),
)
# LUTs that a cell occupies; flip-flops and the rest are recognised by name.
LUTS = {
    **{f"LUT{inputs}": 1 for inputs in range(1, 7)},
    **dict.fromkeys(("LUT6_2", "SRL16E", "SRLC32E", "RAM64X1S", "RAM32X1S"), 1),
    **dict.fromkeys(("RAM32X1D", "RAM64X1D", "RAM128X1S", "RAM32X2S"), 2),
    **dict.fromkeys(("RAM32M", "RAM64M", "RAM128X1D", "RAM256X1S"), 4),
}
# A specify block of Yosys' models has the delays of a -1 part, as measured by the project that made them.
DELAY = re.compile(r"Latest arrival time in '.*' is (\d+)")


@dataclass
class Use:
    """What something needs."""

    lut: int = 0
    ff: int = 0
    dsp: int = 0
    bram36: float = 0.0

    def __add__(self, other: Use) -> Use:
        return Use(self.lut + other.lut, self.ff + other.ff, self.dsp + other.dsp, self.bram36 + other.bram36)

    def __mul__(self, times: int) -> Use:
        return Use(self.lut * times, self.ff * times, self.dsp * times, self.bram36 * times)

    @classmethod
    def of(cls, cells: dict[str, int]) -> Use:
        """Counts a netlist's cells.

        >>> Use.of({"LUT6": 2, "LUT6_2": 1, "FDRE": 5, "RAMB18E1": 3, "CARRY4": 7})
        Use(lut=3, ff=5, dsp=0, bram36=1.5)
        """
        return cls(
            lut=sum(count * LUTS.get(cell, 0) for cell, count in cells.items()),
            ff=sum(count for cell, count in cells.items() if re.fullmatch(r"FD[RSCP]E(_1)?", cell)),
            dsp=cells.get("DSP48E1", 0),
            bram36=cells.get("RAMB36E1", 0) + cells.get("RAMB18E1", 0) / 2,
        )


@dataclass
class Part:
    """One module of the design: how often it is there, what one needs, the longest path in it."""

    module: str
    count: int
    use: Use
    logic_ps: int  # LUTs, carry chains and flip-flops of the longest path, without wires


@dataclass
class Report:
    """A build's resources."""

    build: str
    method: str
    total: Use = field(default_factory=Use)
    parts: list[Part] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # modules that are still to be counted

    @classmethod
    def read(cls, values: dict[str, Any]) -> Report:
        """The report that `asdict` made these values of."""
        parts = [Part(**{**part, "use": Use(**part["use"])}) for part in values["parts"]]
        return cls(values["build"], values["method"], Use(**values["total"]), parts, values.get("missing", []))


Keep = Callable[[Report], object]  # takes a report as far as it is


def kind(module: str) -> str:
    """A module's name without the path of the instance that it was elaborated for."""
    return module.lstrip("\\").split("$")[0]


def elaborate(build: str) -> tuple[Path, list[str]]:
    """The design as a file, with the contents of one module of each kind only, and the names of all its modules."""
    SYNTHESIS.mkdir(parents=True, exist_ok=True)
    full, design, listing = (SYNTHESIS / f"{build}{suffix}" for suffix in (".full.il", ".il", ".modules"))
    number = RTL_BUILDS[build]
    read = read_rtl(TOP, f"-GBuildNumber={number}", *vector_parameter(), "--keep-hierarchy")
    run_yosys([read, f"write_rtlil {full}", f"tee -q -o {listing} ls"])
    names = re.findall(r"^  (\S+)$", listing.read_text(), flags=re.MULTILINE)
    firsts = {kind(name): name for name in reversed(names)}
    others = [name for name in names if kind(name) in MODULES and firsts[kind(name)] != name]
    hidden = [f"blackbox {escape(name)}" for name in others]
    run_yosys([f"read_rtlil {full}", *hidden, f"hierarchy -top {TOP} -purge_lib", f"write_rtlil {design}"])
    full.unlink()
    return design, names


def synthesise(design: Path, top: str, name: str) -> tuple[Use, int]:
    """What a module needs, and its longest path in picoseconds."""
    netlist, counts = SYNTHESIS / f"{name}.v", SYNTHESIS / f"{name}.stat.json"
    run_yosys(
        [
            *(f"read_rtlil {design}", f"hierarchy -top {top}", f"rename {top} {name}"),
            f"{SYNTH} -top {name}",
            *(f"tee -q -o {counts} stat -json -tech xilinx", f"write_verilog -noexpr {netlist}"),
        ],
        seconds=7200,
    )
    return Use.of(json.loads(counts.read_text())["design"]["num_cells_by_type"]), delay(netlist, name)


def escape(module: str) -> str:
    """A module's name where a Yosys script takes a pattern: with brackets escaped."""
    return module.replace("[", "\\[").replace("]", "\\]")


def delay(netlist: Path, name: str) -> int:
    """Yosys' static timing analysis of the mapped netlist, bit by bit: wide wires make it slow."""
    log = run_yosys(
        [
            *("read_verilog -specify -lib +/xilinx/cells_sim.v", f"read_verilog {netlist}", f"hierarchy -top {name}"),
            *(f"techmap -map {LUT6_2}", "opt_lut", "techmap -map +/xilinx/lut_map.v -D LUT_WIDTH=6"),
            *("clean", "splitnets -ports", "sta"),
        ]
    )
    found = DELAY.findall(log)
    return int(found[-1]) if found else 0


def whole(build: str, keep: Keep) -> Report:
    """A build in one piece."""
    SYNTHESIS.mkdir(parents=True, exist_ok=True)
    design = SYNTHESIS / f"{build}.flat.il"
    number = RTL_BUILDS[build]
    run_yosys([read_rtl(TOP, f"-GBuildNumber={number}", *vector_parameter()), f"write_rtlil {design}"])
    use, path = synthesise(design, TOP, f"{build}_whole")
    report = Report(build, "synthesised whole", use, [Part(TOP, 1, use, path)])
    keep(report)
    return report


def counted(modules: dict[str, str], module: str, boxes: Sequence[str], name: str) -> tuple[Use, int]:
    """What a module needs without its parts in `boxes`, and its longest path; kept for the next time."""
    cache, key = Cache(CACHE), digest(modules, module, set(boxes), SYNTH)
    found = cache.find(key)
    if found is None:
        part = SYNTHESIS / f"{name}.il"
        part.write_text(extract(modules, module, boxes))
        use, path = synthesise(part, module, name)
        cache.keep(key, found := {"use": asdict(use), "logic_ps": path})
    return Use(**found["use"]), found["logic_ps"]


def by_module(build: str, keep: Keep = lambda report: None, only: Sequence[str] = MODULES) -> Report:
    """A build module by module, one of each kind; earlier counts are reused. Each step of the report is kept."""
    design, names = elaborate(build)
    counts = Counter(kind(name) for name in names)
    boxes = [name for name in names if kind(name) in MODULES]
    modules = read_modules(design)
    report = Report(build, "one of each module synthesised, multiplied by their number")
    report.missing = [module for module in MODULES if counts[module] and module in only]
    for module in list(report.missing):
        representative = next(name for name in names if kind(name) == module)
        use, path = counted(modules, representative, boxes, f"{build}_{module}")
        part = Part(module, counts[module], use, path)
        report.parts.append(part)
        report.total += part.use * part.count
        report.missing.remove(module)
        keep(report)
        print(f"  {module}: {part.count} x {part.use}, {part.logic_ps} ps", file=sys.stderr, flush=True)
    return report


def alone(module: str, *parameters: str) -> Report:
    """A module without the rest of the design, with a line for each module in it that has the same first word.

    Of more than two of a kind one is counted, and multiplied by their number.
    """
    SYNTHESIS.mkdir(parents=True, exist_ok=True)
    design, listing = (SYNTHESIS / f"alone-{module}{suffix}" for suffix in (".il", ".modules"))
    read = read_rtl(module, *(f"-G{each}" for each in parameters), "--keep-hierarchy")
    run_yosys([read, f"write_rtlil {design}", f"tee -q -o {listing} ls"])
    names = re.findall(r"^  (\S+)$", listing.read_text(), flags=re.MULTILINE)
    modules = read_modules(design)
    boxes = [name for name in names if kind(name).split("_")[0] == module.split("_")[0]]
    report = Report(" ".join((module, *parameters)), "alone, part by part")
    for part in dict.fromkeys(map(kind, boxes)):
        same = [name for name in boxes if kind(name) == part]
        for first in same if len(same) == 2 else same[:1]:
            use, path = counted(modules, first, boxes, f"alone_{part}")
            report.parts.append(Part(part, 1 if len(same) == 2 else len(same), use, path))
            report.total += use * report.parts[-1].count
            print(f"  {report.parts[-1]}", file=sys.stderr, flush=True)
    return report


HEADS = {"lut": "LUT", "ff": "FF", "dsp": "DSP48E1", "bram36": "BRAM36"}


def table(report: Report) -> str:
    """The report in Markdown."""
    alone, share = (
        {name: 100 * getattr(use, name) / have for name, have in DEVICE.items()}
        for use in (report.total, report.total + Use(lut=ALLOWANCE))
    )
    exceeded = [name for name, most in MOST.items() if share[name] > most]
    verdict = f"exceeded in {', '.join(HEADS[name] for name in exceeded)}" if exceeded else "met"
    verdict = "not known yet" if report.missing and not exceeded else verdict
    goal = ", ".join(f"{most} % {HEADS[name]}" for name, most in MOST.items())
    lines = [
        f"### {report.build}: {report.method}",
        "",
        "| module | number | LUT each | FF each | DSP48E1 | BRAM36 | logic ns | LUT in all |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for part in sorted(report.parts, key=lambda part: -part.use.lut * part.count):
        use = part.use
        lines.append(
            f"| {part.module} | {part.count} | {use.lut:,} | {use.ff:,} | {use.dsp} | {use.bram36:g} "
            f"| {part.logic_ps / 1000:.2f} | {use.lut * part.count:,} |"
        )
    total = report.total
    return "\n".join(
        [
            *lines,
            "",
            "| | LUT | FF | DSP48E1 | BRAM36 |",
            "|---|---|---|---|---|",
            f"| {report.build} | {total.lut:,} | {total.ff:,} | {total.dsp} | {total.bram36:g} |",
            "| XC7Z045 | " + " | ".join(f"{have:,}" for have in DEVICE.values()) + " |",
            "| share | " + " | ".join(f"{percent:.1f} %" for percent in alone.values()) + " |",
            f"| allowance for memory controller and interconnect | {ALLOWANCE:,} | | | |",
            "| share with the allowance | " + " | ".join(f"{percent:.1f} %" for percent in share.values()) + " |",
            "",
            *([f"Not counted yet, and not in the sum: {', '.join(report.missing)}.", ""] if report.missing else []),
            f"At most {goal}: {verdict}.",
            "",
        ]
    )


METHODS = {build: whole if build == "tiny" else by_module for build in RTL_BUILDS}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", choices=RTL_BUILDS, help="build of the core (default: all)")
    parser.add_argument("--config", dest="build", choices=RTL_BUILDS, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--show", action="store_true", help="print the tables of resources.json; synthesise nothing")
    what = "module to count, of zc706 or --build, without writing the JSON; may be repeated (default: all)"
    parser.add_argument("--module", action="append", choices=MODULES, metavar="NAME", help=what)
    what = "any module with these parameters, part by part, without writing the JSON"
    parser.add_argument("--alone", nargs="+", metavar=("MODULE", "NAME=VALUE"), help=what)
    arguments = parser.parse_args()
    if arguments.alone:
        module, *settings = arguments.alone
        if not (VIVADO / "rtl" / f"{module}.sv").is_file():
            parser.error(f"--alone: no module '{module}' in vivado/rtl")
        if wrong := [each for each in settings if not re.fullmatch(r"\w+=\d+", each)]:
            parser.error(f"--alone: '{wrong[0]}' is not NAME=VALUE with a whole number")
        print(table(alone(*arguments.alone)))
        return 0
    if arguments.module:
        build = arguments.build or "zc706"
        if METHODS[build] is not by_module:
            parser.error(f"--module: {build} is counted whole, not module by module")
        print(table(by_module(build, only=arguments.module)))
        return 0
    results = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    if arguments.show:
        asked = [build for build in RTL_BUILDS if arguments.build in (None, build)]
        chosen = [name for build in asked for name in (build, build + VECTOR_UNIT) if name in results]
        if not chosen:
            parser.error(f"{RESULT.name} has no build '{arguments.build}': run this without --show first")
        print("\n".join(table(Report.read(results[name])) for name in chosen))
        return 0
    results["device"] = {"name": "XC7Z045", **DEVICE}

    def keep(report: Report) -> None:
        name = report.build + VECTOR_UNIT * with_vector_unit()
        results[name] = asdict(report) | {"build": name}
        write_atomically(RESULT, json.dumps(results, indent=2) + "\n")

    for build, method in METHODS.items():
        if arguments.build in (None, build):
            report = method(build, keep)
            if not arguments.json:
                print(table(report), flush=True)
    if arguments.json:
        print(RESULT.read_text(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
