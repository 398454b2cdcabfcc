"""Initial weights of our own are PyTorch's, rounded once."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from cpt_model.models import CifarMobileNetV2, CifarResNet
from cpt_model.step.draw import draw_weights


@pytest.mark.parametrize("make", [lambda: CifarResNet(8), CifarMobileNetV2], ids=["ResNet", "MobileNetV2"])
def test_they_are_pytorchs_to_one_more_rounding(make):
    """On processors that fuse product and sum, to the bit; others round a second number, of at most 2·bound."""
    torch.manual_seed(5)
    theirs = make().state_dict()
    model = make()
    draw_weights(model, seed=5)
    for name, ours in model.state_dict().items():
        assert (ours - theirs[name]).abs().max() <= theirs[name].abs().max() * 2**-23, name


def test_they_depend_on_the_seed_alone():
    """Not on PyTorch's own generator, which is left alone."""
    torch.manual_seed(1)
    before = torch.get_rng_state()
    layer = nn.Conv2d(3, 4, 3)
    torch.set_rng_state(before)
    drawn = []
    for seed in (0, 0, 1):
        draw_weights(layer, seed)
        drawn.append(layer.weight.detach().clone())
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])
