"""A run's cost taken apart: by pass over the whole schedule, and by layer at single precisions."""

from __future__ import annotations

from dataclasses import dataclass

from cpt_model.cost.accelerator import AcceleratorBoard
from cpt_model.cost.linear_board import LinearBoard
from cpt_model.cost.run import Run
from cpt_model.tracing.counts import ModelCount
from host.compiler.bits import Bits
from host.compiler.jobs import pass_precision
from host.compiler.layer import Pass

Board = AcceleratorBoard | LinearBoard


@dataclass(frozen=True)
class PassCost:
    """One of the three passes, of all layers and iterations."""

    gbitops: float
    hours: float


@dataclass(frozen=True)
class LayerPass:
    """One pass of one layer, for one batch: cycles and what they are spent on, at one precision."""

    layer: str
    which: str
    bits: str
    cycles: float
    bottleneck: str


def by_pass(count: ModelCount, run: Run, board: Board) -> dict[Pass, PassCost]:
    """The costs of each pass; their sums are the run's.

    >>> from cpt_model.tracing.counts import LayerCount
    >>> network = ModelCount((LayerCount("conv", "Conv2d", 1000, quantised=True),))
    >>> costs = by_pass(network, Run.named("4/8", iterations=1, batch=1), LinearBoard(rate=1000))
    >>> [(each.gbitops * 1e9, each.hours) for each in costs.values()]
    [(16000.0, 4.0), (32000.0, 6.0), (32000.0, 6.0)]
    """
    operations = dict.fromkeys(Pass, 0)
    hours = dict.fromkeys(Pass, 0.0)
    for bits, iterations in run.widths().items():
        of_board = _iteration_hours(count, run.batch, bits, board)
        for which in Pass:
            precision = pass_precision(which, bits)
            rest = count.operations - count.quantised_macs
            operations[which] += rest * run.batch * precision.a_bits * precision.b_bits * iterations
            for own, macs in count.macs_at(bits).items():
                own_precision = pass_precision(which, own)
                operations[which] += macs * run.batch * own_precision.a_bits * own_precision.b_bits * iterations
            hours[which] += of_board[which] * iterations
    return {which: PassCost(operations[which] / 1e9, hours[which]) for which in Pass}


def _iteration_hours(count: ModelCount, batch: int, bits: Bits, board: Board) -> dict[Pass, float]:
    hours = dict.fromkeys(Pass, 0.0)
    if isinstance(board, LinearBoard):
        for which in Pass:
            for own, macs in count.macs_at(bits).items():
                precision = pass_precision(which, own)
                hours[which] += macs * batch * (precision.a_bits + precision.b_bits) / 2 / board.rate
        return hours
    for each in board.passes(count, batch, bits):
        hours[each.which] += each.time.cycles / (board.profile.clock_mhz * 3600e6)
    return hours


def by_layer(count: ModelCount, batch: int, bits: Bits, board: AcceleratorBoard) -> list[LayerPass]:
    """Each layer's passes at these bits, in the network's order."""
    return [
        LayerPass(each.layer, each.which.value, str(bits), each.time.cycles, each.time.bottleneck)
        for each in board.passes(count, batch, bits)
    ]


def at_extremes(count: ModelCount, run: Run, board: AcceleratorBoard) -> list[tuple[LayerPass, LayerPass]]:
    """Each layer's passes at the lowest and at the highest widths of a run."""
    low, high = (by_layer(count, run.batch, bits, board) for bits in extremes(run))
    return list(zip(low, high, strict=True))


def extremes(run: Run) -> tuple[Bits, Bits]:
    """Lowest and highest widths that the run has.

    >>> extremes(Run.named("3-8/8"))
    (Bits(forward=3, backward=8), Bits(forward=8, backward=8))
    """
    forward, backward = zip(*run.widths(), strict=True)
    return Bits(min(forward), min(backward)), Bits(max(forward), max(backward))
