"""A quantised Conv2d: its integers are the accelerator's, forward and backward, groups and depthwise included."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from cpt_model import Bits, Config, prepare_
from cpt_model.arithmetic.affine import Quantised, quantise
from cpt_model.layers import QuantConv2d
from host.compiler.layer import Conv, Pass
from host.driver.quantised_pass import run_quantised
from sim.reference import Reference
from tests.cpt_model.layer_tools import first_seed, patterns, trained_step, watched
from tests.tools import ZC706

LAYERS = {
    "3x3": nn.Conv2d(6, 20, 3, padding=1),
    "stride 2": nn.Conv2d(5, 7, 3, 2, 1, bias=False),
    "1x1 stride 2": nn.Conv2d(16, 18, 1, 2),
    "5x5": nn.Conv2d(3, 4, 5, padding=2),
    "5x3, stride (1, 2)": nn.Conv2d(3, 4, (5, 3), (1, 2), (4, 1)),
    "1x1": nn.Conv2d(1, 1, 1),
    "groups": nn.Conv2d(12, 8, 3, padding=1, groups=4),
    "depthwise": nn.Conv2d(18, 18, 3, padding=1, groups=18),
    "depthwise, two of each": nn.Conv2d(5, 10, 3, 2, 1, groups=5),
    "whole blocks": nn.Conv2d(32, 32, 1, groups=2),
}
FORMATS = [torch.contiguous_format, torch.channels_last]


def made(name: str, config: Config, memory_format: torch.memory_format = FORMATS[0]) -> tuple[QuantConv2d, Tensor]:
    """A fresh layer and an input for it."""
    source = LAYERS[name]
    torch.manual_seed(0)
    layer = nn.Conv2d(
        source.in_channels,
        source.out_channels,
        source.kernel_size,  # type: ignore[arg-type]
        source.stride,  # type: ignore[arg-type]
        source.padding,  # type: ignore[arg-type]
        groups=source.groups,
        bias=source.bias is not None,
    )
    prepare_(layer.to(memory_format=memory_format), replace(config, results="exact"))  # type: ignore[call-overload]
    assert isinstance(layer, QuantConv2d)
    return layer, (torch.randn(3, source.in_channels, 7, 6) + 0.3).to(memory_format=memory_format)


@pytest.mark.parametrize("memory_format", FORMATS)
@pytest.mark.parametrize("quantiser", ["sbm", "dorefa", "wageubn"])
@pytest.mark.parametrize("name", LAYERS)
def test_accumulators_equal_the_references(name: str, quantiser: str, memory_format: torch.memory_format) -> None:
    layer, x = made(name, Config(quantiser, bits=Bits(5, 7)), memory_format)
    recorder = watched(layer)
    trained_step(layer, x)
    assert len(recorder.products) == 3
    recorder.check(*Pass)


@pytest.mark.parametrize("bits", [Bits(1, 1), Bits(2, 16), Bits(8, 8), Bits(16, 3), Bits(16, 16)])
@pytest.mark.parametrize("name", ["3x3", "stride 2", "groups", "depthwise"])
def test_results_equal_the_drivers_on_the_reference(name: str, bits: Bits) -> None:
    """Output, input error and gradient of a training step; the step's own noise is given to the driver."""
    layer, x = made(name, Config(bits=bits))
    layer.bias = None
    y, x_error = trained_step(layer, x)
    error = torch.randn(y.shape, generator=torch.Generator().manual_seed(0)) + 0.1
    seed = first_seed(layer)
    shape = Conv(3, layer.in_channels, layer.out_channels, 7, 6, layer.kernel_size, layer.stride, layer.padding, layer.groups)  # type: ignore[arg-type]  # fmt: skip  # noqa: E501
    weight = layer.weight.detach()
    assert layer.weight.grad is not None
    for which, a, b, ours in (
        (Pass.FORWARD, x, weight, y),
        (Pass.INPUT_ERROR, error, weight, x_error),
        (Pass.WEIGHT_GRADIENT, x, error, layer.weight.grad),
    ):
        theirs = run_quantised(Reference(ZC706), shape, which, a.numpy(), b.numpy(), bits, seed)
        assert np.array_equal(ours.numpy(), theirs.values), which


@pytest.mark.parametrize("name", LAYERS)
def test_watched_or_not_the_results_are_the_same(name: str) -> None:
    results = []
    for watch in (False, True):
        layer, x = made(name, Config(bits=Bits(6, 6)))
        if watch:
            watched(layer)
        results.append([*trained_step(layer, x), layer.weight.grad])
    for plain, seen in zip(*results, strict=True):
        assert plain is not None
        assert seen is not None
        assert np.array_equal(patterns(plain), patterns(seen))


def test_padding_is_an_exact_zero() -> None:
    """A constant image off zero: a window with padding sums fewer terms, not terms of value 'nearly 0'."""
    layer, _ = made("3x3", Config(bits=Bits(3, 3)))
    layer.bias = None
    with torch.no_grad():
        layer.weight.fill_(0.25)
    y = layer(torch.full((1, 6, 4, 4), 2.0))
    taps = torch.tensor([[4.0, 6, 6, 4], [6, 9, 9, 6], [6, 9, 9, 6], [4, 6, 6, 4]])
    torch.testing.assert_close(y[0, 0], taps * 6 * 0.5)


def test_bias_is_added_in_float32() -> None:
    layer, x = made("3x3", Config(bits=Bits(4, 4)))
    assert layer.bias is not None
    with_bias, bias = layer(x), layer.bias.detach()
    layer.bias = None
    assert torch.equal(with_bias, layer(x) + bias[:, None, None])


def test_gradient_of_the_bias_is_the_unquantised_errors_sum() -> None:
    layer, x = made("3x3", Config(bits=Bits(2, 2)))
    assert layer.bias is not None
    y = layer(x)
    error = torch.randn(y.shape)
    y.backward(error)
    torch.testing.assert_close(layer.bias.grad, error.sum((0, 2, 3)))


def test_the_output_keeps_the_memory_format() -> None:
    for memory_format in FORMATS:
        layer, x = made("3x3", Config(), memory_format)
        assert layer(x).is_contiguous(memory_format=memory_format)


def test_the_first_layer_needs_no_input_error() -> None:
    layer, x = made("3x3", Config())
    recorder = watched(layer)
    layer(x).sum().backward()
    recorder.check(Pass.FORWARD, Pass.WEIGHT_GRADIENT)


def test_frozen_weights_need_no_gradient_pass() -> None:
    layer, x = made("3x3", Config())
    layer.weight.requires_grad_(False)
    recorder = watched(layer)
    layer(x.requires_grad_()).sum().backward()
    recorder.check(Pass.FORWARD, Pass.INPUT_ERROR)


def test_the_same_error_codes_feed_both_backward_passes() -> None:
    layer, x = made("3x3", Config(bits=Bits(4, 4)))
    recorder = watched(layer)
    trained_step(layer, x)
    by_pass = {product.which: product for product in recorder.products}
    assert torch.equal(by_pass[Pass.INPUT_ERROR].a.codes, by_pass[Pass.WEIGHT_GRADIENT].b.codes)
    assert torch.equal(by_pass[Pass.FORWARD].a.codes, by_pass[Pass.WEIGHT_GRADIENT].a.codes)


def test_weights_are_quantised_by_output_channel_of_each_pass() -> None:
    layer, x = made("3x3", Config(bits=Bits(4, 4)))
    recorder = watched(layer)
    trained_step(layer, x)
    by_pass = {product.which: product for product in recorder.products}
    weight = layer.weight.detach()
    by_output: Quantised = quantise(weight, 4, True, per_channel=True)
    by_input: Quantised = quantise(weight.transpose(0, 1), 4, True, per_channel=True)
    assert torch.equal(by_pass[Pass.FORWARD].b.codes, by_output.codes)
    assert torch.equal(by_pass[Pass.INPUT_ERROR].b.codes, by_input.codes.transpose(0, 1))


@pytest.mark.parametrize(("padding", "numbers"), [("same", (2, 1)), ("valid", (0, 0))])
def test_padding_in_words_is_padding_in_numbers(padding: str, numbers: tuple[int, int]) -> None:
    layers = [nn.Conv2d(3, 4, (5, 3), padding=each) for each in (padding, numbers)]
    layers[1].load_state_dict(layers[0].state_dict())
    x = torch.randn(2, 3, 8, 7)
    one, other = (trained_step(prepare_(each), x) for each in layers)
    assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))
