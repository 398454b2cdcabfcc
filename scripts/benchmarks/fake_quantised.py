"""The CPT authors' way, as a baseline: operands are rounded to the grid's values and multiplied in plain float32.

As facts about their code have it: min and max by index reductions, U(−½, ½) drawn for every element of an error, NCHW,
per-output-channel weights in both passes, a scale of at least 1e-8. One quantised error feeds both backward products.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

LEAST_SCALE = 1e-8


def fake(values: Tensor, bits: int, dims: int, noise: bool = False) -> Tensor:
    """Values rounded to 2^bits levels of the range over the last `dims` dimensions, flattened."""
    flat = values.flatten(values.ndim - dims)
    low, high = flat.min(-1, keepdim=True)[0], flat.max(-1, keepdim=True)[0]
    shape = *values.shape[: values.ndim - dims], *(1,) * dims
    low, high = low.reshape(shape), high.reshape(shape)
    levels = 2.0**bits - 1
    scale = ((high - low) / levels).clamp_min(LEAST_SCALE)
    steps = (values - low) / scale
    if noise:
        steps = steps + torch.empty_like(steps).uniform_(-0.5, 0.5)
    return steps.clamp(0, levels).round() * scale + low


class _Straight(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, bits: int, dims: int) -> Tensor:
        return fake(values, bits, dims)

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
        return fake(error, ctx.bits, error.ndim, noise=True), None


class FakeConv2d(nn.Conv2d):
    """A convolution of fake-quantised operands."""

    forward_bits = 8
    gradient_bits = 8

    def forward(self, input: Tensor) -> Tensor:
        x = _Straight.apply(input, self.forward_bits, input.ndim)
        weights = _Straight.apply(self.weight, self.forward_bits, 3)
        y = functional.conv2d(x, weights, None, self.stride, self.padding, groups=self.groups)
        return _Error.apply(y, self.gradient_bits)


def fake_quantise_(model: nn.Module) -> nn.Module:
    """Changes every convolution of the model."""
    for module in model.modules():
        if type(module) is nn.Conv2d:
            module.__class__ = FakeConv2d
    return model


def set_fake_bits(model: nn.Module, forward: int, gradient: int) -> None:
    for module in model.modules():
        if isinstance(module, FakeConv2d):
            module.forward_bits, module.gradient_bits = forward, gradient
