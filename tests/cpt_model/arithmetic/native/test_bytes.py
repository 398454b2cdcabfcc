"""Kernels on bytes against NumPy's 64-bit integers: corner codes, all widths, odd shapes, rounding, sums that wrap."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cpt_model.arithmetic import native
from cpt_model.arithmetic.exact import geometry_numbers
from host.compiler.layer import Conv, Pass
from sim.reference.epilogue import shift_half_even
from tests.cpt_model.arithmetic.native.layers import dense_layers
from tests.cpt_model.layer_tools import kernels
from tests.tools import draw_codes, least_and_greatest

Codes = npt.NDArray[np.int64]
FORMATS = torch.contiguous_format, torch.channels_last

pytestmark = pytest.mark.skipif(not native.has_bytes(), reason="this CPU has no VNNI instructions")


def by_tap(layer: Conv, which: Pass, a: Codes, b: Codes) -> Codes:
    """The pass from its definition, out · stride + tap − padding = in, one kernel tap after the other."""
    (top, left), (down, across) = layer.padding, layer.stride
    height, width = layer.out_height, layer.out_width
    padded_shape = (layer.batch, layer.in_channels, layer.height + 2 * top, layer.width + 2 * left)
    padded = np.zeros(padded_shape, np.int64)
    inside = padded[:, :, top : top + layer.height, left : left + layer.width]
    result = np.zeros(layer.output_shape if which is Pass.FORWARD else layer.weight_shape, np.int64)
    if which is not Pass.INPUT_ERROR:
        inside[...] = a
    for ky, kx in np.ndindex(*layer.kernel):
        read = padded[:, :, ky : ky + height * down : down, kx : kx + width * across : across]
        read = read[:, :, :height, :width]
        if which is Pass.FORWARD:
            result += np.einsum("oi,nihw->nohw", b[:, :, ky, kx], read)
        elif which is Pass.INPUT_ERROR:
            read += np.einsum("oi,nohw->nihw", b[:, :, ky, kx], a)
        else:
            result[:, :, ky, kx] = np.einsum("nihw,nohw->oi", read, b)
    return inside if which is Pass.INPUT_ERROR else result


def tensor(codes: Codes, layout: torch.memory_format = torch.channels_last) -> torch.Tensor:
    return torch.from_numpy(codes).float().contiguous(memory_format=layout)


def product(layer: Conv, which: Pass, a: Codes, weights: Codes, lift: int, shift: int = 0) -> Codes:
    """Accumulators, rounded if there is a shift, as results of scale 1 and offset 0."""
    transposed = which is Pass.INPUT_ERROR
    channels, terms = layer.weight_shape[:2][::-1] if transposed else layer.weight_shape[:2]
    size = layer.output_shape[2:] if transposed else layer.input_shape[2:]
    pixels, tap_sums = torch.zeros(layer.batch, 1, *size), torch.zeros(*layer.kernel, channels)
    by_channel = torch.ones(channels), torch.zeros(channels)
    geometry = geometry_numbers(layer)
    finishing = native.Finishing(geometry, transposed, pixels, terms, tap_sums, (1.0, 0.0), by_channel, 0, shift)
    return native.product(tensor(a), tensor(weights), finishing, lift).numpy().astype(np.int64)


def gradient(
    layer: Conv, x: Codes, error: Codes, x_signed: bool, lift: int, layouts: tuple[torch.memory_format, ...] = FORMATS
) -> Codes:
    of_x, of_error = (tensor(*each) for each in zip((x, error), layouts, strict=True))
    geometry = geometry_numbers(layer)
    return native.byte_gradient(of_x, of_error, layer.weight_shape, geometry, x_signed, lift).numpy().astype(np.int64)


def draw(shape: tuple[int, ...], bits: int, signed: bool, seed: int, corner: bool) -> Codes:
    """Corner: codes at the ends of their range only."""
    low, high = least_and_greatest(bits, signed)
    codes = draw_codes(seed, shape, bits, signed)
    return np.where(codes > (low + high) / 2, high, low) if corner else codes


BITS = st.integers(1, 8)
LAYOUTS = st.tuples(st.sampled_from(FORMATS), st.sampled_from(FORMATS))


@given(
    dense_layers(), st.sampled_from([Pass.FORWARD, Pass.INPUT_ERROR]), BITS, BITS, st.booleans(), st.integers(0, 9),
    st.booleans(), st.data(),
)  # fmt: skip
def test_products(
    layer: Conv, which: Pass, a_bits: int, w_bits: int, signed: bool, seed: int, corner: bool, data: st.DataObject
) -> None:
    shape = layer.input_shape if which is Pass.FORWARD else layer.output_shape
    low, high = least_and_greatest(a_bits, signed)
    zero = data.draw(st.integers(low, high))
    a = draw(shape, a_bits, signed, seed, corner) - zero
    weights = draw(layer.weight_shape, w_bits, True, seed + 1, corner)
    expected = by_tap(layer, which, a, weights)
    exact = np.abs(expected) <= 1 << 24  # what float32 holds
    assert np.array_equal(product(layer, which, a, weights, zero - low)[exact], expected[exact])


@given(dense_layers(), st.sampled_from([Pass.FORWARD, Pass.INPUT_ERROR]), st.integers(1, 9), st.integers(0, 9))
def test_rounded_products(layer: Conv, which: Pass, shift: int, seed: int) -> None:
    """With a small shift many sums lie halfway between two results."""
    shape = layer.input_shape if which is Pass.FORWARD else layer.output_shape
    a, weights = draw(shape, 8, False, seed, False), draw(layer.weight_shape, 8, True, seed + 1, False)
    expected = by_tap(layer, which, a, weights)
    fits = np.abs(expected) < 1 << 15 + shift
    found = product(layer, which, a, weights, 0, shift)
    assert np.array_equal(found[fits], shift_half_even(expected, shift)[fits] << shift)


@given(dense_layers(), BITS, BITS, st.booleans(), st.integers(0, 9), st.booleans(), LAYOUTS, st.data())
def test_gradients(
    layer: Conv,
    x_bits: int,
    e_bits: int,
    x_signed: bool,
    seed: int,
    corner: bool,
    layouts: tuple[torch.memory_format, ...],
    data: st.DataObject,
) -> None:
    x = draw(layer.input_shape, x_bits, x_signed, seed, corner)
    lifted = draw(layer.output_shape, e_bits, not x_signed, seed + 1, corner)
    lift = data.draw(st.integers(-255, 255))
    found = gradient(layer, x, lifted - lift, x_signed, lift, layouts)
    assert np.array_equal(found, by_tap(layer, Pass.WEIGHT_GRADIENT, x, lifted))


@pytest.mark.parametrize("weight", [-128, 127])
def test_the_greatest_sums_of_a_product(weight: int) -> None:
    """512 terms of 255 · −128 are 2^24 − 2^16."""
    layer = Conv(1, 512, 17, 4, 5)
    x, weights = np.full(layer.input_shape, 255), np.full(layer.weight_shape, weight)
    assert (product(layer, Pass.FORWARD, x, weights, 0) == 512 * 255 * weight).all()


def test_sums_that_exceed_32_bits_on_the_way() -> None:
    """70,000 terms of 255 · 127 wrap; as many of 255 · −127 take them back."""
    layer = Conv(1, 35_000, 1, 5, 5, (2, 2))
    weights = np.full(layer.weight_shape, 127)
    weights[:, :, 1] = -127
    weights[0, 0, 0, 0] = 126
    assert (product(layer, Pass.FORWARD, np.full(layer.input_shape, 255), weights, 0) == -255).all()


@pytest.mark.parametrize("lift", [0, 255])
def test_padding_is_0_whatever_the_lift(lift: int) -> None:
    layer = Conv(1, 3, 2, 4, 4, (5, 5), (2, 2), (4, 4))
    a = np.full(layer.input_shape, 255 - 2 * lift)
    weights = draw(layer.weight_shape, 8, True, 0, True)
    assert np.array_equal(product(layer, Pass.FORWARD, a, weights, lift), by_tap(layer, Pass.FORWARD, a, weights))


@pytest.fixture(params=[1, 3, 80])
def _threads(request: pytest.FixtureRequest) -> object:
    """One thread alone has all images: its sums are the greatest. 80 are more than there are images."""
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("_threads")
@pytest.mark.parametrize("images", [1, 2, 3, 70, 73])
@pytest.mark.parametrize(("x", "e", "x_signed"), [(255, -128, False), (255, 127, False), (-128, 255, True)])
def test_gradients_beyond_32_bits(images: int, x: int, e: int, x_signed: bool) -> None:
    """70 images of 32 × 32 products of the greatest codes exceed 2^31."""
    layer = Conv(images, 3, 2, 32, 32)
    found = gradient(layer, np.full(layer.input_shape, x), np.full(layer.output_shape, e), x_signed, 0)
    assert (found == images * 1024 * x * e).all()


def test_the_largest_map_of_a_gradient() -> None:
    layer, larger = (Conv(5, 1, 1, 64, width) for width in (257, 258))
    assert native.MOST_BYTE_PIXELS == 64 * 257
    found = gradient(layer, np.full(layer.input_shape, 255), np.full(layer.output_shape, -128), False, 0)
    assert (found == 5 * 64 * 257 * 255 * -128).all()
    with pytest.raises(ValueError, match="more than 16448 pixels do not fit"):
        gradient(larger, np.zeros(larger.input_shape, int), np.zeros(larger.output_shape, int), False, 0)


def test_a_processor_without_bytes_says_so() -> None:
    layer = Conv(1, 4, 4, 4, 4)
    a, weights = np.zeros(layer.input_shape, int), np.zeros(layer.weight_shape, int)
    with kernels(on_bytes=False):
        with pytest.raises(ValueError, match="no VNNI instructions"):
            product(layer, Pass.FORWARD, a, weights, 0)
        with pytest.raises(ValueError, match="no VNNI instructions"):
            gradient(layer, a, a, False, 0)
