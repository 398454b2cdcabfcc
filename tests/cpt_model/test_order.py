"""The order in which layers compute: by inputs, by a traced graph, or said to be a guess."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from cpt_model import prepare_
from cpt_model.model_precision import prepared_layers
from cpt_model.order import layers_in_order


class Backwards(nn.Module):
    """Registered from the end to the beginning; `looks` makes its code depend on values."""

    def __init__(self, looks: str = "") -> None:
        super().__init__()
        self.looks = looks
        self.head = nn.Linear(4, 2)
        self.middle = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.unused = nn.Linear(9, 9)
        self.stem = nn.Linear(3, 4)

    def forward(self, x: Tensor) -> Tensor:
        if self.looks == "shape" and x.shape[0] > 100:
            return x
        if self.looks == "values" and bool((x > 100).any()):
            return x
        return self.head(self.middle(self.stem(x)))


ORDER = ["stem", "middle.0", "head"]


def test_a_graph_is_traced_without_inputs() -> None:
    assert layers_in_order(Backwards()) == ORDER


@pytest.mark.parametrize("looks", ["", "shape", "values"])
def test_inputs_are_run(looks: str) -> None:
    model = Backwards(looks)
    assert layers_in_order(model, (torch.zeros(2, 3),)) == ORDER
    assert "head" not in prepared_layers(prepare_(model, inputs=torch.zeros(2, 3)))


def test_running_on_values_leaves_the_model_alone() -> None:
    model = nn.Sequential(Backwards("values"), nn.BatchNorm1d(2))
    layers_in_order(model, (torch.randn(8, 3),))
    assert model[1].num_batches_tracked == 0


@pytest.mark.parametrize("looks", ["shape", "values"])
def test_a_model_that_cannot_be_traced_is_said_to_be_guessed(looks: str) -> None:
    with pytest.warns(UserWarning, match=r"taken to be 'stem', the last one registered.*inputs=\(x,\)"):
        model = prepare_(Backwards(looks))
    assert "stem" not in prepared_layers(model)


def test_pytorchs_own_blocks_hold_several_layers() -> None:
    model = nn.Sequential(nn.TransformerEncoderLayer(4, 2, 8), nn.Linear(4, 2))
    assert layers_in_order(model) == ["0.self_attn", "0.linear1", "0.linear2", "1"]
