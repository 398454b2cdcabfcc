"""Gradients at any width equal float64 autograd of a fake-quantised layer with straight-through rounding.

The layer is written a second time: tensors are rounded to their grids as values, products are float64, and a custom
function lets gradients through. Only float32's rounding of the combination may differ.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from cpt_model import Bits, Config, prepare_
from tests.cpt_model.layer_tools import first_seed, trained_step
from tests.tools import python_noise

SHAPES = {
    "conv": (nn.Conv2d(5, 6, 3, 2, 1, bias=False), (3, 5, 7, 6)),
    "groups": (nn.Conv2d(6, 8, (3, 2), padding=(1, 0), groups=2, bias=False), (2, 6, 5, 5)),
    "depthwise": (nn.Conv2d(4, 4, 3, padding=1, groups=4, bias=False), (2, 4, 5, 5)),
    "linear": (nn.Linear(9, 4, bias=False), (5, 9)),
}
WIDTHS = [Bits(2, 2), Bits(4, 6), Bits(8, 8), Bits(16, 16)]


class Rounded(torch.autograd.Function):
    """Values on their grid forward; backward the error times a given derivative."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, values: Tensor, derivative: Tensor) -> Tensor:
        ctx.save_for_backward(derivative)
        return values

    @staticmethod
    def backward(ctx: Any, error: Tensor) -> tuple[Tensor, None, None]:
        return error * ctx.saved_tensors[0], None, None


class RoundedError(torch.autograd.Function):
    """The identity; its backward pass rounds the error stochastically to a grid, then multiplies by other weights."""

    @staticmethod
    def forward(ctx: Any, y: Tensor, rounding: Any) -> Tensor:
        ctx.rounding = rounding
        return y.clone()

    @staticmethod
    def backward(ctx: Any, error: Tensor) -> tuple[Tensor, None]:
        return ctx.rounding(error), None


def on_grid(x: Tensor, low: Tensor, scale: Tensor, levels: int, draws: Tensor | None = None) -> Tensor:
    """In float32 up to the division, as the contract has it, so that both round the same way; values in float64."""
    steps = (x.float() - low.float()) / scale.float()
    rounded = steps.round() if draws is None else steps.floor() + (draws < steps - steps.floor())
    return rounded.clamp(0, levels).double() * scale.double() + low.double()


def draws_of(seed: int, shape: torch.Size) -> Tensor:
    drawn = [(python_noise(seed, index) >> 8) / 2**24 for index in range(shape.numel())]
    return torch.tensor(drawn).reshape(shape)


def sbm_values(x: Tensor, bits: int, dims: tuple[int, ...], draws: Tensor | None = None) -> Tensor:
    low, high = x.float().amin(dims, keepdim=True), x.float().amax(dims, keepdim=True)
    return on_grid(x, low, (high - low) / (2**bits - 1), 2**bits - 1, draws)


def fake_sbm(x: Tensor, weight: Tensor, error: Tensor, bits: Bits, seed: int, run: Any) -> tuple[Tensor, ...]:
    every = tuple(range(x.ndim))
    one = torch.ones((), dtype=torch.float64)
    z, w = x.double().requires_grad_(), weight.double().requires_grad_()
    x_hat = Rounded.apply(z, sbm_values(x, bits.forward, every), one)
    w_hat = Rounded.apply(w, sbm_values(weight, bits.forward, tuple(range(1, weight.ndim))), one)
    draws = draws_of(seed, error.shape)
    y = RoundedError.apply(run(x_hat, w_hat), lambda e: sbm_values(e, bits.backward, tuple(range(e.ndim)), draws))
    (w_grad,) = torch.autograd.grad(y, w, error.double(), retain_graph=True)
    # The input error meets weights quantised by input channel: those are constants of a product of their own.
    again = RoundedError.apply(
        run(z, input_side(weight, bits.forward, x.shape[1])),
        lambda e: sbm_values(e, bits.backward, tuple(range(e.ndim)), draws),
    )
    (x_grad,) = torch.autograd.grad(again, z, error.double())
    return y.detach(), x_grad, w_grad


def input_side(weight: Tensor, bits: int, in_channels: int) -> Tensor:
    """Each input channel's weights on a grid of their own range."""
    result = torch.empty(weight.shape, dtype=torch.float64)
    group_in = weight.shape[1]
    groups = in_channels // group_in
    size = weight.shape[0] // groups
    for group in range(groups):
        for channel in range(group_in):
            where = (slice(group * size, (group + 1) * size), channel)
            part = weight[where]
            result[where] = sbm_values(part, bits, tuple(range(part.ndim)))
    return result


def runner(layer: nn.Module) -> Any:
    if isinstance(layer, nn.Conv2d):
        return lambda x, w: functional.conv2d(x, w, None, layer.stride, layer.padding, groups=layer.groups)
    return functional.linear


def made(name: str, config: Config) -> tuple[nn.Module, Tensor]:
    torch.manual_seed(1)
    source, shape = SHAPES[name]
    layer: nn.Module
    if isinstance(source, nn.Conv2d):
        options = (source.in_channels, source.out_channels, source.kernel_size, source.stride, source.padding)
        layer = nn.Conv2d(*options, groups=source.groups, bias=False)  # type: ignore[arg-type]
    else:
        layer = nn.Linear(9, 4, bias=False)
    return prepare_(layer, replace(config, results="exact")), torch.randn(shape) * 0.5 + 0.4


def check(got: tuple[Tensor, ...], expected: tuple[Tensor, ...]) -> None:
    """Output, input error and gradient of the weights."""
    for ours, theirs in zip(got, expected, strict=True):
        torch.testing.assert_close(ours.double(), theirs, rtol=0, atol=3e-6 * float(theirs.abs().max()))


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", SHAPES)
def test_sbm(name: str, bits: Bits) -> None:
    layer, x = made(name, Config("sbm", bits=bits))
    y, x_error = trained_step(layer, x)
    error = torch.randn(y.shape, generator=torch.Generator().manual_seed(0)) + 0.1
    assert isinstance(layer.weight, Tensor)
    assert layer.weight.grad is not None
    seed = first_seed(layer)
    check((y, x_error, layer.weight.grad), fake_sbm(x, layer.weight.detach(), error, bits, seed, runner(layer)))


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", SHAPES)
def test_dorefa(name: str, bits: Bits) -> None:
    """One grid for all weights, so ordinary autograd covers both backward products; activations stop outside 0..1."""
    layer, x = made(name, Config("dorefa", bits=bits))
    y, x_error = trained_step(layer, x)
    error = torch.randn(y.shape, generator=torch.Generator().manual_seed(0)) + 0.1
    assert isinstance(layer.weight, Tensor)
    assert layer.weight.grad is not None
    weight = layer.weight.detach()
    seed = first_seed(layer)
    levels, error_levels = 2**bits.forward - 1, 2**bits.backward - 1
    z, w = x.double().requires_grad_(), weight.double().requires_grad_()
    zero, one = torch.zeros(()), torch.ones(())
    x_hat = Rounded.apply(z, on_grid(x, zero, one / levels, levels), ((x >= 0) & (x <= 1)).double())
    bounded = torch.tanh(weight)
    values = on_grid(bounded / bounded.abs().max(), -one, 2 * one / levels, levels)
    derivative = (1 - torch.tanh(weight.double()) ** 2) / torch.tanh(weight.double()).abs().max()
    w_hat = Rounded.apply(w, values, derivative)
    draws = draws_of(seed, error.shape)
    greatest = error.abs().max()
    rounding = lambda e: on_grid(e, -greatest, 2 * greatest / error_levels, error_levels, draws)  # noqa: E731
    exact = RoundedError.apply(runner(layer)(x_hat, w_hat), rounding)
    x_grad, w_grad = torch.autograd.grad(exact, [z, w], error.double())
    check((y, x_error, layer.weight.grad), (exact.detach(), x_grad, w_grad))


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", SHAPES)
def test_wageubn(name: str, bits: Bits) -> None:
    layer, x = made(name, Config("wageubn", bits=bits))
    y, x_error = trained_step(layer, x)
    error = torch.randn(y.shape, generator=torch.Generator().manual_seed(0)) + 0.1
    assert isinstance(layer.weight, Tensor)
    assert layer.weight.grad is not None

    def shifted(values: Tensor, width: int, rounding: Any) -> Tensor:
        scale = 2.0 ** (rounding(values.abs().max().log2()) + 1 - width)
        most = 2 ** (width - 1) - 1
        return on_grid(values, -most * scale, scale, 2 * most)

    one = torch.ones((), dtype=torch.float64)
    z, w = x.double().requires_grad_(), layer.weight.detach().double().requires_grad_()
    x_hat = Rounded.apply(z, shifted(x, bits.forward, torch.ceil), one)
    w_hat = Rounded.apply(w, shifted(layer.weight.detach(), bits.forward, torch.ceil), one)
    rounded = shifted(error, bits.backward, torch.round)
    exact = RoundedError.apply(runner(layer)(x_hat, w_hat), lambda e: rounded)
    x_grad, w_grad = torch.autograd.grad(exact, [z, w], error.double())
    check((y, x_error, layer.weight.grad), (exact.detach(), x_grad, w_grad))


@pytest.mark.parametrize("quantiser", ["sbm", "wageubn"])
@pytest.mark.parametrize("name", SHAPES)
def test_16_bits_come_close_to_float64_autograd_without_rounding(name: str, quantiser: str) -> None:
    layer, x = made(name, Config(quantiser, bits=Bits(16, 16), gradient_bits=16))
    y, x_error = trained_step(layer, x)
    error = torch.randn(y.shape, generator=torch.Generator().manual_seed(0)) + 0.1
    assert isinstance(layer.weight, Tensor)
    assert layer.weight.grad is not None
    z, w = x.double().requires_grad_(), layer.weight.detach().double().requires_grad_()
    exact = runner(layer)(z, w)
    x_grad, w_grad = torch.autograd.grad(exact, [z, w], error.double())
    for ours, theirs in zip((y, x_error, layer.weight.grad), (exact.detach(), x_grad, w_grad), strict=True):
        clipped = 0.45 if quantiser == "wageubn" else 0  # its errors may be clipped to 2^round(log2 max)
        torch.testing.assert_close(ours.double(), theirs, rtol=0, atol=(3e-4 + clipped) * float(theirs.abs().max()))
