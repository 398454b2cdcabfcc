"""The C++ kernels give PyTorch's own bits: every width, both memory formats, odd shapes, extreme values."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from cpt_model import Bits, Config, prepare_
from cpt_model.arithmetic import native
from cpt_model.arithmetic.affine import Grid, Quantised, affine_grid, encode, value_range
from cpt_model.arithmetic.weights import Weights
from cpt_model.quantisers import SBM
from host.compiler.layer import Pass
from tests.cpt_model.layer_tools import patterns, pytorch_alone

SHAPES = st.tuples(st.integers(1, 4), st.integers(1, 9), st.integers(1, 5), st.integers(1, 5))
LAYOUTS = st.sampled_from(["nchw", "nhwc", "every other column", "expanded"])


@pytest.fixture(autouse=True)
def _kernels_are_there() -> None:
    assert native.usable(torch.ones(1))


def draw(shape: tuple[int, ...], layout: str, exponent: int, seed: int) -> Tensor:
    """Values with zeros of both signs, in memory of several kinds."""
    generator = torch.Generator().manual_seed(seed)
    n, c, h, w = shape
    drawn = torch.randn((n, c, h, 2 * w), generator=generator) * 2.0**exponent
    drawn[torch.rand(drawn.shape, generator=generator) < 0.1] = 0.0
    drawn[torch.rand(drawn.shape, generator=generator) < 0.1] = -0.0
    values = drawn[..., ::2]
    if layout == "every other column":
        return values
    if layout == "expanded":
        return values[:1].expand(n, c, h, w)
    return values.contiguous(memory_format=torch.channels_last if layout == "nhwc" else torch.contiguous_format)


def same(ours: Quantised, theirs: Quantised) -> None:
    for name in ("codes", "scale", "offset"):
        assert np.array_equal(patterns(getattr(ours, name)), patterns(getattr(theirs, name))), name
    for name in ("by_pixel", "over_batch"):
        assert torch.equal(getattr(ours.sums, name).double(), getattr(theirs.sums, name).double()), name


@given(
    SHAPES,
    LAYOUTS,
    st.integers(1, 16),
    st.booleans(),
    st.one_of(st.none(), st.integers(0, 2**64 - 1)),
    st.sampled_from([0, 0, -100, -130, 100, 120]),
    st.integers(0, 9),
)
def test_codes_and_sums(
    shape: tuple[int, ...], layout: str, bits: int, signed: bool, seed: int | None, exponent: int, drawn: int
) -> None:
    values = draw(shape, layout, exponent, drawn)
    grid = affine_grid(*value_range(values), bits, signed)
    zero = grid.code_of_zero if signed else 0
    ours = encode(values, grid, seed, zero)
    with pytorch_alone():
        theirs = encode(values, grid, seed, zero)
        assert value_range(values) == (grid.low, values.max().item())
    same(ours, theirs)


def test_values_outside_the_grid_get_its_ends() -> None:
    values = torch.tensor([-3e38, -1.0, 0.49, 2.5, 3e38]).reshape(1, 5, 1, 1)
    grid = Grid(0.0, 1.0, 3, 2)
    for seed in (None, 7):
        ours = encode(values, grid, seed)
        with pytorch_alone():
            same(ours, encode(values, grid, seed))
        assert ours.codes.flatten()[[0, 1, 4]].tolist() == [0, 0, 3]


@given(SHAPES, LAYOUTS, st.integers(1, 16), st.booleans(), st.sampled_from([0, -120, 120]))
def test_weights(shape: tuple[int, ...], layout: str, bits: int, by_input: bool, exponent: int) -> None:
    values = draw(shape, layout, exponent, bits)
    which = Pass.INPUT_ERROR if by_input else Pass.FORWARD
    same_weights(values, bits, which)


def same_weights(values: Tensor, bits: int, which: Pass) -> None:
    ours = SBM().pass_weights(values, bits, which, 1)
    with pytorch_alone():
        theirs = SBM().pass_weights(values, bits, which, 1)
    for name in ("codes", "scale", "offset"):
        assert np.array_equal(
            patterns(getattr(ours.quantised, name)).ravel(), patterns(getattr(theirs.quantised, name)).ravel()
        ), name
    assert torch.equal(ours.tap_sums.double(), theirs.tap_sums)
    assert ours.greatest_sum == theirs.greatest_sum


@pytest.mark.parametrize("which", [Pass.FORWARD, Pass.INPUT_ERROR])
def test_sums_of_weights_beyond_float32_stay_exact(which: Pass) -> None:
    """One outlier makes all other codes −32767: 2047 of them sum to 2^26 and an odd rest."""
    shape = (1, 2048, 1, 1) if which is Pass.FORWARD else (2048, 1, 1, 1)
    values = torch.full(shape, 1.0 / 65535)
    values.view(-1)[0], values.view(-1)[1] = 1.0, 0.0
    same_weights(values, 16, which)
    made: Weights = SBM().pass_weights(values, 16, which, 1)
    assert made.tap_sums.item() == 32767 - 32768 - 32767 * 2046


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_one_value_that_is_not_finite_is_found_anywhere(bad: float) -> None:
    for position in (0, 1, 17, 40):
        values = torch.arange(41.0)
        values[position] = bad
        assert native.value_range(values) is None
    assert native.value_range(torch.arange(41.0)) == (0.0, 40.0)


@pytest.mark.parametrize("default", [torch.bfloat16, torch.float64])
def test_pytorchs_default_type_does_not_matter(default: torch.dtype) -> None:
    layer, x = nn.Conv2d(5, 4, 3), torch.randn(3, 5, 7, 7)
    error = torch.randn(3, 4, 5, 5)
    prepare_(layer, Config(bits=Bits(8, 8), results="exact"))
    results = []
    for each in (torch.float32, default):
        layer.cpt.draws = 0  # type: ignore[union-attr]
        layer.weight.grad = None
        z = x.clone().requires_grad_()
        torch.set_default_dtype(each)
        try:
            y = layer(z)
            y.backward(error)
        finally:
            torch.set_default_dtype(torch.float32)
        results.append((y, z.grad, layer.weight.grad))
    for ours, theirs in zip(*results, strict=True):
        assert ours is not None
        assert theirs is not None
        assert np.array_equal(patterns(ours), patterns(theirs))


def test_threads_do_not_change_results() -> None:
    values = torch.randn(7, 5, 6, 6)
    grid = affine_grid(*value_range(values), 8, signed=True)
    threads = torch.get_num_threads()
    results = []
    for count in (1, 3):
        torch.set_num_threads(count)
        results.append(encode(values, grid, seed=5))
    torch.set_num_threads(threads)
    same(*results)
