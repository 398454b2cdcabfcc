"""PyTorch's words and permutations, without PyTorch."""

from __future__ import annotations

import pytest
import torch

from cpt_model.models import build
from cpt_model.step.draw import draw_weights
from host.compiler.step.initial import drawn_parameters
from host.compiler.step.networks import named
from sim.common.twister import torch_permutation


@pytest.mark.parametrize(("length", "seed"), [(1, 0), (2, 1), (1797, 0), (1797, 1 << 40)])
def test_permutations_are_those_of_pytorch(length: int, seed: int) -> None:
    wanted = torch.randperm(length, generator=torch.Generator().manual_seed(seed))
    assert torch_permutation(length, seed).tolist() == wanted.tolist()


@pytest.mark.parametrize("name", ["digits_resnet_8", "cifar10_resnet_164_bottleneck", "cifar10_mobilenet_v2"])
def test_initial_weights_are_drawn_in_the_order_of_pytorchs_modules(name: str) -> None:
    model = build(name)
    draw_weights(model, 7)
    ours = drawn_parameters(named(name), 7)
    theirs = {key: value for key, value in model.state_dict().items() if "num_batches" not in key}
    assert ours.keys() == theirs.keys()
    assert [key for key in ours if ours[key].tolist() != theirs[key].double().tolist()] == []
