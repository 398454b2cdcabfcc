"""SBM against its formula, written in float64 from the paper's text: q = round((x − lo)/s), s = (hi − lo)/(2^b − 1)."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cpt_model.quantisers import SBM
from cpt_model.quantisers.running_range import RunningRange
from host.compiler.layer import Pass
from tests.cpt_model.layer_tools import pytorch_alone
from tests.tools import python_noise

WIDTHS = st.integers(1, 16)
SEEDS = st.integers(0, 2**32)


def drawn(seed: int, *shape: int) -> torch.Tensor:
    generator = np.random.default_rng(seed)
    return torch.from_numpy((generator.normal(size=shape) * 10 ** generator.uniform(-6, 3)).astype(np.float32))


def steps_of(x: torch.Tensor, bits: int, axes: tuple[int, ...] | None = None) -> tuple[np.ndarray, ...]:
    """(x − lo)/s, s and lo, in float64."""
    values = x.numpy().astype(np.float64)
    low, high = values.min(axis=axes, keepdims=True), values.max(axis=axes, keepdims=True)
    scale = (high - low) / (2**bits - 1)
    return (values - low) / scale, scale, low


def nearest(codes: np.ndarray, steps: np.ndarray) -> bool:
    """Whether codes are the nearest whole numbers; float32 may decide ties, and what comes close to one."""
    slack = 1e-6 * np.abs(steps).max() + 1e-7
    return bool((np.abs(codes - steps) <= 0.5 + slack).all())


@given(WIDTHS, SEEDS)
def test_activations(bits: int, seed: int) -> None:
    x = drawn(seed, 3, 4, 2, 5)
    quantised = SBM().activation(x, bits, RunningRange())
    steps, scale, low = steps_of(x, bits)
    codes = quantised.contract_codes().numpy()
    assert nearest(codes, steps)
    assert codes.min() == 0
    assert codes.max() == 2**bits - 1
    tolerance = 1e-6 * np.abs(x.numpy()).max()
    np.testing.assert_allclose(quantised.values().numpy(), codes * scale + low, rtol=0, atol=tolerance)
    assert not quantised.signed


@given(WIDTHS, SEEDS, st.sampled_from([Pass.FORWARD, Pass.INPUT_ERROR]), st.sampled_from([1, 2, 4]), st.booleans())
def test_weights_by_output_channel_of_the_pass(bits: int, seed: int, which: Pass, groups: int, native: bool) -> None:
    weights = drawn(seed, 8, 3, 2, 3) * torch.logspace(-2, 0, 8)[:, None, None, None]
    if native:
        made = SBM().pass_weights(weights, bits, which, groups).quantised
    else:
        with pytorch_alone():
            made = SBM().pass_weights(weights, bits, which, groups).quantised
    if which is Pass.FORWARD:
        seen, codes = weights, made.codes
    else:  # row i: all weights that read input channel i
        seen, codes = (
            torch.stack([each[g * (8 // groups) : (g + 1) * (8 // groups), i] for g in range(groups) for i in range(3)])
            for each in (weights, made.codes)
        )
    steps, scale, low = steps_of(seen, bits, (1, 2, 3))
    unsigned = codes.numpy() + 2 ** (bits - 1)
    assert nearest(unsigned, steps)
    assert ((unsigned == 0).any((1, 2, 3)) & (unsigned == 2**bits - 1).any((1, 2, 3))).all()
    values = codes.numpy() * made.scale.numpy() + made.offset.numpy()
    tolerance = 1e-6 * np.abs(seen.numpy()).max()
    np.testing.assert_allclose(values, unsigned * scale + low, rtol=0, atol=tolerance)


@given(WIDTHS, SEEDS, st.integers(0, 2**64 - 1))
def test_errors_round_up_with_the_probability_of_the_fraction(bits: int, seed: int, noise_seed: int) -> None:
    error = drawn(seed, 2, 3, 2, 2)
    quantised = SBM().error(error, bits, noise_seed)
    steps, _, _ = steps_of(error, bits)
    codes = quantised.contract_codes().numpy() + 2 ** (bits - 1)
    fraction = steps - np.floor(steps)
    draws = np.array([python_noise(noise_seed, i) for i in range(error.numel())]).reshape(error.shape) / 2**32
    clear = (np.abs(draws - fraction) > 1e-2) & (fraction > 1e-2) & (fraction < 0.99)
    expected = np.where(draws < fraction, np.floor(steps) + 1, np.floor(steps))
    assert np.array_equal(codes[clear], expected[clear])
    assert (np.abs(codes - steps) < 1.01).all()


@given(WIDTHS, SEEDS)
def test_errors_are_stored_from_the_code_nearest_to_0(bits: int, seed: int) -> None:
    error = drawn(seed, 2, 3, 2, 2)
    quantised = SBM().error(error, bits, 1)
    value_of_stored_0 = quantised.zero * quantised.scale + quantised.offset
    assert abs(value_of_stored_0.item()) <= 0.51 * quantised.scale.item()
    assert quantised.codes.abs().max() <= quantised.greatest


@given(st.integers(2, 16), SEEDS)
def test_gradients_of_weights_keep_their_range_and_lie_on_a_grid(bits: int, seed: int) -> None:
    gradient = drawn(seed, 4, 3, 3, 3)
    rounded = SBM().gradient(gradient, bits, 7).numpy().astype(np.float64)
    steps, scale, low = steps_of(gradient, bits)
    on_grid = (rounded - low) / scale
    assert np.abs(on_grid - np.rint(on_grid)).max() < 0.05
    assert (np.abs(on_grid - steps) < 1.05).all()


def test_gradients_far_below_1e_8_keep_all_their_bits() -> None:
    """The authors' floor of 1e-8 on the scale leaves nothing of these; ours is float32's own."""
    error = torch.linspace(-1e-12, 1e-12, 4001).reshape(1, 1, 1, -1)
    assert len(SBM().error(error, 16, 3).codes.unique()) > 3900


@pytest.mark.parametrize("value", [0.0, 1.0, -3.7, 1e-38])
def test_constant_tensors_get_their_value_back(value: float) -> None:
    x = torch.full((2, 3, 2, 2), value)
    assert torch.equal(SBM().activation(x, 4, RunningRange()).values(), x)
    for quantised in (SBM().error(x, 4, 1), SBM().weight(x, 4)):
        torch.testing.assert_close(quantised.values(), x, rtol=1e-6, atol=1e-36)
