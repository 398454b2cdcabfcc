"""The CPT authors' way, as a baseline: operands are rounded to the grid's values and multiplied in plain float32.

As their code does it: min and max by index reductions, U(−½, ½) drawn for every element of an error, NCHW, weights by
output channel in both passes, a scale of at least 1e-8, in evaluation a running range of activations (momentum 0.9, not
corrected for its start). One quantised error feeds both backward products.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from host.compiler.bits import Bits

LEAST_SCALE = 1e-8
MOMENTUM = 0.9

Range = tuple[Tensor, Tensor]


def value_range(values: Tensor, dims: int) -> Range:
    """Least and greatest over the last `dims` dimensions, shaped to broadcast."""
    flat = values.flatten(values.ndim - dims)
    shape = *values.shape[: values.ndim - dims], *(1,) * dims
    return flat.min(-1)[0].reshape(shape), flat.max(-1)[0].reshape(shape)


def fake(values: Tensor, bits: int, between: Range, noise: bool = False) -> Tensor:
    """Values rounded to 2^bits levels of the range."""
    low, high = between
    levels = 2.0**bits - 1
    scale = ((high - low) / levels).clamp_min(LEAST_SCALE)
    steps = (values - low) / scale
    if noise:
        steps = steps + torch.empty_like(steps).uniform_(-0.5, 0.5)
    return steps.clamp(0, levels).round() * scale + low


class _Straight(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, bits: int, between: Range) -> Tensor:
        return fake(values, bits, between)

    @staticmethod
    def backward(ctx: Any, error: Tensor) -> tuple[Tensor, None, None]:
        return error, None, None


class _Error(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, y: Tensor, bits: int) -> Tensor:
        ctx.bits = bits
        return y.view_as(y)

    @staticmethod
    def backward(ctx: Any, error: Tensor) -> tuple[Tensor, None]:
        return fake(error, ctx.bits, value_range(error, error.ndim), noise=True), None


class FakeConv2d(nn.Conv2d):
    """A convolution of fake-quantised operands."""

    bits = Bits(8, 8)
    running: Range | None = None

    def forward(self, input: Tensor) -> Tensor:
        x = _Straight.apply(input, self.bits.forward, self._range(input))
        weights = _Straight.apply(self.weight, self.bits.forward, value_range(self.weight, 3))
        y = functional.conv2d(x, weights, self.bias, self.stride, self.padding, groups=self.groups)
        return _Error.apply(y, self.bits.backward)

    def _range(self, x: Tensor) -> Range:
        """The batch's while training, the running mean in evaluation."""
        if not self.training and self.running is not None:
            return self.running
        found = value_range(x.detach(), x.ndim)
        if self.training:
            before = self.running or (torch.zeros_like(found[0]), torch.zeros_like(found[1]))
            low, high = (MOMENTUM * old + (1 - MOMENTUM) * new for old, new in zip(before, found, strict=True))
            self.running = low, high
        return found


def fake_quantise_(model: nn.Module) -> nn.Module:
    """Changes every convolution of the model."""
    for module in model.modules():
        if type(module) is nn.Conv2d:
            module.__class__ = FakeConv2d
    return model


def set_fake_bits(model: nn.Module, bits: Bits) -> None:
    for module in model.modules():
        if isinstance(module, FakeConv2d):
            module.bits = bits
