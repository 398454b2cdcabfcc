"""From PyTorch models to descriptions; what cannot be described is refused by name; weights there and back."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from cpt_model import prepare_
from cpt_model.models import CifarBottleneckResNet, CifarMobileNetV2, CifarResNet, ImageNetResNet
from cpt_model.step import IntegerNetwork, describe
from host.compiler.layer import LayerError


def stack(*more: nn.Module) -> nn.Sequential:
    units = (nn.Conv2d(3, 20, 3, 2, 1, bias=False), nn.BatchNorm2d(20), nn.ReLU())
    return nn.Sequential(*units, *more, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(20, 7))


@pytest.mark.parametrize(
    ("model", "units"),
    [(CifarResNet(20), 21), (CifarBottleneckResNet(11), 13), (CifarMobileNetV2(), 57), (stack(), 1)],
    ids=lambda value: type(value).__name__,
)
def test_units_are_the_models_own(model, units):
    network = describe(model, (3, 32, 32))
    convolutions = [name for name, module in model.named_modules() if isinstance(module, nn.Conv2d)]
    assert sorted(unit.name for unit in network.units) == sorted(convolutions)
    assert len(network.units) == units


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        (ImageNetResNet(18), "'ImageNetResNet' does not run as whole iterations"),
        (stack(nn.Dropout()), "a plain stack is"),
        (nn.Sequential(), "a plain stack is"),
        (type("Other", (CifarResNet,), {})(8), "'Other' does not run as whole iterations"),
        (nn.Sequential(*list(stack())[:-2], nn.Flatten(2), nn.Linear(20, 7)), "a plain stack is"),
        (nn.Sequential(nn.Conv2d(3, 20, 17, bias=False), *list(stack())[1:]), "'0' is Conv2d.*kernel = 17 is not in"),
    ],
    ids=["other class", "other layer", "nothing", "subclass", "other flatten", "other kernel"],
)
def test_models_that_cannot_be(model, problem):
    with pytest.raises(LayerError, match=problem):
        describe(model, (3, 32, 32))


def test_a_prepared_stack_is_described():
    assert describe(prepare_(stack()), (3, 32, 32)).units == describe(stack(), (3, 32, 32)).units


@pytest.mark.parametrize(
    ("name", "module", "problem"),
    [
        ("conv1", nn.Conv2d(3, 16, 3, padding=1), "'conv1' is Conv2d.*without bias"),
        ("conv1", nn.Conv2d(3, 16, 5, padding=2, bias=False), "not what a CifarResNet has there"),
        ("conv1", nn.Conv2d(3, 16, 3, padding="same", bias=False), "its padding must be numbers"),
        ("bn1", nn.BatchNorm2d(16, momentum=0.01), "'bn1' is BatchNorm2d.*momentum of 0.1"),
        ("bn1", nn.BatchNorm2d(16, affine=False), "'bn1' is BatchNorm2d"),
        ("bn1", nn.BatchNorm2d(16, eps=0.5), "'bn1' is BatchNorm2d.*ε of at most 0.001"),
        ("fc", nn.Linear(64, 10, bias=False), "with bias is supported"),
        ("fc", nn.Linear(17, 10), "'fc' takes 17 features: the last map has 64 channels"),
        ("layer3", CifarResNet(14).layer3, "'layer3.1.bn1' is in this model, unlike a CifarResNet"),
        ("layer2", nn.Sequential(nn.Identity()), "'layer2.0.bn1' is not in this model, unlike a CifarResNet"),
    ],
)
def test_changed_models_are_refused(name, module, problem):
    model = CifarResNet(8)
    setattr(model, name, module)
    with pytest.raises(LayerError, match=problem):
        describe(model, (3, 32, 32))


def test_weights_there_and_back():
    """Exact to half a unit of the fixed point."""
    torch.manual_seed(0)
    model, other = CifarResNet(8), CifarResNet(8)
    IntegerNetwork(model, (3, 8, 8), batch=2).export(other)
    for name, value in other.state_dict().items():
        if "num_batches" not in name:
            assert (value - model.state_dict()[name]).abs().max() <= 2**-25, name
