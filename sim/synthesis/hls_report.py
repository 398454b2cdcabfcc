"""`make -C hls csynth` ends with this page: what csynth.xml says against what the sources state.

Every loop that states an II has a label: `label: for (...) {` and then `#pragma HLS PIPELINE II=n`. Vitis names loops
by their labels; a loop that was flattened into another, or copied with a function, keeps the label in its name.

    python -m sim.synthesis.hls_report hls/build/vitis_zc706/solution/syn/report/csynth.xml

The status is 1 when a stated II was missed, or a resource exceeds the part; 2 when there is nothing to compare.
"""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sim.common.places import HLS
from sim.common.table import as_table

LOOP = re.compile(r"\s*(?:(?P<label>\w+): )?(?:for|while) \(")
STATED = re.compile(r"#pragma HLS PIPELINE II=(\d+)")
RESOURCES = (("LUT", ("LUT",)), ("FF", ("FF",)), ("BRAM18", ("BRAM_18K",)), ("DSP", ("DSP", "DSP48E")))


@dataclass(frozen=True)
class Stated:
    """A loop and the II that its source asks for."""

    label: str
    place: str
    interval: int


@dataclass(frozen=True)
class Achieved:
    """A pipelined loop of the report."""

    module: str
    name: str
    interval: int


def stated_loops(sources: Iterable[Path] | None = None) -> list[Stated]:
    """Every loop that states an II; one without a label of its own is a mistake.

    >>> sorted(each.label for each in stated_loops() if "scalar" in each.place)
    ['quotient_bits', 'root_bits']
    """
    paths = sorted([*HLS.rglob("*.cpp"), *HLS.rglob("*.hpp")]) if sources is None else sources
    found: dict[str, Stated] = {}
    for path in paths:
        if "build" in path.parts[len(HLS.parts) :]:
            continue
        loop = None
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            loop = LOOP.match(line) or loop
            stated = STATED.search(line)
            if stated is None:
                continue
            label = loop["label"] if loop else None
            place = f"{path.name}:{number}"
            if not label or label in found:
                problem = f"the label '{label}' of {found[label].place}" if label else "no label"
                raise ValueError(f"{place}: a loop that states an II has {problem}; it needs one of its own")
            found[label] = Stated(label, place, int(stated[1]))
    return list(found.values())


def read_report(path: Path) -> ET.Element:
    """The report; a file that is none is refused."""
    try:
        root = ET.parse(path).getroot()
    except (OSError, ET.ParseError) as error:
        raise ValueError(f"{path}: no report of csynth ({error})") from None
    if root.find("AreaEstimates/Resources") is None:
        raise ValueError(f"{path}: no report of csynth (it has no AreaEstimates)")
    return root


def achieved_loops(report: ET.Element) -> list[Achieved]:
    """All pipelined loops, of the top function and of every module, nested ones included."""
    top = report.findtext("UserAssignments/TopModelName") or "top"
    modules = [(top, report.find("PerformanceEstimates/SummaryOfLoopLatency"))]
    for module in report.findall("ModuleInformation/Module"):
        summary = module.find("PerformanceEstimates/SummaryOfLoopLatency")
        modules.append((module.findtext("Name") or "?", summary))
    found = []
    for name, summary in modules:
        for loop in [] if summary is None else summary.iter():
            interval = loop.findtext("PipelineII") or ""
            if interval.isdigit():
                found.append(Achieved(name, loop.findtext("Name") or loop.tag, int(interval)))
    return list(dict.fromkeys(found))


def belongs(loop: Achieved, label: str) -> bool:
    """Whether the loop is the labelled one, perhaps a copy of it, perhaps flattened with others.

    >>> belongs(Achieved("map_take_0", "outer_map_segments2", 1), "map_segments")
    True
    """
    return re.search(rf"(?:^|_){label}\d*(?:_|$)", loop.name) is not None


def loop_rows(stated: Sequence[Stated], achieved: Sequence[Achieved]) -> list[tuple[str, str, int, str, str]]:
    """Label, source, stated II, achieved ones, verdict."""
    rows = []
    for each in stated:
        seen = sorted({loop.interval for loop in achieved if belongs(loop, each.label)})
        verdict = "not in the report" if not seen else "missed" if seen[-1] > each.interval else "met"
        rows.append((each.label, each.place, each.interval, ", ".join(map(str, seen)) or "-", verdict))
    return rows


def resource_rows(report: ET.Element) -> list[tuple[str, int, int, str]]:
    """Resource, used, in the part, share."""

    def count(part: str, names: Sequence[str]) -> int:
        texts = (report.findtext(f"AreaEstimates/{part}/{name}") for name in names)
        return next((int(text) for text in texts if text and text.isdigit()), 0)

    rows = []
    for name, spellings in RESOURCES:
        used, there = count("Resources", spellings), count("AvailableResources", spellings)
        rows.append((name, used, there, f"{100 * used / there:.1f} %" if there else "-"))
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if len(given) != 1:
        print("usage: python -m sim.synthesis.hls_report CSYNTH.XML", file=sys.stderr)
        return 2
    try:
        report = read_report(Path(given[0]))
        loops = loop_rows(stated_loops(), achieved_loops(report))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    resources = resource_rows(report)
    print(as_table(("loop", "source", "stated II", "achieved II", ""), loops))
    print(as_table(("resource", "used", "in the part", ""), resources))
    clock = [report.findtext(f"{path}") or "?" for path in CLOCKS]
    print(f"part {report.findtext('UserAssignments/Part') or '?'}, clock {clock[0]} ns wanted, {clock[1]} ns estimated")
    verdicts = [row[-1] for row in loops]
    missed, unseen = verdicts.count("missed"), verdicts.count("not in the report")
    full = [name for name, used, there, _ in resources if there and used > there]
    if unseen == len(loops):
        print(f"{given[0]}: none of the stated loops is in this report: is it of this kernel?", file=sys.stderr)
        return 2
    print(f"{len(loops) - missed - unseen} stated IIs met, {missed} missed, {unseen} not in the report")
    for name in full:
        print(f"more {name} than the part has", file=sys.stderr)
    if missed:
        print(f"{missed} loops miss their stated II", file=sys.stderr)
    return 1 if missed or full else 0


CLOCKS = ("UserAssignments/TargetClockPeriod", "PerformanceEstimates/SummaryOfTimingAnalysis/EstimatedClockPeriod")

if __name__ == "__main__":
    sys.exit(main())
