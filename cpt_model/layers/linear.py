"""Linear on codes, and Hugging Face's Conv1D, which is a Linear with transposed weights."""

from __future__ import annotations

from torch import Tensor, nn

from cpt_model.layers.base import QuantLayer, not_traced
from cpt_model.layers.product import multiply
from cpt_model.layers.state import LayerState


def linear(state: LayerState, training: bool, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`torch.nn.functional.linear` on codes."""
    if not x.ndim:
        raise ValueError(f"layer '{state.name}': input without dimensions, not (..., {weight.shape[1]})")
    y = multiply(x, weight, state, "input", training)
    return y if bias is None else y + bias


class QuantLinear(QuantLayer, nn.Linear):
    """A Linear whose class was changed by `prepare_`."""

    original = nn.Linear

    @not_traced
    def forward(self, input: Tensor) -> Tensor:
        self.cpt.check(input, self.weight)
        if not input.numel() or not any(self.cpt.bits):
            return super().forward(input)
        return linear(self.cpt, self.training, input, self.weight, self.bias)


class QuantConv1D(QuantLayer):
    """A `transformers.pytorch_utils.Conv1D`: x · weight + bias, with weights (in, out)."""

    weight: Tensor
    bias: Tensor

    @not_traced
    def forward(self, x: Tensor) -> Tensor:
        self.cpt.check(x, self.weight)
        if not x.numel() or not any(self.cpt.bits):
            return super().forward(x)
        return linear(self.cpt, self.training, x, self.weight.mT, self.bias)
