"""The PyTorch networks are the ones the compiler knows."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from cpt_model.models import CifarResNet
from host.compiler.networks import cifar_resnet


@pytest.mark.parametrize("depth", [8, 20, 74])
def test_convolutions_have_the_shapes_of_the_compilers_network(depth: int) -> None:
    model = CifarResNet(depth)
    seen: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    for name, module in model.named_modules():
        if isinstance(module, nn.Conv2d):
            module.register_forward_hook(
                lambda layer, inputs, output, name=name: seen.update(
                    {name.removesuffix(".0") if "shortcut" in name else name: (inputs[0].shape, output.shape)}
                )
            )
    model(torch.zeros(2, 3, 32, 32))
    expected = {name: (layer.input_shape, layer.output_shape) for name, layer in cifar_resnet(depth, batch=2).items()}
    assert seen == expected


def test_published_sizes() -> None:
    """He et al. count 0.27, 0.46 and 1.7 million parameters for 20, 32 and 110 layers."""
    for depth, millions in ((20, 0.27), (32, 0.46), (110, 1.7)):
        parameters = sum(parameter.numel() for parameter in CifarResNet(depth).parameters())
        assert parameters / 1e6 == pytest.approx(millions, rel=0.03)


def test_other_depths_are_refused() -> None:
    with pytest.raises(ValueError, match="6n \\+ 2 layers deep"):
        CifarResNet(21)
