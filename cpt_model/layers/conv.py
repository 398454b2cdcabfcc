"""Conv2d on codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from cpt_model.layers.product import convolve, geometry

if TYPE_CHECKING:
    from cpt_model.layers.state import LayerState


class QuantConv2d(nn.Conv2d):
    """A Conv2d whose class was changed by `prepare_`; groups and depthwise layers included."""

    cpt: LayerState

    @torch.compiler.disable
    def forward(self, input: Tensor) -> Tensor:
        self.cpt.check_device(input, self.weight)
        if not input.numel() or not any(self.cpt.bits):
            return super().forward(input)
        if input.ndim not in (3, 4):
            raise ValueError(f"layer '{self.cpt.name}': input {tuple(input.shape)} is not (n, c, h, w) or (c, h, w)")
        unbatched = input.ndim == 3
        x = input[None] if unbatched else input
        layer = geometry(
            *(x.shape[0], self.in_channels, self.out_channels, x.shape[2], x.shape[3]),
            *(self.kernel_size, self.stride, self.padding, self.groups),
        )
        y = convolve(x, self.weight, layer, self.cpt, "input", self.training)
        if self.bias is not None:
            y = y + self.bias[:, None, None]
        return y[0] if unbatched else y
