"""Products of a recurrent layer: PyTorch may fuse them into one call, the accelerator runs them one by one."""

from __future__ import annotations

from torch import Size, nn

from cpt_model.tracing.counts import Product
from cpt_model.tracing.shapes import rows_as_map
from host.compiler.layer import LayerError


def recurrent_products(module: nn.RNNBase, features: Size, samples: int) -> tuple[Product, ...]:
    """Input weights see all steps at once; hidden weights (and projections) one step after the other.

    >>> for each in recurrent_products(nn.LSTM(8, 16), Size((35, 4, 8)), samples=4):
    ...     print(each.shape.height, each.shape.in_channels, each.shape.out_channels, each.times)
    35 8 64 1
    1 16 64 35
    """
    positions = features[:-1].numel()
    if positions % samples:
        raise LayerError(f"{positions} steps cannot be shared out among {samples} samples")
    steps = positions // samples
    products = []
    for name, weight in module.named_parameters():
        if name.startswith("weight_ih"):
            products.append(Product(rows_as_map(steps, weight.shape[1], weight.shape[0])))
        elif name.startswith("weight_"):
            products.append(Product(rows_as_map(1, weight.shape[1], weight.shape[0]), times=steps))
    return tuple(products)
