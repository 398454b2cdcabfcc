"""Bits 0 leave a tensor unquantised: (0, 0) is PyTorch's own layer, (0, b) and (f, 0) quantise one side."""

from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from cpt_model import Bits, Config, prepare_
from cpt_model.layers.matmul import matmul
from cpt_model.layers.state import LayerState
from cpt_model.quantisers import QUANTISERS, quantiser
from tests.cpt_model.layer_tools import first_seed, trained_step

LAYERS = {
    "conv": (nn.Conv2d(4, 6, 3, 2, 1), (3, 4, 7, 7)),
    "depthwise": (nn.Conv2d(4, 8, 3, padding=1, groups=4), (3, 4, 5, 5)),
    "linear": (nn.Linear(7, 5), (2, 3, 7)),
}


def pair(name: str, bits: Bits, quantiser_name: str = "sbm") -> tuple[nn.Module, nn.Module, Tensor]:
    torch.manual_seed(0)
    plain, shape = LAYERS[name]
    plain = deepcopy(plain)
    return plain, prepare_(deepcopy(plain), Config(quantiser_name, bits=bits)), torch.randn(shape)


def gradients(layer: nn.Module) -> list[Tensor]:
    return [parameter.grad for parameter in layer.parameters() if parameter.grad is not None]


@pytest.mark.parametrize("name", LAYERS)
def test_bits_0_are_pytorchs_layer_to_the_bit(name: str) -> None:
    plain, ours, x = pair(name, Bits(0, 0))
    expected, got = trained_step(plain, x), trained_step(ours, x)
    for one, other in zip((*got, *gradients(ours)), (*expected, *gradients(plain)), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("which", QUANTISERS)
def test_float_forward_with_quantised_errors(name: str, which: str) -> None:
    """The output is float's; the backward pass is float's own of the quantised error."""
    plain, ours, x = pair(name, Bits(0, 6), which)
    y, x_error = trained_step(ours, x)
    torch.testing.assert_close(y, plain(x))
    seed = first_seed(ours)
    error = torch.randn(y.shape, generator=torch.Generator().manual_seed(0)) + 0.1
    maps = error if error.ndim == 4 else error.reshape(-1, error.shape[-1], 1, 1)
    rounded = quantiser(which).error(maps, 6, seed)
    z = x.clone().requires_grad_()
    plain(z).backward(rounded.values().reshape(y.shape))
    assert z.grad is not None
    torch.testing.assert_close(x_error, z.grad)
    assert isinstance(ours.weight, Tensor)
    assert isinstance(plain.weight, Tensor)
    torch.testing.assert_close(ours.weight.grad, plain.weight.grad)


@pytest.mark.parametrize("name", LAYERS)
def test_quantised_forward_with_float_errors(name: str) -> None:
    """The backward pass is float's own, at the quantised input and weights."""
    _, ours, x = pair(name, Bits(3, 0))
    y, x_error = trained_step(ours, x)
    error = torch.randn(y.shape, generator=torch.Generator().manual_seed(0)) + 0.1
    assert isinstance(ours.weight, Tensor)
    weight = ours.weight.detach()
    dims = tuple(range(1, weight.ndim))
    low, high = weight.amin(dims, keepdim=True), weight.amax(dims, keepdim=True)
    w = (((weight - low) / ((high - low) / 7)).round() * ((high - low) / 7) + low).requires_grad_()
    step = (x.max() - x.min()) / 7
    z = (((x - x.min()) / step).round() * step + x.min()).requires_grad_()
    if isinstance(ours, nn.Conv2d):
        exact = functional.conv2d(z, w, ours.bias, ours.stride, ours.padding, groups=ours.groups)
    else:
        exact = functional.linear(z, w, ours.bias)  # type: ignore[arg-type]
    torch.testing.assert_close(y, exact.detach(), rtol=1e-4, atol=1e-4)
    exact.backward(error)
    torch.testing.assert_close(x_error, z.grad, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(ours.weight.grad, w.grad, rtol=1e-4, atol=1e-4)


def product(bits: Bits, which: str = "sbm") -> tuple[Tensor, Tensor, Tensor]:
    """A matmul of two activations and the errors of both, for a given error."""
    state = LayerState("attention", quantiser(which), bits, seed=3)
    a, b = (torch.rand(2, 4, 5, requires_grad=True), torch.rand(2, 3, 5, requires_grad=True))
    y = matmul(a, b, state, "a b", training=True)
    y.backward(torch.linspace(-1, 1, 24).reshape(2, 4, 3))
    assert a.grad is not None
    assert b.grad is not None
    return y.detach(), a.grad, b.grad


@pytest.mark.parametrize("which", QUANTISERS)
def test_products_of_two_activations(which: str) -> None:
    results = {}
    for bits in (Bits(0, 0), Bits(0, 3), Bits(3, 0), Bits(16, 16)):
        torch.manual_seed(0)
        results[bits] = product(bits, which)
    y, a_error, b_error = results[Bits(0, 0)]
    for got, exact in zip(results[Bits(16, 16)], (y, a_error, b_error), strict=True):
        assert got.shape == exact.shape
        torch.testing.assert_close(got, exact, rtol=0, atol=1e-3)
    assert torch.equal(results[Bits(0, 3)][0], y)
    for index in (1, 2):
        assert not torch.equal(results[Bits(0, 3)][index], results[Bits(0, 0)][index])
        assert results[Bits(3, 0)][index].shape == results[Bits(0, 0)][index].shape
        torch.testing.assert_close(results[Bits(3, 0)][index], results[Bits(0, 0)][index], rtol=0, atol=0.5)
