"""The weight gradient's own kernel: the integers of float64 convolutions, whatever the codes, shapes and layouts.

What it shares with the kernel on bytes, which has its own tests, is tested through the pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from cpt_model.arithmetic import exact, native, passes
from cpt_model.arithmetic.affine import Quantised
from cpt_model.arithmetic.integer import integer_pass
from cpt_model.quantisers import SBM, WAGEUBN
from cpt_model.quantisers.running_range import RunningRange
from host.compiler.layer import Conv, Pass
from tests.cpt_model.arithmetic.native.layers import dense_layers
from tests.cpt_model.layer_tools import kernels, patterns, pytorch_alone
from tests.tools import draw_codes, least_and_greatest

FORMATS = {"nchw": torch.contiguous_format, "nhwc": torch.channels_last}
ONE = torch.ones(1, 1, 1, 1)


def check(layer: Conv, x: Tensor, error: Tensor, greatest: int) -> None:
    found = native.gradient(x, error, layer.weight_shape, exact.geometry_numbers(layer), greatest)
    assert np.array_equal(found.numpy(), integer_pass(layer, Pass.WEIGHT_GRADIENT, x.numpy(), error.numpy()))


@given(dense_layers(), st.integers(1, 9), st.integers(1, 9), st.integers(0, 99), st.booleans(), st.data())
def test_any_layer(layer: Conv, x_bits: int, e_bits: int, seed: int, corner: bool, data: st.DataObject) -> None:
    """Corner: codes at the ends of their ranges only."""
    codes, greatest = [], 1
    for shape, bits, signed in ((layer.input_shape, x_bits, False), (layer.output_shape, e_bits, True)):
        low, high = least_and_greatest(bits, signed)
        drawn = draw_codes(seed, shape, bits, signed)
        layout = FORMATS[data.draw(st.sampled_from(list(FORMATS)))]
        ends = np.where(drawn > (low + high) / 2, high, low)
        codes.append(torch.from_numpy(ends if corner else drawn).float().contiguous(memory_format=layout))
        greatest *= max(-low, high)
    check(layer, codes[0], codes[1], greatest)


@pytest.fixture(params=[1, 3, 80])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    """One thread alone has all images: its sums are the greatest. 80 are more than there are images."""
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("codes", [(255, 255), (255, -255), (-512, 511), (1, 1)])
def test_sums_beyond_float32_and_beyond_32_bits(codes: tuple[int, int]) -> None:
    """70 images of 32 × 32 of the same greatest code: the sum of all exceeds 2^32 for 8 bits."""
    layer = Conv(70, 3, 2, 32, 32, (3, 3), padding=(1, 1))
    x, error = (torch.full(shape, float(code)) for shape, code in
                zip((layer.input_shape, layer.output_shape), codes, strict=True))  # fmt: skip
    check(layer, x, error, abs(codes[0] * codes[1]))


@pytest.mark.parametrize(("greatest", "pixels"), [((1 << 24) + 1, 1), (1 << 24, 128), (1 << 20, 2048)])
def test_codes_too_wide_for_it_are_refused(greatest: int, pixels: int) -> None:
    layer = Conv(1, 1, 1, 1, pixels)
    with pytest.raises(ValueError, match=r"do not fit the C\+\+ gradient"):
        check(layer, torch.zeros(layer.input_shape), torch.zeros(layer.output_shape), greatest)


def test_tiles_follow_from_the_bound() -> None:
    """With a bound that lies, tiles are too large, and float32 rounds their sums."""
    layer = Conv(1, 1, 1, 1, 128)
    x, error = torch.full(layer.input_shape, 4095.0), torch.full(layer.output_shape, 4095.0)
    error[..., 0] = 4094
    check(layer, x, error, 4095 * 4095)
    with pytest.raises(AssertionError):
        check(layer, x, error, 1)


@pytest.mark.parametrize(
    ("layer", "bits", "suits"),
    [
        (Conv(2, 16, 16, 8, 8, (3, 3), padding=(1, 1)), 8, True),
        (Conv(2, 16, 16, 8, 8, (3, 3), padding=(1, 1)), 10, False),  # tiles of 16 pixels
        (Conv(2, 16, 16, 8, 8, (3, 3), padding=(1, 1), groups=2), 8, False),
        (Conv(2, 16, 16, 2, 2), 8, False),  # too few pixels
        (Conv(1, 1, 1, 300, 300), 8, False),  # 300² · 255 · 128 does not fit 32 bits
    ],
)
def test_which_layers_it_is_for(layer: Conv, bits: int, suits: bool) -> None:
    shapes = layer.operand_shapes(Pass.WEIGHT_GRADIENT)
    x, e = (Quantised(torch.zeros(shape), ONE, 0 * ONE, bits, signed)
            for shape, signed in zip(shapes, (False, True), strict=True))  # fmt: skip
    assert exact.suits_native_gradient(layer, x, e) is suits


@given(dense_layers(), st.integers(2, 8), st.integers(2, 8), st.booleans(), st.integers(0, 99), st.booleans())
def test_the_whole_pass(
    layer: Conv, x_bits: int, e_bits: int, signed_activations: bool, seed: int, on_bytes: bool
) -> None:
    """Errors far from 0 have a `zero` far from 0; WAGEUBN's activations are signed."""
    generator = torch.Generator().manual_seed(seed)
    x, error = (torch.randn(shape, generator=generator) for shape in (layer.input_shape, layer.output_shape))
    quantiser = WAGEUBN() if signed_activations else SBM()
    results = []
    for alone in (False, True):
        with pytorch_alone() if alone else kernels(on_bytes):
            codes = quantiser.activation(x, x_bits, RunningRange())
            found = passes.gradient(layer, codes, SBM().error(error + seed % 5, e_bits, seed))
            results.append(patterns(found))
    assert np.array_equal(results[0], results[1])


@pytest.mark.parametrize(
    ("x", "e", "expected"),
    [
        ((8, False, 0), (8, True, 0), 0),
        ((8, False, 0), (8, True, 100), 100),
        ((8, False, 0), (4, True, 0), -120),
        ((8, True, 0), (8, True, 0), 128),
        ((8, False, 1), (8, True, 0), None),
        ((9, False, 0), (8, True, 0), None),
        ((8, False, 0), (9, True, 0), None),
    ],
)
def test_which_codes_are_bytes(x: tuple[int, bool, int], e: tuple[int, bool, int], expected: int | None) -> None:
    layer = Conv(1, 1, 1, 4, 4)
    operands = [Quantised(torch.zeros(layer.input_shape), ONE, ONE, *each) for each in (x, e)]
    with patch.object(native, "has_bytes", return_value=True):
        assert exact.lift_errors_to_bytes(layer, *operands) == expected
    with kernels(on_bytes=False):
        assert exact.lift_errors_to_bytes(layer, *operands) is None


@pytest.mark.parametrize("layer", [Conv(1, 2, 2, 4, 4, groups=2), Conv(1, 1, 1, 3, 5), Conv(1, 1, 1, 129, 128)])
def test_which_layers_are_not_for_bytes(layer: Conv) -> None:
    x, e = (Quantised(torch.zeros(shape), ONE, ONE, 8, signed)
            for shape, signed in ((layer.input_shape, False), (layer.output_shape, True)))  # fmt: skip
    with patch.object(native, "has_bytes", return_value=True):
        assert exact.lift_errors_to_bytes(layer, x, e) is None
