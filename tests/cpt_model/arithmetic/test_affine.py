"""PyTorch and NumPy produce the same codes and the same float32 results, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import cpt_model.arithmetic.affine as in_torch
import sim.reference.affine as in_numpy
from sim.contract.noise import noise


@given(
    seed=st.one_of(st.none(), st.integers(0, 2**64 - 1)),
    bits=st.integers(1, 16),
    signed=st.booleans(),
    per_channel=st.booleans(),
    exponent=st.integers(-40, 30),
)
def test_codes_scales_and_offsets_are_equal(
    seed: int | None, bits: int, signed: bool, per_channel: bool, exponent: int
) -> None:
    values = np.random.default_rng(bits).normal(size=(3, 5, 4, 2)).astype(np.float32) * np.float32(2.0**exponent)
    ours = in_numpy.quantise(values, bits, signed, per_channel, seed)
    theirs = in_torch.quantise(torch.from_numpy(values), bits, signed, per_channel, seed)
    assert np.array_equal(ours.codes, theirs.codes.numpy())
    assert np.array_equal(ours.scale, theirs.scale.numpy())
    assert np.array_equal(ours.offset, theirs.offset.numpy())


@given(st.integers(0, 2**64 - 1))
def test_the_generator_is_the_contracts(seed: int) -> None:
    assert np.array_equal(in_torch.noise(seed, 500).numpy(), noise(seed, np.arange(500)))


@pytest.mark.parametrize(
    ("values", "bits", "message"),
    [
        (torch.zeros(0), 8, "empty"),
        (torch.tensor([1.0, float("nan")]), 8, "not finite"),
        (torch.tensor([1.0, float("inf")]), 8, "not finite"),
        (torch.tensor([-3e38, 3e38]), 8, "range is not a float32"),
        (torch.ones(3), 0, "0 bits"),
        (torch.ones(3), 17, "17 bits"),
    ],
)
def test_what_has_no_codes_is_refused(values: torch.Tensor, bits: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        in_torch.quantise(values, bits, signed=False)


def test_other_types_are_refused() -> None:
    with pytest.raises(TypeError, match=r"float32, not torch\.float64"):
        in_torch.quantise(torch.ones(3, dtype=torch.float64), 8, signed=False)


@pytest.mark.parametrize(
    ("low", "high", "code"),
    [(-1.0, 2.0, -3), (0.0, 3.0, -8), (-3.0, 0.0, 7), (1.0, 2.0, -8), (-2.0, -1.0, 7)],
)
def test_the_code_nearest_to_0_is_an_end_where_0_lies_outside(low: float, high: float, code: int) -> None:
    assert in_torch.affine_grid(low, high, 4, signed=True).code_of_zero == code


@given(st.integers(1, 16), st.booleans(), st.integers(-(2**15), 2**16))
def test_no_stored_code_is_greater_than_said(bits: int, signed: bool, zero: int) -> None:
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    zero = max(low, min(zero, high))
    one = torch.ones(1, 1, 1, 1)
    stored = torch.tensor([low, high]).float() - zero
    quantised = in_torch.Quantised(stored.reshape(1, 2, 1, 1), one, 0 * one, bits, signed, zero)
    assert stored.abs().max() == quantised.greatest
    assert quantised.contract_codes().flatten().tolist() == [low, high]


def test_sums_of_many_wide_codes_are_exact() -> None:
    """300 images of 300 channels of code 65535: beyond float32."""
    codes = torch.full((300, 300, 1, 1), 65535.0)
    codes[0, 0] = 65534
    sums = in_torch.Quantised(codes, torch.ones(1), torch.zeros(1), 16, False).sums
    assert sums.by_pixel[0].item() == sums.over_batch[0, 0].item() == 65535 * 300 - 1
