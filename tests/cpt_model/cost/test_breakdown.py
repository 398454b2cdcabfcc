"""A run's cost taken apart: the parts' sums, and where a part comes from."""

from __future__ import annotations

import pytest

from cpt_model.cost import AS_PAPERS, Run, count_network, gbitops, paper_board
from cpt_model.cost.accelerator import PROFILES, AcceleratorBoard
from cpt_model.cost.breakdown import Board, by_layer, by_pass, extremes
from cpt_model.schedules import CPT, Bits
from host.compiler.layer import Pass

RUN = Run(CPT(3, 6, cycles=4), CPT(5, 8, cycles=4), iterations=400, batch=32)


@pytest.mark.parametrize("board", [AcceleratorBoard(PROFILES["zc706-ps"]), paper_board()], ids=["zc706-ps", "paper"])
def test_passes_add_up_to_the_run(board: Board) -> None:
    network = count_network("cifar10_resnet_8")
    costs = by_pass(network, RUN, board)
    assert sum(cost.gbitops for cost in costs.values()) == pytest.approx(gbitops(network, RUN, AS_PAPERS), rel=1e-12)
    assert sum(cost.hours for cost in costs.values()) == pytest.approx(board.hours(network, RUN), rel=1e-12)
    assert costs[Pass.FORWARD].gbitops < costs[Pass.INPUT_ERROR].gbitops == costs[Pass.WEIGHT_GRADIENT].gbitops


def test_layers_add_up_to_an_iteration() -> None:
    network, board = count_network("cifar10_resnet_8"), AcceleratorBoard(PROFILES["zc706"])
    layers = by_layer(network, 64, Bits(4, 8), board)
    seconds = sum(each.cycles for each in layers) / 200e6
    assert seconds == pytest.approx(board.iteration_seconds(network, 64, Bits(4, 8)))
    assert [each.which for each in layers[:4]] == ["forward", "weight-gradient", "forward", "input-error"]
    assert {each.bits for each in layers} == {"4/8"}
    assert {each.bottleneck for each in layers} <= {"compute", "load", "store"}


def test_extremes_are_of_each_schedule_alone() -> None:
    assert extremes(RUN) == (Bits(3, 5), Bits(6, 8))
