"""Range batch normalisation against a second formulation in NumPy, gradients included, and against what it replaces."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from cpt_model.methods.range_norm import (
    RangeBatchNorm2d,
    convert_range_norm_,
    gaussian_constant,
    paper_constant,
    restore_batch_norm_,
)

Array = npt.NDArray[np.float64]
EPS = 1e-5


def expected(x: Array, error: Array, chunks: int, constant: float) -> tuple[Array, Array, float]:
    """Output, input gradient and v of one channel's values in batch order, from the formula and its derivative."""
    parts = np.split(np.arange(x.size), chunks)
    top = [part[np.argmax(x[part])] for part in parts]
    bottom = [part[np.argmin(x[part])] for part in parts]
    spread = np.mean(x[top] - x[bottom])
    variance = float((constant * spread) ** 2)
    deviation = np.sqrt(variance + EPS)
    centred = x - x.mean()
    gradient = (error - error.mean()) / deviation
    # d deviation / d spread = constant² · spread / deviation; each extreme has a 1 / chunks share of the spread.
    through_spread = -np.sum(error * centred) / deviation**2 * constant**2 * spread / deviation / chunks
    np.add.at(gradient, top, through_spread)
    np.add.at(gradient, bottom, -through_spread)
    return centred / deviation, gradient, variance


@settings(max_examples=25)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 3), st.integers(1, 4), st.integers(0, 99))
def test_output_and_gradient_follow_the_formula(
    per_chunk: int, channels: int, extent: int, chunks: int, seed: int
) -> None:
    if per_chunk * extent * extent < 2:
        per_chunk = 2
    rng = np.random.default_rng(seed)
    shape = (per_chunk * chunks, channels, extent, extent + 1)
    x, error = rng.normal(3, 2, shape), rng.normal(size=shape)
    tensor = torch.tensor(x, requires_grad=True)
    layer = RangeBatchNorm2d(channels, chunks=chunks).double()
    output = layer(tensor)
    output.backward(torch.tensor(error))
    assert tensor.grad is not None
    constant = 1 / math.sqrt(2 * math.log(per_chunk * extent * (extent + 1)))
    for channel in range(channels):
        values, errors = x[:, channel].reshape(-1), error[:, channel].reshape(-1)
        y, gradient, variance = expected(values, errors, chunks, constant)
        np.testing.assert_allclose(output[:, channel].detach().numpy().reshape(-1), y, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(tensor.grad[:, channel].numpy().reshape(-1), gradient, rtol=1e-9, atol=1e-12)
        assert layer.running_var is not None
        assert float(layer.running_var[channel]) == pytest.approx(0.9 + 0.1 * variance)


@pytest.mark.parametrize("constant", ["paper", "gaussian"])
def test_gradients_of_input_weight_and_bias_pass_gradcheck(constant: str) -> None:
    torch.manual_seed(0)
    layer = RangeBatchNorm2d(2, chunks=2, constant=constant).double()
    x = torch.randn(4, 2, 3, 2, dtype=torch.float64, requires_grad=True)

    def run(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        output: torch.Tensor = torch.func.functional_call(layer, {"weight": weight, "bias": bias}, x)
        return output

    weight = torch.rand(2, dtype=torch.float64, requires_grad=True)
    bias = torch.rand(2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(run, (x, weight, bias))


def test_on_gaussian_data_it_is_batch_normalisation_up_to_the_constant() -> None:
    """Measured: rms distance 1.2 % with the Gaussian constant; the paper's divides BN's output by 1.80."""
    x = torch.randn(128, 16, 32, 32, generator=torch.Generator().manual_seed(0)) * 3 + 1
    plain = nn.BatchNorm2d(16)(x).detach()
    gaussian = RangeBatchNorm2d(16, constant="gaussian")(x).detach()
    assert float((gaussian - plain).norm() / plain.norm()) < 0.02
    paper = RangeBatchNorm2d(16)(x).detach()
    assert float(plain.norm() / paper.norm()) == pytest.approx(1.80, abs=0.02)


@pytest.mark.parametrize("n", [2, 16, 512])
def test_gaussian_constant_is_one_over_the_mean_range(n: int) -> None:
    samples = np.random.default_rng(n).normal(size=(2_000_000 // n, n))
    assert 1 / gaussian_constant(n) == pytest.approx(np.ptp(samples, axis=1).mean(), rel=4e-3)
    assert paper_constant(n) == pytest.approx((2 * np.log(n)) ** -0.5)


def test_evaluation_uses_the_running_statistics_of_training() -> None:
    torch.manual_seed(0)
    layer = RangeBatchNorm2d(3, chunks=4)
    batches = [torch.randn(8, 3, 4, 4) * 2 - 1 for _ in range(3)]
    mean, variance = torch.zeros(3), torch.ones(3)
    for x in batches:
        layer(x)
        parts = x.permute(1, 0, 2, 3).reshape(3, 4, -1)
        spread = (parts.max(-1).values - parts.min(-1).values).mean(-1)
        mean = 0.9 * mean + 0.1 * x.mean((0, 2, 3))
        variance = 0.9 * variance + 0.1 * (paper_constant(32) * spread) ** 2
    expected = (batches[0] - mean.view(3, 1, 1)) / (variance.view(3, 1, 1) + EPS).sqrt()
    before = {name: value.clone() for name, value in layer.state_dict().items()}
    torch.testing.assert_close(layer.eval()(batches[0]), expected, rtol=1e-5, atol=1e-5)
    assert all(torch.equal(value, before[name]) for name, value in layer.state_dict().items())


def test_without_momentum_the_statistics_are_plain_means() -> None:
    layer = RangeBatchNorm2d(1, chunks=1)
    layer.momentum = None
    layer(torch.tensor([0.0, 2.0]).view(2, 1, 1, 1))
    layer(torch.tensor([0.0, 6.0]).view(2, 1, 1, 1))
    assert layer.running_mean is not None
    assert layer.running_mean.tolist() == [2.0]


def test_conversion_keeps_names_and_values_and_goes_back() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Sequential(nn.BatchNorm2d(4, affine=False)))
    model(torch.randn(8, 3, 5, 5))
    x, before = torch.randn(4, 3, 5, 5), {name: value.clone() for name, value in model.state_dict().items()}
    evaluated = model.eval()(x)
    assert convert_range_norm_(model, chunks=2) is model
    assert [type(module) for module in model.modules()].count(RangeBatchNorm2d) == 2
    assert list(model.state_dict()) == list(before)
    torch.testing.assert_close(model(x), evaluated)
    assert not torch.allclose(model.train()(x), evaluated)
    model.load_state_dict(before)
    restore_batch_norm_(model)
    assert not hasattr(model[1], "chunks")
    assert [type(module) for module in model.modules()].count(nn.BatchNorm2d) == 2
    torch.testing.assert_close(model.eval()(x), evaluated)


def test_equal_values_give_the_bias_and_finite_gradients() -> None:
    layer = RangeBatchNorm2d(2)
    nn.init.constant_(layer.bias, 0.5)
    x = torch.full((4, 2, 3, 3), 7.0, requires_grad=True)
    output = layer(x)
    output.sum().backward()
    assert torch.equal(output, torch.full_like(output, 0.5))
    assert x.grad is not None
    assert torch.isfinite(x.grad).all()


@pytest.mark.parametrize("images", [1, 3, 7, 16, 20])
def test_a_batch_of_any_size_is_cut_into_equal_chunks(images: int) -> None:
    torch.manual_seed(0)
    output = RangeBatchNorm2d(2)(torch.randn(images, 2, 3, 3))
    assert output.shape == (images, 2, 3, 3)
    assert torch.isfinite(output).all()


def test_what_cannot_work_is_refused() -> None:
    with pytest.raises(ValueError, match="2 values per channel"):
        RangeBatchNorm2d(2)(torch.zeros(1, 2, 1, 1))
    with pytest.raises(ValueError, match="the batch has 0"):
        RangeBatchNorm2d(2)(torch.zeros(0, 2, 4, 4))
    with pytest.raises(ValueError, match="expected 4D"):
        RangeBatchNorm2d(2)(torch.zeros(4, 2))
    with pytest.raises(ValueError, match="chunks = 0"):
        RangeBatchNorm2d(2, chunks=0)
    with pytest.raises(ValueError, match="there are: paper, gaussian"):
        convert_range_norm_(nn.Sequential(nn.BatchNorm2d(2)), constant="exact")
    with pytest.raises(ValueError, match="no BatchNorm2d"):
        convert_range_norm_(nn.Linear(2, 2))
