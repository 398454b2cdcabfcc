"""Small networks of every kind of block, and any network in float64: what tests of whole iterations share."""

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from host.compiler.step.network import Block, Head, Network, Unit
from host.compiler.step.networks import branch_unit, unit


def mixed(size: int = 8) -> Network:
    """Depthwise units, nodes without ReLU, streams and branches of both kinds, strides; 24 channels fill no block."""
    stem = Block("stem", (unit("stem.", 1, (3, size, size), 16, 3),))
    x = stem.makes
    wide = unit("a.", 1, x, 48, 1)
    deep = unit("a.", 2, wide.makes, 48, 3, groups=48)
    narrow = unit("a.", 3, deep.makes, 24, 1)
    first = Block("a", (wide, deep, narrow), branch=branch_unit("a.shortcut", x, 24, 1), relu=False)
    x = first.makes
    deep = unit("b.", 1, x, 24, 3, groups=24)
    second = Block("b", (deep, unit("b.", 2, x, 24, 1)), stream=True, relu=False)
    third = Block("c", (unit("c.", 1, x, 32, 3, 2),))
    last = Block("d", (unit("d.", 1, third.makes, 32, 3), unit("d.", 2, third.makes, 32, 3)), stream=True)
    return Network("mixed", (stem, first, second, third, last), Head("fc", 10))


def in_float(
    network: Network, floats: dict[str, np.ndarray], images: np.ndarray, statistics: dict[str, np.ndarray] | None = None
) -> tuple[Tensor, dict[str, Tensor]]:
    """Logits in training mode by float64 autograd, and the parameters behind them; the batch's statistics if asked."""
    names = [f"{each.name}.weight" for each in network.units]
    names += [f"{each.norm}.{kind}" for each in network.units for kind in ("weight", "bias")]
    names += [f"{network.head.name}.{kind}" for kind in ("weight", "bias")]
    parameters = {name: torch.tensor(floats[name], dtype=torch.float64, requires_grad=True) for name in names}

    def normalised(each: Unit, x: Tensor) -> Tensor:
        layer = each.layer
        y = F.conv2d(x, parameters[f"{each.name}.weight"], None, layer.stride, layer.padding, 1, layer.groups)
        if statistics is not None:
            variance, mean = torch.var_mean(y.detach(), (0, 2, 3), correction=0)
            seen = {f"{each.norm}.running_mean": mean.numpy(), f"{each.norm}.running_var": variance.numpy()}
            statistics.update(seen)
        return F.batch_norm(
            y, None, None, parameters[f"{each.norm}.weight"], parameters[f"{each.norm}.bias"], training=True
        )

    x = torch.tensor(images, dtype=torch.float64)
    for block in network.blocks:
        y = x
        for each in block.inner:
            y = torch.relu(normalised(each, y))
        y = normalised(block.last, y)
        if block.stream:
            y = y + x
        if block.branch:
            y = y + normalised(block.branch, x)
        x = torch.relu(y) if block.relu else y
    return F.linear(x.mean((2, 3)), *(parameters[f"{network.head.name}.{kind}"] for kind in ("weight", "bias"))), (
        parameters
    )
