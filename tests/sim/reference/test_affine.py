"""Quantisation against PyTorch's float32, and whole quantised passes against float64 convolutions."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional, grad

from host.compiler.geometry import geometry
from host.compiler.layer import Conv, Pass
from host.compiler.precision import Output, Precision
from sim.reference.affine import (
    Floats,
    Quantised,
    column_sums,
    combine,
    group_row_sums,
    quantise,
    term_counts,
)
from tests.tools import least_and_greatest, python_noise, run_pass

LARGEST = np.finfo(np.float32).max


def floats(seed: int, shape: tuple[int, ...], low: float = -1.0, high: float = 1.0) -> Floats:
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


@pytest.mark.parametrize("bits", [1, 2, 3, 8, 12, 16])
@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (0.0, 6.0), (3.0, 3.001), (-1e-30, 2e-30), (-1e30, 1e-3)])
def test_codes_are_those_of_torch(bits: int, low: float, high: float) -> None:
    values = floats(1, (4, 5, 6), low, high)
    quantised = quantise(values, bits, signed=False)
    x = torch.from_numpy(values)
    least, greatest = torch.aminmax(x)
    scale = torch.clamp((greatest - least) / (2**bits - 1), min=2.0**-126)
    codes = torch.round((x - least) / scale).clamp(0, 2**bits - 1)
    assert quantised.codes.tolist() == codes.tolist()
    assert quantised.scale.item() == scale.item()
    assert quantised.offset.item() == least.item()


def test_a_tie_goes_to_the_even_code() -> None:
    values = np.array([0, 0.5, 1.5, 2.5, 14.5, 15], dtype=np.float32)
    assert quantise(values, 4, signed=False).codes.tolist() == [0, 0, 2, 2, 14, 15]


@given(st.integers(1, 16), st.booleans(), st.integers(0, 99))
def test_values_come_back_within_half_a_step(bits: int, signed: bool, seed: int) -> None:
    values = floats(seed, (3, 4, 5), -0.3, 1.7)
    quantised = quantise(values, bits, signed)
    rounding = 2.0**-22 * np.abs(values).max()
    assert np.abs(quantised.values() - values).max() <= quantised.scale.item() / 2 + rounding
    low, high = least_and_greatest(bits, signed)
    assert (quantised.codes.min(), quantised.codes.max()) == (low, high)


@given(st.integers(1, 16), st.integers(0, 99))
def test_signed_codes_are_the_same_grid_centred(bits: int, seed: int) -> None:
    values = floats(seed, (2, 3, 4))
    centred, plain = quantise(values, bits, signed=True), quantise(values, bits, signed=False)
    assert np.array_equal(centred.codes + 2 ** (bits - 1), plain.codes)
    assert centred.scale == plain.scale
    assert centred.offset.item() == pytest.approx(plain.offset.item() + 2 ** (bits - 1) * plain.scale.item(), abs=1e-6)


def test_each_channel_has_its_own_range() -> None:
    values = floats(5, (6, 3, 2, 2)) * np.arange(1, 7, dtype=np.float32).reshape(6, 1, 1, 1)
    together = quantise(values, 5, signed=True, per_channel=True)
    for channel in range(6):
        alone = quantise(values[channel : channel + 1], 5, signed=True)
        assert np.array_equal(together.codes[channel], alone.codes[0])
        assert together.scale[channel] == alone.scale
        assert together.offset[channel] == alone.offset


def test_stochastic_codes_compare_their_fraction_with_the_noise_of_their_number() -> None:
    values = floats(6, (2, 3, 4, 5))
    quantised = quantise(values, 4, signed=False, seed=0xABCDEF0123456789)
    steps = torch.from_numpy((values - values.min()) / quantised.scale).flatten()
    uniform = [(python_noise(0xABCDEF0123456789, e) >> 8) / 2**24 for e in range(values.size)]
    # In double precision nothing rounds: the code goes up when the fraction exceeds the uniform number.
    expected = [min(math.ceil(t - u), 15) for t, u in zip(steps.tolist(), uniform, strict=True)]
    assert quantised.codes.ravel().tolist() == [max(code, 0) for code in expected]


@pytest.mark.parametrize("value", [0.25, 2.5, 13.9])
def test_stochastic_codes_are_right_on_average(value: float) -> None:
    values = np.full(1 << 16, value, dtype=np.float32)
    values[:2] = 0, 15
    codes = quantise(values, 4, signed=False, seed=3).codes[2:]
    assert abs(codes.mean() - value) < 5 * 0.5 / np.sqrt(codes.size)


@pytest.mark.parametrize("bits", [4, 16])
def test_stochastic_rounding_does_not_move_a_value_on_the_grid(bits: int) -> None:
    values = np.arange(2**bits, dtype=np.float32)
    assert np.array_equal(quantise(values, bits, signed=False, seed=12).codes, values)


@pytest.mark.parametrize("value", [0.0, -0.0, 1.5, -7.25e-3, 1e-45, LARGEST, -LARGEST])
@pytest.mark.parametrize("seed", [None, 4])
def test_a_constant_tensor_comes_back_exactly(value: float, seed: int | None) -> None:
    values = np.full((2, 3), value, dtype=np.float32)
    quantised = quantise(values, 8, signed=False, seed=seed)
    assert not quantised.codes.any()
    assert np.array_equal(quantised.values(), values)


@pytest.mark.parametrize("value", [0.0, 1.5, -LARGEST, 1.2345678e-36])
def test_a_constant_tensor_comes_back_to_rounding_from_centred_codes(value: float) -> None:
    values = np.full((2, 3), value, dtype=np.float32)
    quantised = quantise(values, 8, signed=True)
    assert (quantised.codes == -128).all()
    assert np.allclose(quantised.values(), values, rtol=1e-6, atol=0)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("per_channel", [False, True])
def test_nan_and_infinity_are_refused(bad: float, per_channel: bool) -> None:
    values = np.ones((2, 2), dtype=np.float32)
    values[1, 1] = bad
    with pytest.raises(ValueError, match="NaN or infinity"):
        quantise(values, 8, signed=False, per_channel=per_channel)


def test_a_range_beyond_float32_is_refused() -> None:
    with pytest.raises(ValueError, match="range"):
        quantise(np.array([-LARGEST, LARGEST], dtype=np.float32), 8, signed=False)


def test_an_empty_tensor_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        quantise(np.zeros((0, 3), dtype=np.float32), 8, signed=False)


def test_other_than_float32_is_refused() -> None:
    with pytest.raises(TypeError, match="float64"):
        quantise(np.ones(3), 8, signed=False)  # type: ignore[arg-type]


LAYERS = {
    "padded": Conv(2, 5, 7, 6, 5, (3, 3), padding=(1, 1)),
    "unpadded": Conv(2, 20, 3, 5, 5, (2, 3)),
    "stride-2": Conv(2, 6, 18, 7, 8, (3, 3), (2, 2), (1, 1)),
    "stride-past-the-kernel": Conv(2, 4, 4, 8, 8, (1, 2), (2, 3), (0, 1)),
    "linear": Conv.linear(4, 33, 10),
    "depthwise": Conv(2, 18, 18, 6, 6, (3, 3), padding=(1, 1), groups=18),
    "depthwise-stride-2": Conv(2, 18, 18, 7, 6, (3, 3), (2, 2), (1, 1), groups=18),
}


def float_pass(layer: Conv, which: Pass, a: Any, b: Any) -> np.ndarray:
    """The pass in float64, padding with zeros, from float tensors."""
    left, right = (torch.from_numpy(np.asarray(values, dtype=np.float64)) for values in (a, b))
    how: dict[str, Any] = {"stride": layer.stride, "padding": layer.padding, "groups": layer.groups}
    if which is Pass.FORWARD:
        return functional.conv2d(left, right, **how).numpy()
    if which is Pass.INPUT_ERROR:
        return grad.conv2d_input(layer.input_shape, right, left, **how).numpy()
    return grad.conv2d_weight(left, layer.weight_shape, right, **how).numpy()


def quantised_operands(layer: Conv, which: Pass) -> tuple[Quantised, Quantised]:
    """A of a range without 0, so that padding is off its grid; B by the pass's output channel where it has one."""
    if which is Pass.WEIGHT_GRADIENT:
        return quantise(floats(1, layer.input_shape, 0.5, 2.0), 5, False), quantise(
            floats(2, layer.output_shape), 6, True
        )
    weights = floats(3, layer.weight_shape, -0.7, 1.0)
    if which is Pass.FORWARD:
        return quantise(floats(1, layer.input_shape, 0.5, 2.0), 5, False), quantise(weights, 6, True, per_channel=True)
    by_input = weights if layer.groups > 1 else weights.transpose(1, 0, 2, 3)
    return quantise(floats(2, layer.output_shape, -2.0, -0.5), 5, True), quantise(by_input, 6, True, per_channel=True)


@pytest.mark.parametrize("which", Pass)
@pytest.mark.parametrize("name", LAYERS)
def test_a_quantised_pass_is_the_convolution_of_the_quantised_values(name: str, which: Pass) -> None:
    layer = LAYERS[name]
    a, b = quantised_operands(layer, which)
    wgrad = which is Pass.WEIGHT_GRADIENT
    dense_error_pass = which is Pass.INPUT_ERROR and layer.groups == 1

    def as_the_layer_has_them(tensor: np.ndarray) -> np.ndarray:
        return tensor.transpose(1, 0, 2, 3) if dense_error_pass else tensor

    sums_on_host = layer.groups > 1 and not wgrad
    program, memory = run_pass(
        layer,
        which,
        Precision(a.bits, b.bits, a.signed, b.signed),
        a.codes.astype(np.int64),
        as_the_layer_has_them(b.codes).astype(np.int64),
        Output(row_sums=not sums_on_host),
    )
    command = geometry(layer, which)
    b_codes = b.codes[:, :, ::-1, ::-1] if which is Pass.INPUT_ERROR else b.codes
    col_sums, scale, offset = column_sums(b_codes, command), b.scale, b.offset
    if wgrad:
        col_sums = col_sums.transpose(1, 0, 2, 3)
    else:
        scale, offset = (per_channel.reshape(1, -1, 1, 1) for per_channel in (scale, offset))
    result = program.result(memory)
    if sums_on_host:
        row_sums = group_row_sums(a.codes, command, layer.groups, result.shape[1])
    else:
        row_sums = program.row_sums(memory)
    terms = b.codes.shape[1]
    y = combine(result, row_sums, col_sums, term_counts(terms, command), a, scale, offset)

    b_values = as_the_layer_has_them(b.values())
    magnitude_a = np.abs(a.codes) * a.scale + np.abs(a.offset)
    magnitude_b = as_the_layer_has_them(np.abs(b.codes) * b.scale + np.abs(b.offset))
    tolerance = 2.0**-20 * float_pass(layer, which, magnitude_a, magnitude_b)
    assert y.dtype == np.float32
    assert (np.abs(y - float_pass(layer, which, a.values(), b_values)) <= tolerance).all()
