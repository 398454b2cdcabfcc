"""Linear on codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from cpt_model.layers.product import multiply

if TYPE_CHECKING:
    from cpt_model.layers.state import LayerState


class QuantLinear(nn.Linear):
    """A Linear whose class was changed by `prepare_`."""

    cpt: LayerState

    @torch.compiler.disable
    def forward(self, input: Tensor) -> Tensor:
        self.cpt.check_device(input, self.weight)
        if not input.numel() or not any(self.cpt.bits):
            return super().forward(input)
        if not input.ndim:
            raise ValueError(f"layer '{self.cpt.name}': input without dimensions, not (..., {self.in_features})")
        y = multiply(input, self.weight, self.cpt, "input", self.training)
        return y if self.bias is None else y + self.bias
