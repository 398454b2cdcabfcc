"""A quantised Linear is a 1 × 1 convolution of 1 × 1 maps, for inputs of any rank."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from cpt_model import Bits, Config, prepare_
from host.compiler.layer import Conv, Pass
from host.driver.quantised_pass import run_quantised
from sim.reference import Reference
from tests.cpt_model.layer_tools import trained_step, watched
from tests.tools import ZC706


def made(config: Config, features: tuple[int, int] = (33, 10), bias: bool = True) -> nn.Module:
    torch.manual_seed(0)
    return prepare_(nn.Linear(*features, bias=bias), replace(config, results="exact"))


@pytest.mark.parametrize("quantiser", ["sbm", "dorefa", "wageubn"])
@pytest.mark.parametrize("shape", [(33,), (9, 33), (2, 3, 33), (2, 1, 2, 33)])
def test_accumulators_equal_the_references(shape: tuple[int, ...], quantiser: str) -> None:
    layer = made(Config(quantiser, bits=Bits(4, 6)))
    recorder = watched(layer)
    y, x_error = trained_step(layer, torch.randn(shape))
    assert y.shape == (*shape[:-1], 10)
    assert x_error.shape == shape
    recorder.check(*Pass)


@pytest.mark.parametrize("bits", [Bits(1, 2), Bits(8, 8), Bits(16, 16)])
def test_outputs_equal_the_drivers_on_the_reference(bits: Bits) -> None:
    layer = made(Config(bits=bits), bias=False)
    x = torch.randn(7, 33) + 0.5
    assert isinstance(layer.weight, torch.Tensor)
    operands = x.numpy()[:, :, None, None], layer.weight.detach().numpy()[:, :, None, None]
    theirs = run_quantised(Reference(ZC706), Conv.linear(7, 33, 10), Pass.FORWARD, *operands, bits, None)
    assert np.array_equal(layer(x).detach().numpy(), theirs.values[:, :, 0, 0])


def test_rows_of_any_rank_are_the_same_rows() -> None:
    layer = made(Config(bits=Bits(5, 5)))
    x = torch.randn(2, 3, 4, 33)
    assert torch.equal(layer(x).reshape(24, 10), layer(x.reshape(24, 33)))


@pytest.mark.parametrize(("features", "code_bits"), [(300, 9), (1200, 9), (70, 16)])
def test_long_sums_are_the_references_too(features: int, code_bits: int) -> None:
    """All inputs and weights of one sign: sums in float32 alone would be wrong."""
    layer = made(Config(bits=Bits(code_bits, code_bits)), (features, 3))
    with torch.no_grad():
        layer.weight.uniform_(0.9, 1.0).view(-1)[0] = -1.0  # type: ignore[operator]
    recorder = watched(layer)
    trained_step(layer, torch.rand(5, features) * 0.1 + 0.9)
    recorder.check(*Pass)
    assert recorder.products[0].results.abs().max() > 2**24


def test_a_strided_input_is_read_as_it_is_seen() -> None:
    layer = made(Config(bits=Bits(8, 8)))
    wide = torch.randn(6, 66)
    assert torch.equal(layer(wide[:, ::2]), layer(wide[:, ::2].contiguous()))
    assert torch.equal(layer(wide.T[:33].T), layer(wide[:, :33].contiguous()))


def test_a_wrong_number_of_features_is_refused_with_both_numbers() -> None:
    layer = made(Config())
    with pytest.raises(ValueError, match=r"layer 'Linear', input: 32 features, the weights are for 33"):
        layer(torch.randn(4, 32))
