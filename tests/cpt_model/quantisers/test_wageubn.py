"""WAGEUBN's shift quantisation against its formula in float64: x̂ = R·clip(round(x/R·2^(b−1)))/2^(b−1), R = 2^k."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cpt_model.arithmetic.affine import Quantised
from cpt_model.quantisers import WAGEUBN
from cpt_model.quantisers.running_range import RunningRange
from tests.tools import python_noise

WIDTHS = st.integers(2, 16)
SEEDS = st.integers(0, 2**32)


def drawn(seed: int, *shape: int) -> torch.Tensor:
    generator = np.random.default_rng(seed)
    return torch.from_numpy((generator.normal(size=shape) * 10 ** generator.uniform(-6, 3)).astype(np.float32))


def check(quantised: Quantised, x: torch.Tensor, bits: int, exponent: int) -> None:
    """Codes are the nearest within ±(2^(b−1) − 1); float32 may decide what comes close to a tie."""
    assert quantised.scale.item() == 2.0 ** (exponent + 1 - bits)
    assert quantised.offset.item() == 0
    most = 2 ** (bits - 1) - 1
    steps = np.clip(x.numpy().astype(np.float64) / 2.0 ** (exponent + 1 - bits), -most, most)
    assert np.abs(quantised.contract_codes().numpy() - steps).max() <= 0.5 + 2.0 ** (bits - 23)


@given(WIDTHS, SEEDS)
def test_weights_and_activations_reach_up_to_the_next_power_of_two(bits: int, seed: int) -> None:
    x = drawn(seed, 2, 3, 4, 2)
    exponent = math.ceil(math.log2(np.abs(x.numpy()).max()))
    check(WAGEUBN().weight(x, bits), x, bits, exponent)
    check(WAGEUBN().activation(x, bits, RunningRange()), x, bits, exponent)


@given(WIDTHS, SEEDS)
def test_errors_take_the_nearest_power_of_two_and_round_to_nearest(bits: int, seed: int) -> None:
    error = drawn(seed, 2, 3, 4, 2)
    exponent = round(math.log2(np.abs(error.numpy()).max()))
    check(WAGEUBN().error(error, bits, 1), error, bits, exponent)
    assert torch.equal(WAGEUBN().error(error, bits, 1).codes, WAGEUBN().error(error, bits, 2).codes)


@given(st.integers(2, 10), SEEDS, st.integers(0, 2**64 - 1))
def test_gradients_are_rounded_stochastically(bits: int, seed: int, noise_seed: int) -> None:
    gradient = drawn(seed, 2, 3, 2, 2)
    step = 2.0 ** (round(math.log2(np.abs(gradient.numpy()).max())) + 1 - bits)
    steps = gradient.numpy().astype(np.float64) / step
    fraction = steps - np.floor(steps)
    draws = np.array([python_noise(noise_seed, i) for i in range(gradient.numel())]).reshape(gradient.shape) / 2**32
    most = 2 ** (bits - 1) - 1
    expected = np.clip(np.floor(steps) + (draws < fraction), -most, most) * step
    clear = np.abs(draws - fraction) > 1e-2
    got = WAGEUBN().gradient(gradient, bits, noise_seed).numpy()
    assert np.array_equal(got[clear], expected[clear].astype(np.float32))


@pytest.mark.parametrize(("greatest", "exponent"), [(1.0, 0), (1.0000001, 1), (0.5, -1), (3.0, 2), (2.0**-120, -120)])
def test_exact_powers_of_two_are_their_own_range(greatest: float, exponent: int) -> None:
    x = torch.tensor([greatest, -greatest / 2]).reshape(1, 2, 1, 1)
    assert WAGEUBN().weight(x, 4).scale.item() == 2.0 ** (exponent - 3)


def test_zero_is_exact_and_all_zeros_work() -> None:
    for x in (torch.zeros(1, 2, 1, 1), torch.tensor([0.0, 5.0]).reshape(1, 2, 1, 1)):
        for quantised in (WAGEUBN().weight(x, 3), WAGEUBN().error(x, 3, 0), WAGEUBN().activation(x, 3, RunningRange())):
            assert quantised.values().flatten()[0] == 0
            assert quantised.zero == 0


def test_the_greatest_float32_is_quantised() -> None:
    x = torch.tensor([3.4e38, -3.4e38, 0.0]).reshape(1, 3, 1, 1)
    values = WAGEUBN().weight(x, 4).values().flatten()
    assert values.isfinite().all()
    assert values[0] == -values[1]


def test_one_bit_is_refused() -> None:
    x = torch.randn(1, 2, 1, 1)
    for attempt in (
        lambda: WAGEUBN().weight(x, 1),
        lambda: WAGEUBN().error(x, 1, 0),
        lambda: WAGEUBN().gradient(x, 1, 0),
        lambda: WAGEUBN().activation(x, 1, RunningRange()),
    ):
        with pytest.raises(ValueError, match="take 2 or more"):
            attempt()
