"""PyTorch and NumPy produce the same codes and the same float32 results, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import cpt_model.affine as in_torch
import sim.affine as in_numpy
from sim.noise import noise


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
