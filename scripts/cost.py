"""`cpt cost`: bit operations and board hours of training a network at a precision schedule."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from host.compiler.results import Results
from scripts.cost_flags import Asked, add_run, asked

if TYPE_CHECKING:
    from cpt_model.cost.breakdown import Board, LayerPass, PassCost

PAPER = "paper"
ALL = "all"
OF_PAPER = (
    "Hours are an estimate: linear in the operands' widths as the CPT paper's board, calibrated on ResNet-74 8/8."
)
OF_CORE = (
    "Hours are an estimate, by the latency model of our core: matrix passes only, which store '{results}'\n"
    "(cpt cost --help); float layers take none of it."
)


@dataclass(frozen=True)
class Costs:
    """The run's passes and their sum, the static run's, and layers at the lowest and highest bits if asked for."""

    run: dict[str, PassCost]
    static: dict[str, PassCost]
    layers: list[tuple[LayerPass, LayerPass]]

    def saving_pct(self, of: str, which: str = ALL) -> float:
        static = getattr(self.static[which], of)
        return 100 * (1 - getattr(self.run[which], of) / static) if static else 0.0  # a pass that nobody needs


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "cost",
        help="bit operations and board hours of a run",
        description="Counts the bit operations of training a network at a precision schedule, estimates the hours on a "
        "board, and says what both save against static precision at the highest bits.",
    )
    add_run(parser)
    parser.add_argument(
        "--profile",
        default="zc706",
        metavar="NAME",
        help="board: zc706 (its SODIMM), zc706-ps (the ARM's memory), paper, or a JSON file of your own (zc706)",
    )
    parser.add_argument("--clock-mhz", type=float, metavar="MHZ", help="instead of the profile's")
    parser.add_argument("--bandwidth", type=float, metavar="GB/S", help="of the memory, instead of the profile's")
    parser.add_argument(
        "--results",
        choices=list(map(str, Results)),
        help="what passes store: results as narrow as the precision deserves (rounded), 16 bits, or exact accumulators;"
        " with row sums, which weights with a zero point need, or the products alone (the profile's: rounded)",
    )
    parser.add_argument("--layers", action="store_true", help="cycles and bottleneck of every layer's passes, too")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    wanted = asked(arguments)
    board = board_of(arguments)
    costs = costs_of(arguments.arch, wanted, board, arguments.layers)
    if arguments.json:
        print(json.dumps(as_json(arguments.arch, wanted, board, costs), indent=2))
        return 0
    print(f"{arguments.arch}, {wanted.precision}, {wanted.run.iterations:,} iterations of {wanted.run.batch} samples")
    print(f"{in_words(board)}\n\n{render(wanted, costs)}\n")
    if costs.layers:
        print(f"{render_layers(costs.layers)}\n")
    print(OF_PAPER if arguments.profile == PAPER else OF_CORE.format(results=about(board)["results"]))
    return 0


def board_of(arguments: argparse.Namespace) -> Board:
    from cpt_model.cost import paper_board
    from cpt_model.cost.accelerator import AcceleratorBoard
    from cpt_model.cost.profile_file import adjusted, find_profile

    if arguments.profile != PAPER:
        profile = find_profile(arguments.profile, also=(PAPER,))
        if arguments.results is not None:
            profile = replace(profile, results=Results(arguments.results))
        return AcceleratorBoard(adjusted(profile, arguments.clock_mhz, arguments.bandwidth))
    for flag in ("clock-mhz", "bandwidth", "results"):
        asked_for = getattr(arguments, flag.replace("-", "_"))
        if asked_for is not None:
            raise ValueError(
                f"--{flag} {asked_for}: the paper's board is known by its hours alone; take another profile"
            )
    if arguments.layers:
        raise ValueError("--layers: the paper's board is known by its hours alone; take another profile")
    return paper_board()


def costs_of(arch: str, wanted: Asked, board: Board, layers: bool) -> Costs:
    from cpt_model.cost import count_network
    from cpt_model.cost.accelerator import AcceleratorBoard
    from cpt_model.cost.breakdown import PassCost, by_layer, by_pass, extremes

    count = count_network(arch)
    sums = []
    for each in (wanted.run, wanted.static):
        passes = by_pass(count, each, board)
        values = passes.values()
        total = PassCost(sum(cost.gbitops for cost in values), sum(cost.hours for cost in values))
        sums.append({**{which.value: cost for which, cost in passes.items()}, ALL: total})
    pairs: list[tuple[LayerPass, LayerPass]] = []
    if layers and isinstance(board, AcceleratorBoard):
        low, high = (by_layer(count, wanted.run.batch, bits, board) for bits in extremes(wanted.run))
        pairs = list(zip(low, high, strict=True))
    return Costs(sums[0], sums[1], pairs)


def as_json(arch: str, wanted: Asked, board: Board, costs: Costs) -> dict[str, Any]:
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
    }


def about(board: Board) -> dict[str, Any]:
    """The board in numbers."""
    from cpt_model.cost.accelerator import AcceleratorBoard

    if not isinstance(board, AcceleratorBoard):
        return {"profile": PAPER}
    profile = board.profile
    return {
        "profile": profile.name,
        "clock_mhz": profile.clock_mhz,
        "gigabytes_per_second": profile.gigabytes_per_second,
        "latency": profile.memory.latency,
        "results": profile.results.value,
        "build": profile.build.parameters(),
    }


def in_words(board: Board) -> str:
    known = about(board)
    if known["profile"] == PAPER:
        return "on the CPT paper's board"
    sizes = known["build"]
    array = f"{sizes['lanes']} lanes x {sizes['columns']} columns x {16 * sizes['slice_groups']} bits of K"
    return f"on {known['profile']}: {array}, {known['clock_mhz']:g} MHz, {known['gigabytes_per_second']:g} GB/s"


def render(wanted: Asked, costs: Costs) -> str:
    """The run beside the static one, pass by pass."""
    head = f"  {'':16} {wanted.precision:>24}   {'static ' + wanted.static_precision:>24}   {'saved':>21}"
    units = (
        f"  {'':16} {'GBitOPs':>13} {'hours':>10}"
        + f"   {'GBitOPs':>13} {'hours':>10}"
        + f"   {'GBitOPs':>10} {'hours':>10}"
    )
    lines = [head, units]
    for which, cost in costs.run.items():
        values = "  ".join(f" {each.gbitops:13.4e} {_hours(each.hours):>10}" for each in (cost, costs.static[which]))
        saved = " ".join(f"{costs.saving_pct(of, which):8.2f} %" for of in ("gbitops", "hours"))
        lines.append(f"  {which:16}{values}   {saved}")
    return "\n".join(lines)


def render_layers(pairs: list[tuple[LayerPass, LayerPass]]) -> str:
    """A line for each pass of each layer."""
    low, high = pairs[0]
    width = max(len(each.layer) for each, _ in pairs)
    lines = [f"  {'cycles of a batch':{width}} {'':16} {'at ' + low.bits:>12} {'':10} {'at ' + high.bits:>12}"]
    for at_low, at_high in pairs:
        lines.append(
            f"  {at_low.layer:{width}} {at_low.which:16} {at_low.cycles:12,.0f} {at_low.bottleneck:10} "
            f"{at_high.cycles:12,.0f} {at_high.bottleneck}"
        )
    return "\n".join(lines)


def _hours(hours: float) -> str:
    """Four digits, whatever the size.

    >>> _hours(2.34762), _hours(0.000123456), _hours(1505.95)
    ('2.348', '0.0001235', '1506')
    """
    return f"{hours:.4g}"
