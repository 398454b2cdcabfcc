"""Which layers stay float, on small networks shaped as the papers' are."""

from __future__ import annotations

import pytest
from torch import Tensor, nn

from cpt_model import Config, prepare_
from cpt_model.model_precision import prepared_layers


class Block(nn.Module):
    def __init__(self, shortcut: str) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(4, 8, 3, 2, 1)
        self.reduce = nn.Conv2d(8, 8, 1)
        setattr(self, shortcut, nn.Sequential(nn.Conv2d(4, 8, 1, 2), nn.BatchNorm2d(8)))


def network(shortcut: str = "downsample") -> nn.Module:
    model = nn.Module()
    model.stem = nn.Conv2d(3, 4, 3)
    model.block = Block(shortcut)
    model.squeeze = nn.Linear(8, 8)
    model.fc = nn.Linear(8, 10)
    return model


def quantised(model: nn.Module, policy: str) -> list[str]:
    return list(prepared_layers(prepare_(model, Config(policy=policy))))


@pytest.mark.parametrize("shortcut", ["downsample", "shortcut", "skip"])
def test_which_layers_are_quantised(shortcut: str) -> None:
    inside = ["block.conv1", "block.reduce"]
    everywhere = ["stem", *inside, f"block.{shortcut}.0", "squeeze"]
    assert quantised(network(shortcut), "cifar") == everywhere
    assert quantised(network(shortcut), "imagenet") == [*inside, "squeeze"]
    assert quantised(network(shortcut), "none") == [*everywhere, "fc"]


def test_a_linear_layer_alone_is_quantised() -> None:
    assert quantised(nn.Linear(2, 2), "cifar") == [""]


class Reader(nn.Module):
    """Its head is registered first and computes last; inside the attention is a Linear too."""

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(4, 2)
        self.attention = nn.MultiheadAttention(4, 2)
        self.body = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.attention(*[self.body(x)] * 3)[0])


def test_the_last_linear_is_that_of_the_computation() -> None:
    assert quantised(Reader(), "cifar") == ["attention", "body"]


class Stem(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.stem, self.shut = nn.Conv2d(4, 4, 3), nn.Conv2d(3, 4, 3), nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        return self.body(x * self.shut(x.mean((2, 3)))[..., None, None])


def test_the_first_convolution_is_that_of_the_computation_and_a_linear_in_the_middle_is_not_the_last_layer() -> None:
    assert quantised(Stem(), "imagenet") == ["body", "shut"]
