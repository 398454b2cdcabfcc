"""`cpt explore`: which build of the core trains a network fastest within an FPGA."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripts.flags import COUNT, add
from scripts.parser import Parser
from scripts.run_flags import add_run, asked
from sim.common.files import write_atomically
from sim.common.flag_types import CLOCK_MHZ, GIGABYTES_PER_SECOND, above_zero, within
from sim.common.progress import watched
from sim.common.table import as_table

if TYPE_CHECKING:
    from cpt_model.cost.explore import Space
    from cpt_model.cost.explore_report import Report
    from cpt_model.cost.resources import Resources

PART = "xc7z045"
RESOURCES = {"lut": "lut", "ff": "ff", "dsp": "dsp", "bram36": "bram"}  # and the flag of each
NAMES = {"lut": "LUTs", "ff": "flip-flops", "dsp": "DSP blocks", "bram36": "36-kilobit block RAMs"}
MOST_REASONS = 3  # in a line
DESCRIPTION = """\
Combines lanes, columns, slices of K, clocks and bandwidths as the contract allows, leaves out what
does not fit the part or cannot run a layer, and shows the Pareto front (hours against LUTs), the
fastest design's bottleneck in each layer and its roofline. All numbers are estimates.
"""
EXAMPLES = """\
  cpt explore --arch cifar100_resnet_74
  cpt explore --arch cifar10_resnet_20 --part xc7z020 --fill 80 --clocks 100 150
  cpt explore --arch cifar10_resnet_20 --board kv260
"""


def add_flags(parser: Parser) -> None:
    add_run(parser)
    group = parser.add_argument_group("FPGA")
    what = "board, for its part, clock, bandwidth and memories: zc706, pynq-z2, zcu104 or kv260"
    add(group, "--board", metavar="NAME", help=what)
    what = "FPGA: xc7z020, xc7z030, xc7z045, xc7z100, xczu7ev, xczu9eg, xck26"
    add(group, "--part", metavar="NAME", default=None, shown=f"the board's, or {PART}", help=what)
    for key, flag in RESOURCES.items():
        what = f"number of {NAMES[key]} to use instead of the part's"
        add(group, f"--{flag}", **COUNT, help=what)
    what = "share of each resource to use at most"
    add(group, "--fill", type=above_zero, metavar="PERCENT", default=100.0, help=what)
    group = parser.add_argument_group("values to combine")
    several = {**COUNT, "nargs": "+"}
    add(group, "--lanes", **several, shown="all", help="numbers of lanes, multiples of 16")
    add(group, "--columns", **several, shown="16", help="numbers of columns")
    what = "sizes of a slice of K, in groups of 16 bits"
    add(group, "--slices", dest="slice_groups", **several, shown="3 6 9 12 15 18 27 36", help=what)
    add(group, "--lane-words", **several, shown="that of zc706", help="depths of a lane's memory, in words")
    speeds: dict[str, Any] = {"type": within(CLOCK_MHZ), "dest": "clocks_mhz", "metavar": "MHZ"}
    add(group, "--clocks", **several | speeds, shown="that of zc706, and half of it", help="clocks in MHz")
    speeds = {"type": within(GIGABYTES_PER_SECOND), "metavar": "GB/S"}
    what = "memory bandwidths in GB/s"
    add(group, "--bandwidths", **several | speeds, shown="those of zc706-ps and zc706", help=what)
    add(parser, "--out", default=Path("out", "explore"), help="folder for page, pictures and JSON")
    add(parser, "--json")


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.cost.explore_plot import draw_design_roofline, draw_fronts
    from cpt_model.cost.explore_report import as_page, as_values

    report = explored(arguments)
    folder: Path = arguments.out
    folder.mkdir(parents=True, exist_ok=True)
    fronts, roofline = folder / "pareto.png", folder / "roofline.png"
    draw_fronts(report.found, report.part, report.title, fronts)
    draw_design_roofline(report.found.best, report.count, report.run, roofline)
    values = json.dumps(as_values(report), indent=2)
    write_atomically(folder / "explore.json", values + "\n")
    write_atomically(folder / "explore.html", as_page(report, fronts, roofline))
    if arguments.json:
        print(values)
    else:
        print(render(report))
        print(f"\nwrote {folder / 'explore.html'}, explore.json, {fronts.name}, {roofline.name}")
    return 0


def explored(arguments: argparse.Namespace) -> Report:
    """The sweep; one that leaves no build is refused."""
    from cpt_model.cost import count_network
    from cpt_model.cost.explore import sweep
    from cpt_model.cost.explore_report import Report
    from cpt_model.cost.resources import read_table
    from cpt_model.cost.workload import workload

    wanted = asked(arguments)
    take_board(arguments)
    space, (part_name, part) = space_of(arguments), part_of(arguments)
    count, resources = count_network(arguments.arch), read_table()

    def shown(builds: list[Any]) -> Iterable[Any]:
        return watched(builds, "exploring", "builds")

    work = workload(arguments.arch, count, wanted.run)
    found = sweep(work, wanted.run, wanted.static, part, space, resources, shown)
    if not found.designs:
        # What the part lacks comes first: other reasons are about builds that no part could have.
        lacking = sorted(found.skipped.items(), key=lambda item: (not item[0].startswith("too many"), -item[1].count))
        missing = "; ".join(
            f"{why} ({skipped.example}; {skipped.count} builds)" for why, skipped in lacking[:MOST_REASONS]
        )
        raise ValueError(f"no build of these fits {part_name}: {missing}")
    names = (arguments.arch, wanted.precision, wanted.static_precision)
    return Report(*names, wanted.run, count, part_name, part, resources, work.of, found)


def take_board(arguments: argparse.Namespace) -> None:
    """What was not given is the board's."""
    from cpt_model.cost.fpga_parts import fpga_board

    if arguments.board is not None:
        board = fpga_board(arguments.board)
        arguments.clocks_mhz = arguments.clocks_mhz or [board.clock_mhz]
        arguments.bandwidths = arguments.bandwidths or [board.bandwidth]
        arguments.lane_words = arguments.lane_words or list(board.lane_words)
        arguments.part = arguments.part or board.part
        print(f"{arguments.board}: {board.state}", file=sys.stderr)
    arguments.part = arguments.part or PART


def space_of(arguments: argparse.Namespace) -> Space:
    from cpt_model.cost.explore import Space

    stated = {each.name: getattr(arguments, each.name) for each in fields(Space)}
    space = Space(**{name: tuple(values) for name, values in stated.items() if values is not None})
    space.builds()  # refuses sizes the contract does not allow
    return space


def part_of(arguments: argparse.Namespace) -> tuple[str, Resources]:
    from cpt_model.cost.fpga_parts import fpga_part
    from cpt_model.cost.resources import Resources

    part, name = fpga_part(arguments.part), arguments.part.lower()
    stated = {key: getattr(arguments, flag) for key, flag in RESOURCES.items() if getattr(arguments, flag) is not None}
    if arguments.fill > 100:
        raise ValueError(f"--fill {arguments.fill:g}: a part has 100 per cent of each resource")
    if stated:
        others = " and ".join(f"{number:,} {RESOURCES[key].upper()}" for key, number in stated.items())
        name = f"an FPGA with {others}" if len(stated) == len(RESOURCES) else f"{name} with {others}"
    if arguments.fill != 100:
        name = f"{arguments.fill:g} % of {name}"
    part = replace(part, **stated)
    return name, Resources(*(getattr(part, key) * arguments.fill / 100 for key in RESOURCES))


def render(report: Report) -> str:
    """Tables for a terminal."""
    from cpt_model.cost.explore_report import FRONT_HEAD, best_rows, front_row, grouped_layers, layer_head

    found = report.found
    clock, bandwidth = found.best.place
    skipped = sum(each.count for each in found.skipped.values())
    front = [front_row(design, report.part) for design in found.fronts[found.best.place]]
    lines = [
        report.title,
        f"{len(found.designs)} designs timed, {skipped} left out:",
        *(f"  {each.count:6} {reason}, for example {each.example}" for reason, each in found.skipped.items()),
        f"\nPareto front at {clock:g} MHz, {bandwidth:g} GB/s (% of {report.part_name})",
        as_table(FRONT_HEAD, front, indent="  "),
        "\nthe fastest at each clock and bandwidth",
        as_table(("MHz", "GB/s", "array", "hours", "LUT"), best_rows(found), indent="  "),
        f"\nbottlenecks of the fastest in matrix passes, {front[-1][0]}; layers of the same cycles together",
        as_table(layer_head(report.run), grouped_layers(report), left=(0, 2, 4, 6), indent="  "),
    ]
    known = found.best_buildable
    if known and known != found.best:
        row = front_row(known, report.part)
        lines.append(f"\nthe fastest that the RTL can be built as today: {row[0]}, {row[1]} hours, {row[4]} LUT")
    return "\n".join([*lines, "", *report.notes()])
