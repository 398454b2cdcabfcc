"""`cpt cost`: bit operations and board hours of training a network at a precision schedule."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from scripts.flags import add
from scripts.parser import Parser
from scripts.run_flags import Asked, add_run, asked
from sim.common.flag_types import path, within
from sim.common.table import as_table

if TYPE_CHECKING:
    from cpt_model.cost.breakdown import Board, LayerPass
    from cpt_model.cost.comparison import Costs
    from cpt_model.tracing.counts import ModelCount
    from host.measure.step_time import Work

    StepHours = dict[Work, float]

PAPER = "paper"
OF_PAPER = (
    "Hours are an estimate: linear in the operands' widths like the CPT paper's board, calibrated on ResNet-74 8/8."
)
OF_CORE = (
    "Hours are an estimate by the latency model of our core; those of matrix passes with '{results}' results\n"
    "(cpt cost --help), and float layers take no time in them."
)
OF_STEP = """\
The whole training step in integers (cpt train --step integer): products, and all that lies between
them, in the vector unit, at {clock:g} MHz; {host}. Results are as wide as before any
was seen. The core has not been built with its vector unit (docs/resources.md).
"""
OF_PLACES = """\
{credible:g} MHz: an outside review of the RTL expects 90 to 125 as it is; {design} is what it is designed for. The
ARM's share is an estimate by counts of instructions and bytes: 27 to 54 ns for each result of a
convolution, two Cortex-A9 in C with NEON; nothing of it was run."""
OF_TABLE_2 = "the paper's board; of which work, it does not say"


DESCRIPTION = """\
Counts the bit operations of training a network at a precision schedule, estimates the hours on a
board, and prints what both save against static precision at the highest bits.
"""
EXAMPLES = """\
  cpt cost --arch cifar100_resnet_74
  cpt cost --arch cifar100_resnet_74 --fw-bits 3 8 --schedule CR --results int16 --layers
  cpt cost --arch cifar10_resnet_20 --fw-bits 3 8 --plot out/step.png
  cpt cost --topology net.csv --fw-bits 8 --export out/net
  cpt cost --arch resnet34 --batch 256 --steps 600000 --profile paper --json
"""


def add_flags(parser: Parser) -> None:
    add_run(parser, arch_required=False)
    add(parser, "--topology", type=path, metavar="FILE", help="SCALE-Sim topology, a .csv file, instead of --arch")
    what = "board to estimate: zc706 or zc706_train (SODIMM), zc706-rows (with row misses), zc706-ps (the ARM's"
    what += " memory), paper, or a JSON file"
    add(parser, "--profile", help=what)
    add(parser, "--clock-mhz", default=None, shown="the profile's")
    add(parser, "--bandwidth", default=None, shown="the profile's")
    add(parser, "--results", default=None, shown="the profile's, else rounded")
    add_host(parser)
    add(parser, "--layers", action="store_true", help="print cycles and bottleneck of every layer's passes as well")
    what = "picture of where a whole step's time goes, a .png file"
    add(parser, "--plot", type=path, metavar="FILE", help=what)
    what = "folder for tables of layers (CSV, JSON), lookup tables over widths (.npy) and a SCALE-Sim topology"
    add(parser, "--export", type=path, metavar="FOLDER", help=what)
    add(parser, "--json")


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.cost.comparison import about, compare

    wanted, network = asked(arguments), network_of(arguments)
    board = board_of(arguments)
    if arguments.plot is not None:
        draw(arguments, wanted, board)
    if arguments.export is not None:
        export(arguments, network, wanted, board)
    costs = compare(network, wanted.run, wanted.static, board, arguments.layers)
    if arguments.json:
        print(json.dumps(as_json(arguments.arch, wanted, board, costs), indent=2))
        return 0
    print(f"{arguments.arch}, {wanted.precision}, {wanted.run.iterations:,} iterations of {wanted.run.batch} samples")
    print(f"{in_words(board)}\n")
    whole = whole_step(arguments.arch, wanted, board)
    if isinstance(whole, str):
        print(f"No hours of whole training steps: {whole}\n\nMatrix passes:\n")
    elif whole:
        print(f"{render_places(arguments.arch, wanted, board)}\n")
        print(OF_STEP.format(clock=about(board)["clock_mhz"], host=host_in_words(board)))
        print(f"{render_step(wanted, *whole)}\n")
        print("The matrix passes of the same run, float32 between them:\n")
    print(f"{render(wanted, costs)}\n")
    if costs.layers:
        print(f"{render_layers(costs.layers)}\n")
    if arguments.plot is not None:
        print(f"wrote {arguments.plot}\n")
    print(OF_PAPER if arguments.profile == PAPER else OF_CORE.format(results=about(board)["results"]))
    return 0


def add_host(parser: Parser) -> None:
    what = "milliseconds of a whole step in which the core waits for the host, as 'cpt bench board' estimates them"
    add(parser, "--host-ms", type=within((0, 1e6)), metavar="MS", shown="the profile's, else none", help=what)


def board_of(arguments: argparse.Namespace) -> Board:
    from cpt_model.cost import paper_board
    from cpt_model.cost.accelerator import AcceleratorBoard
    from cpt_model.cost.profile_file import adjusted, find_profile
    from host.compiler.results import Results

    if arguments.profile != PAPER:
        profile = find_profile(arguments.profile, also=(PAPER,))
        if arguments.results:
            profile = replace(profile, results=Results(arguments.results))
        if arguments.host_ms is not None:
            profile = replace(profile, host_ms=arguments.host_ms)
        return AcceleratorBoard(adjusted(profile, arguments.clock_mhz, arguments.bandwidth))
    for flag in ("clock_mhz", "bandwidth", "results", "host_ms", "layers"):
        if getattr(arguments, flag):
            name = flag.replace("_", "-")
            raise ValueError(f"--{name}: the paper's board is known by its hours alone; use another profile")
    return paper_board()


def as_json(arch: str, wanted: Asked, board: Board, costs: Costs) -> dict[str, Any]:
    from cpt_model.cost.comparison import ALL, about

    return {
        "arch": arch,
        "precision": wanted.precision,
        "iterations": wanted.run.iterations,
        "batch": wanted.run.batch,
        "profile": about(board)["profile"],
        "board": about(board),
        **asdict(costs.run[ALL]),
        "saving_gbitops_pct": costs.saving_pct("gbitops"),
        "saving_hours_pct": costs.saving_pct("hours"),
        "static_precision": wanted.static_precision,
        "passes": {which: asdict(cost) for which, cost in costs.run.items() if which != ALL},
        "static": {which: asdict(cost) for which, cost in costs.static.items()},
        "layers": [asdict(each) for pair in costs.layers for each in pair],
        "whole_step": step_as_json(whole_step(arch, wanted, board)),
    }


def whole_step(arch: str, wanted: Asked, board: Board) -> tuple[StepHours, StepHours] | str | None:
    """Hours of the run and of the static one by kind of work, or why there are none; nothing for the paper's board."""
    from cpt_model.cost.accelerator import AcceleratorBoard
    from cpt_model.cost.whole_step import step_hours
    from host.compiler.layer import LayerError
    from host.compiler.plan import PlanError

    if not isinstance(board, AcceleratorBoard):
        return None
    try:
        return step_hours(arch, wanted.run, board.profile), step_hours(arch, wanted.static, board.profile)
    except (LayerError, PlanError) as problem:
        return str(problem)


def network_of(arguments: argparse.Namespace) -> ModelCount:
    """By name, or from a topology, whose file is its name from then on."""
    from cpt_model.cost import count_network
    from cpt_model.cost.topology import read_topology

    if (arguments.arch is None) == (arguments.topology is None):
        raise ValueError("give a network: either --arch NAME or --topology FILE")
    if arguments.topology is None:
        return count_network(arguments.arch)
    arguments.arch = arguments.topology.name
    return read_topology(arguments.topology)


def export(arguments: argparse.Namespace, network: ModelCount, wanted: Asked, board: Board) -> None:
    from cpt_model.cost.accelerator import AcceleratorBoard
    from cpt_model.cost.exports import write_exports

    if not isinstance(board, AcceleratorBoard):
        raise ValueError("--export: the paper's board is known by its hours alone; use another profile")
    widths = dict.fromkeys((*wanted.run.widths(), *wanted.static.widths()))
    names = write_exports(arguments.export, network, wanted.run.batch, widths, board.profile)
    if not arguments.json:
        print(f"wrote {arguments.export}: {', '.join(names)}\n")


def draw(arguments: argparse.Namespace, wanted: Asked, board: Board) -> None:
    """Where a whole step's time goes; what has none is refused."""
    from cpt_model.cost.accelerator import AcceleratorBoard
    from cpt_model.cost.step_parts import saving_parts, step_times
    from cpt_model.cost.step_plot import draw_steps

    if arguments.plot.suffix != ".png":
        raise ValueError(f"--plot {arguments.plot}: the picture is a .png file")
    if not isinstance(board, AcceleratorBoard):
        raise ValueError("--plot: the paper's board is known by its hours alone; use another profile")
    whole = whole_step(arguments.arch, wanted, board)
    if not isinstance(whole, tuple):
        raise ValueError(f"--plot: no hours of whole training steps: {whole}")
    times = step_times(arguments.arch, wanted.run.batch, wanted.run.widths(), board.profile)
    title = f"{arguments.arch}, {wanted.precision}, batch {wanted.run.batch}: estimate ({board.profile.name})"
    figure = draw_steps(times, board.profile.clock_mhz, title, saving_parts(*whole))
    arguments.plot.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(arguments.plot, dpi=130)


def step_as_json(whole: tuple[StepHours, StepHours] | str | None) -> dict[str, Any] | None:
    if whole is None:
        return None
    if isinstance(whole, str):
        return {"refused": whole}
    run, static = ({work.value: hours for work, hours in each.items()} for each in whole)
    total, most = sum(run.values()), sum(static.values())
    return {"hours": total, "static_hours": most, "saving_pct": 100 * (1 - total / most), "run": run, "static": static}


def host_in_words(board: Board) -> str:
    """What of the host is counted; it stops between an iteration's lists."""
    from cpt_model.cost.accelerator import AcceleratorBoard

    milliseconds = board.profile.host_ms if isinstance(board, AcceleratorBoard) else 0.0
    return (
        f"with {milliseconds:g} ms of the host in each, counted first"
        if milliseconds
        else "without the host's own share"
    )


def in_words(board: Board) -> str:
    from cpt_model.cost.comparison import about

    known = about(board)
    if known["profile"] == PAPER:
        return "on the CPT paper's board"
    sizes = known["build"]
    array = f"{sizes['lanes']} lanes x {sizes['columns']} columns x {16 * sizes['slice_groups']} bits of K"
    return f"on {known['profile']}: {array}, {known['clock_mhz']:g} MHz, {known['gigabytes_per_second']:g} GB/s"


def render(wanted: Asked, costs: Costs) -> str:
    """The run and the static one, pass by pass."""
    compared = (f"static {wanted.static_precision}", "saved")
    rows = [
        (
            *(which, f"{cost.gbitops:.4e}", f"{costs.static[which].gbitops:.4e}"),
            f"{costs.saving_pct('gbitops', which):.2f} %",
            *(_hours(cost.hours), _hours(costs.static[which].hours), f"{costs.saving_pct('hours', which):.2f} %"),
        )
        for which, cost in costs.run.items()
    ]
    return as_table(("pass", "GBitOPs", *compared, "hours", *compared), rows, indent="  ")


def render_step(wanted: Asked, run: StepHours, static: StepHours) -> str:
    """The run and the static one, by kind of work: no kind can save more points than its share (Amdahl)."""
    from cpt_model.cost.step_parts import saving_parts

    parts = [(work.value, run[work], static[work]) for work in run]
    total = ("all", sum(run.values()), sum(static.values()))
    amdahl = {part.work.value: (part.share_pct, part.points) for part in saving_parts(run, static)}
    amdahl["all"] = (100.0, sum(points for _, points in amdahl.values()))
    rows = [
        (
            name,
            _hours(hours),
            _hours(most),
            _saved(hours, most),
            *(f"{round(each, 1) + 0:.1f}" for each in amdahl[name]),
        )
        for name, hours, most in (*parts, total)
    ]
    head = ("work", "hours", f"static {wanted.static_precision}", "saved", "% of static", "points saved")
    return as_table(head, rows, indent="  ")


def render_places(arch: str, wanted: Asked, board: Board) -> str:
    """The whole run where it may be done, and the paper's printed hours if it has such a run."""
    from cpt_model.cost.accelerator import AcceleratorBoard
    from cpt_model.cost.paper_values import printed_hours
    from cpt_model.cost.whole_step import CREDIBLE_MHZ, places
    from sim.contract import OVERLAY_CLOCK_MHZ

    assert isinstance(board, AcceleratorBoard)
    rows = []
    for place in places(arch, wanted.run, wanted.static, board.profile):
        saved = " to ".join(dict.fromkeys(_saved(*pair) for pair in zip(place.hours, place.static, strict=True)))
        rows.append((place.name, *(" to ".join(map(_hours, each)) for each in (place.hours, place.static)), saved))
    known = [printed_hours(arch, each.widths(), each.samples) for each in (wanted.run, wanted.static)]
    if all(known):
        rows.append((OF_TABLE_2, *(_hours(each or 0.0) for each in known), _saved(known[0] or 0.0, known[1] or 1.0)))
    table = as_table(("hours of the whole run", "", f"static {wanted.static_precision}", "saved"), rows, indent="  ")
    return f"{table}\n\n{OF_PLACES.format(credible=CREDIBLE_MHZ, design=OVERLAY_CLOCK_MHZ)}"


def render_layers(pairs: list[tuple[LayerPass, LayerPass]]) -> str:
    """A line for each pass of each layer."""
    low, high = pairs[0]
    head = ("cycles of a batch", "", f"at {low.bits}", "", f"at {high.bits}", "")
    rows = [
        (each.layer, each.which, f"{each.cycles:,.0f}", each.bottleneck, f"{wide.cycles:,.0f}", wide.bottleneck)
        for each, wide in pairs
    ]
    return as_table(head, rows, left=(0, 1, 3, 5), indent="  ")


def _saved(hours: float, most: float) -> str:
    """In per cent; the two may differ in their last bit where nothing is saved.

    >>> _saved(0.3, 0.1 + 0.2), _saved(1, 4)
    ('0.00 %', '75.00 %')
    """
    return f"{round(100 * (1 - hours / most), 2) + 0:.2f} %"


def _hours(hours: float) -> str:
    """Four digits, whatever the size.

    >>> _hours(2.34762), _hours(0.000123456), _hours(1505.95)
    ('2.348', '0.0001235', '1506')
    """
    return f"{hours:.4g}"
