"""DoReFa against the formulas of Zhou et al. 2016, in float64: quantize_k(r) = round((2^k − 1)·r) / (2^k − 1)."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cpt_model.quantisers import DoReFa
from cpt_model.quantisers.running_range import RunningRange
from tests.tools import python_noise

WIDTHS = st.integers(1, 16)
SEEDS = st.integers(0, 2**32)
Doubles = np.ndarray


def drawn(seed: int, *shape: int) -> torch.Tensor:
    generator = np.random.default_rng(seed)
    return torch.from_numpy((generator.normal(size=shape) * 10 ** generator.uniform(-3, 1)).astype(np.float32))


def quantize_k(r: Doubles, bits: int) -> Doubles:
    return np.rint(r * (2**bits - 1)) / (2**bits - 1)


def off_ties(r: Doubles, bits: int) -> Doubles:
    """Where float32 and float64 must round alike."""
    steps = r * (2**bits - 1)
    return np.abs(steps - np.floor(steps) - 0.5) > 1e-6 * 2**bits


@given(st.integers(2, 16), SEEDS)
def test_weights_go_through_tanh(bits: int, seed: int) -> None:
    weights = drawn(seed, 4, 3, 3, 3)
    bounded = np.tanh(weights.numpy().astype(np.float64))
    r = bounded / (2 * np.abs(bounded).max()) + 0.5
    clear = off_ties(r, bits)
    got = DoReFa().weight(weights, bits).values().numpy()
    np.testing.assert_allclose(got[clear], (2 * quantize_k(r, bits) - 1)[clear], rtol=0, atol=2e-6)
    assert np.abs(got - (2 * r - 1)).max() < 1.02 / (2**bits - 1) + 1e-6


@given(SEEDS)
def test_one_bit_weights_are_the_sign_times_the_mean_magnitude(seed: int) -> None:
    weights = drawn(seed, 4, 3, 3, 3)
    expected = np.sign(weights.numpy()) * np.abs(weights.numpy()).astype(np.float64).mean()
    clear = np.abs(weights.numpy()) > 1e-6 * np.abs(weights.numpy()).max()
    np.testing.assert_allclose(DoReFa().weight(weights, 1).values().numpy()[clear], expected[clear], rtol=1e-5)


@given(WIDTHS, SEEDS, st.booleans())
def test_activations_are_clipped_to_0_and_1(bits: int, seed: int, training: bool) -> None:
    x = drawn(seed, 2, 3, 4, 4) + 0.5
    seen = RunningRange()
    r = np.clip(x.numpy().astype(np.float64), 0, 1)
    clear = off_ties(r, bits)
    got = DoReFa().activation(x, bits, seen, training).values().numpy()
    np.testing.assert_allclose(got[clear], quantize_k(r, bits)[clear], rtol=0, atol=1e-6)
    assert seen.is_empty  # a fixed range needs no statistics


@given(WIDTHS, SEEDS, st.integers(0, 2**64 - 1))
def test_errors_are_scaled_by_their_greatest_and_dithered(bits: int, seed: int, noise_seed: int) -> None:
    """ê = 2M·[quantize_k(e/2M + ½ + N) − ½], N uniform within half a step: up with the probability of the fraction."""
    error = drawn(seed, 2, 3, 2, 2)
    values = error.numpy().astype(np.float64)
    greatest, levels = np.abs(values).max(), 2**bits - 1
    steps = (values / (2 * greatest) + 0.5) * levels
    draws = np.array([python_noise(noise_seed, i) for i in range(error.numel())]).reshape(error.shape) / 2**32
    dithered = np.floor(steps) + (draws < steps - np.floor(steps))
    fraction = steps - np.floor(steps)
    clear = (np.abs(draws - fraction) > 1e-2) & (np.abs(fraction - 0.5) < 0.49)
    got = DoReFa().error(error, bits, noise_seed).values().numpy()
    expected = 2 * greatest * (dithered / levels - 0.5)
    np.testing.assert_allclose(got[clear], expected[clear], rtol=0, atol=1e-5 * greatest)


def test_the_gradient_of_an_activation_stops_outside_0_and_1() -> None:
    x = torch.tensor([-1e-7, -0.0, 0.0, 0.3, 1.0, 1.0000001, 9.0])
    mask = DoReFa().through_activation(x)
    assert mask.tolist() == [False, True, True, True, True, False, False]


@given(st.integers(2, 16), SEEDS)
def test_the_gradient_of_a_weight_goes_through_tanh(bits: int, seed: int) -> None:
    """float64 autograd of tanh(w) / max|tanh w|, the greatest taken as a constant."""
    weights, gradient = drawn(seed, 4, 3, 3, 3), drawn(seed + 1, 4, 3, 3, 3)
    exact = weights.double().requires_grad_()
    bounded = torch.tanh(exact)
    (bounded / bounded.abs().max().detach()).backward(gradient.double())
    assert exact.grad is not None
    got = DoReFa().through_weight(weights, gradient, bits).double()
    scale = float(exact.grad.abs().max())
    torch.testing.assert_close(got, exact.grad, rtol=1e-4, atol=1e-5 * scale)


def test_the_gradient_of_a_one_bit_weight_goes_straight_through() -> None:
    weights, gradient = drawn(0, 2, 3), drawn(1, 2, 3)
    assert torch.equal(DoReFa().through_weight(weights, gradient, 1), gradient)


@pytest.mark.parametrize("bits", [1, 8])
def test_weights_that_are_all_0_stay_0(bits: int) -> None:
    values = DoReFa().weight(torch.zeros(2, 3, 1, 1), bits).values()
    assert values.abs().max() < (1e-30 if bits == 1 else 1.01 / 255)


def test_a_range_beyond_float32_is_refused() -> None:
    with pytest.raises(ValueError, match="range is not a float32"):
        DoReFa().error(torch.tensor([3e38, 0.0]).reshape(1, 2, 1, 1), 8, 0)
