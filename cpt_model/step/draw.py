"""Initial weights that are the same on every processor, and on a board without PyTorch: `host`'s, into a model."""

from __future__ import annotations

from math import sqrt

import torch
from torch import nn

from host.compiler.step.initial import drawn_uniform, drawn_weights
from sim.common.twister import Twister


@torch.no_grad()
def draw_weights(model: nn.Module, seed: int) -> None:
    """Weights of convolutions, weights and biases of fully connected layers, in the order of the model's modules."""
    words = Twister(seed)
    for module in model.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            module.weight.copy_(torch.from_numpy(drawn_weights(words, tuple(module.weight.shape))))
            if module.bias is not None:
                bound = 1 / sqrt(module.weight[0].numel())
                module.bias.copy_(torch.from_numpy(drawn_uniform(words, tuple(module.bias.shape), bound)))
