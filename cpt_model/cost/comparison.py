"""A run's costs and those of the same run at static precision: by pass, in all, and of single layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cpt_model.cost.accelerator import AcceleratorBoard
from cpt_model.cost.breakdown import Board, LayerPass, PassCost, at_extremes, by_pass
from cpt_model.cost.run import Run
from cpt_model.tracing.counts import ModelCount

ALL = "all"


@dataclass(frozen=True)
class Costs:
    """The run's passes and their sum, the static run's, and layers at the lowest and highest bits if asked for."""

    run: dict[str, PassCost]
    static: dict[str, PassCost]
    layers: list[tuple[LayerPass, LayerPass]]

    def saving_pct(self, of: str, which: str = ALL) -> float:
        static = getattr(self.static[which], of)
        return 100 * (1 - getattr(self.run[which], of) / static) if static else 0.0  # a pass that is never run


def compare(count: ModelCount, run: Run, static: Run, board: Board, layers: bool = False) -> Costs:
    """Both runs on a board; `layers` are known of an accelerator only."""
    sums = []
    for each in (run, static):
        passes = by_pass(count, each, board)
        values = passes.values()
        total = PassCost(sum(cost.gbitops for cost in values), sum(cost.hours for cost in values))
        sums.append({**{which.value: cost for which, cost in passes.items()}, ALL: total})
    pairs = at_extremes(count, run, board) if layers and isinstance(board, AcceleratorBoard) else []
    return Costs(sums[0], sums[1], pairs)


def about(board: Board) -> dict[str, Any]:
    """The board in numbers; the paper's is known by its name alone."""
    if not isinstance(board, AcceleratorBoard):
        return {"profile": "paper"}
    profile = board.profile
    return {
        "profile": profile.name,
        "clock_mhz": profile.clock_mhz,
        "gigabytes_per_second": profile.gigabytes_per_second,
        "latency": profile.memory.latency,
        "results": profile.results.value,
        "build": profile.build.parameters(),
    }
