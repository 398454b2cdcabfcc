"""Initial weights that are the same on every processor: PyTorch's own draws, each rounded once.

PyTorch's `reset_parameters` draws k of 24 random bits and takes −b + k·2^−24·2b in float32, rounded once or twice as
the processor has it. Here it is b·(k − 2^23)·2^−23, rounded once: what PyTorch gives where it fuses the two.
"""

from __future__ import annotations

from math import sqrt

import torch
from torch import Tensor, nn

DRAWN = 24  # bits of a draw
GAIN = sqrt(2 / (1 + sqrt(5) * sqrt(5)))  # of PyTorch's usual weights: uniform with a variance of 1 / (3·inputs)


@torch.no_grad()
def draw_weights(model: nn.Module, seed: int) -> None:
    """Weights of convolutions, weights and biases of fully connected layers, in the order of the model's modules."""
    generator = torch.Generator().manual_seed(seed)
    for module in model.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            inputs = module.weight[0].numel()
            _uniform(module.weight, sqrt(3) * (GAIN / sqrt(inputs)), generator)
            if module.bias is not None:
                _uniform(module.bias, 1 / sqrt(inputs), generator)


def _uniform(parameter: Tensor, bound: float, generator: torch.Generator) -> None:
    """Within ±bound; the product of two numbers of 24 bits is exact in float64."""
    whole = torch.empty(parameter.shape, dtype=torch.int64).random_(0, 1 << DRAWN, generator=generator)
    half = 1 << DRAWN - 1
    parameter.copy_((whole - half).double() * torch.tensor(bound).double() / half)
