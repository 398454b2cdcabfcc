"""`cpt explore`: which build of the core trains a network fastest within an FPGA."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripts.cost_flags import add_run, asked
from sim.common.files import write_atomically

if TYPE_CHECKING:
    from cpt_model.cost.explore import Space
    from cpt_model.cost.explore_report import Report
    from cpt_model.cost.resources import Resources

PART = "xc7z045"
RESOURCES = {"lut": "lut", "ff": "ff", "dsp": "dsp", "bram36": "bram"}  # and the flag of each


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "explore",
        help="sweep builds of the core: hours against resources",
        description="Combines lanes, columns, K-slices, clocks and bandwidths as the contract allows, leaves out what "
        "does not fit the part or cannot run a layer, and shows the Pareto front (hours against LUTs), the fastest "
        "design's bottleneck in each layer and its roofline. All numbers are estimates.",
    )
    add_run(parser)
    group = parser.add_argument_group("the FPGA")
    group.add_argument("--part", default=PART, metavar="NAME", help=f"xc7z020, xc7z030, xc7z100, xczu9eg ({PART})")
    for flag in RESOURCES.values():
        group.add_argument(f"--{flag}", type=int, metavar="N", help="so many of them, instead of the part's")
    group.add_argument("--fill", type=float, default=100.0, metavar="PCT", help="use at most so much of each (100)")
    group = parser.add_argument_group("what is combined")
    whole = {"type": int, "nargs": "+", "metavar": "N"}
    group.add_argument("--lanes", **whole, help="multiples of 16 (all)")
    group.add_argument("--columns", **whole, help="(16)")
    group.add_argument("--slices", **whole, help="groups of 16 bits of K in a slice (3 6 9 12 15 18 27 36)")
    group.add_argument("--lane-words", **whole, help="depth of a lane's memory (that of zc706)")
    group.add_argument("--clocks", type=float, nargs="+", metavar="MHZ", help="(100 200)")
    group.add_argument("--bandwidths", type=float, nargs="+", metavar="GB/S", help="of the memory (3.4 10)")
    parser.add_argument(
        "--out", type=Path, default=Path("out") / "explore", metavar="FOLDER", help="for page, pictures, JSON"
    )
    parser.add_argument("--json", action="store_true", help="print the JSON instead of tables")
    parser.set_defaults(run=run)


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
    """The sweep; what is asked wrongly, or leaves nothing, is refused."""
    from tqdm import tqdm

    from cpt_model.cost import count_network
    from cpt_model.cost.explore import sweep
    from cpt_model.cost.explore_report import Report
    from cpt_model.cost.resources import read_table

    wanted = asked(arguments)
    space, (part_name, part) = space_of(arguments), part_of(arguments)
    count, resources = count_network(arguments.arch), read_table()

    def shown(builds: list[Any]) -> Iterable[Any]:
        return tqdm(builds, desc="builds", leave=False, disable=None)

    found = sweep(count, wanted.run, wanted.static, part, space, resources, shown)
    if not found.designs:
        most = max(found.skipped.items(), key=lambda item: item[1].count)
        raise ValueError(f"no build of these fits {part_name}: {most[0]} ({most[1].example}), and other reasons")
    names = (arguments.arch, wanted.precision, wanted.static_precision)
    return Report(*names, wanted.run, count, part_name, part, resources, found)


def space_of(arguments: argparse.Namespace) -> Space:
    from cpt_model.cost.explore import Space

    flags = {
        "lanes": arguments.lanes,
        "columns": arguments.columns,
        "slice_groups": arguments.slices,
        "lane_words": arguments.lane_words,
        "clocks_mhz": arguments.clocks,
        "bandwidths": arguments.bandwidths,
    }
    stated = {name: tuple(values) for name, values in flags.items() if values is not None}
    for flag, values in (("--clocks", arguments.clocks), ("--bandwidths", arguments.bandwidths)):
        for value in values or ():
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{flag} {value:g} is not a number above 0")
    space = replace(Space(), **stated)
    space.builds()  # refuses sizes the contract does not allow
    return space


def part_of(arguments: argparse.Namespace) -> tuple[str, Resources]:
    from cpt_model.cost.fpga_parts import fpga_part
    from cpt_model.cost.resources import Resources

    part, name = fpga_part(arguments.part), arguments.part.lower()
    stated = {key: getattr(arguments, flag) for key, flag in RESOURCES.items() if getattr(arguments, flag) is not None}
    for key, number in stated.items():
        if number < 1:
            raise ValueError(f"--{RESOURCES[key]} {number}: at least 1")
    if not 0 < arguments.fill <= 100:
        raise ValueError(f"--fill {arguments.fill:g} is not in 0..100 per cent")
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
        *(f"  {each.count:6} {reason}; as {each.example}" for reason, each in found.skipped.items()),
        f"\nPareto front at {clock:g} MHz, {bandwidth:g} GB/s (% of {report.part_name})",
        aligned(FRONT_HEAD, front),
        "\nthe fastest at each clock and bandwidth",
        aligned(("MHz", "GB/s", "array", "hours", "LUT"), best_rows(found)),
        f"\nwhat rules the passes of the fastest, {front[-1][0]}; layers of the same cycles together",
        aligned(layer_head(report.run), grouped_layers(report), left=(0, 2, 4, 6)),
    ]
    known = found.best_buildable
    if known and known != found.best:
        row = front_row(known, report.part)
        lines.append(f"\nthe fastest that the RTL is today: {row[0]}, {row[1]} hours, {row[3]} LUT")
    return "\n".join([*lines, "", *report.notes()])


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Columns as wide as their widest cell, to the right but for those in `left`.

    >>> print(aligned(("a", "bb"), [("1", "2")]))
      a  bb
      1   2
    """
    widths = [max(len(row[place]) for row in (head, *rows)) for place in range(len(head))]
    return "\n".join(
        "  "
        + "  ".join(
            f"{cell:<{width}}" if place in left else f"{cell:>{width}}"
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (head, *rows)
    )
