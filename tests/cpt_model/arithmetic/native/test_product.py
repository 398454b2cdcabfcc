"""The forward and input-error product's own kernels, on bytes and in float32, give the bits of PyTorch's operations."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import nn

from cpt_model import Bits, Config, prepare_
from cpt_model.arithmetic import native, passes
from cpt_model.arithmetic.affine import Quantised, quantise
from cpt_model.arithmetic.exact import geometry_numbers, lift_to_bytes
from cpt_model.arithmetic.results import TRAINED
from cpt_model.arithmetic.weights import Weights
from cpt_model.quantisers import SBM
from host.compiler.layer import Conv, Pass
from host.compiler.results import Results
from tests.cpt_model.arithmetic.native.layers import dense_layers
from tests.cpt_model.layer_tools import kernels, patterns, pytorch_alone

FORMATS = (torch.contiguous_format, torch.channels_last)
ONE = torch.ones(1, 1, 1, 1)
PASSES = {Pass.FORWARD: passes.forward, Pass.INPUT_ERROR: passes.input_error}


def drawn(layer: Conv, which: Pass, bits: tuple[int, int], seed: int, zero: int = 0) -> tuple[Quantised, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    shape = layer.input_shape if which is Pass.FORWARD else layer.output_shape
    values = torch.randn(shape, generator=generator).contiguous(memory_format=torch.channels_last)
    a = quantise(values, bits[0], signed=which is Pass.INPUT_ERROR)
    stored = Quantised(a.codes - zero, a.scale, a.offset, a.bits, a.signed, zero)
    return stored, torch.randn(layer.weight_shape, generator=generator)


def check(
    layer: Conv, which: Pass, a: Quantised, weights: torch.Tensor, bits: int, results: Results = Results.EXACT
) -> bool:
    """Whether the kernel was asked; the results are PyTorch's, to the bit."""
    codes = SBM().pass_weights(weights, bits, which, layer.groups)
    with patch.object(native, "product", wraps=native.product) as product:
        ours = PASSES[which](layer, a, codes, None, results)
    with pytorch_alone():
        theirs = PASSES[which](layer, a, SBM().pass_weights(weights, bits, which, layer.groups), None, results)
    assert np.array_equal(patterns(ours), patterns(theirs))
    return product.called


@given(
    dense_layers(),
    st.sampled_from(list(PASSES)),
    st.integers(1, 8),
    st.integers(1, 8),
    st.integers(-3, 3),
    st.booleans(),
    st.integers(0, 99),
    st.booleans(),
    st.sampled_from(TRAINED),
)
def test_any_layer(
    layer: Conv,
    which: Pass,
    a_bits: int,
    w_bits: int,
    zero: int,
    weights_last: bool,
    seed: int,
    on_bytes: bool,
    results: Results,
) -> None:
    channels = layer.in_channels if which is Pass.FORWARD else layer.out_channels
    height, width = layer.output_shape[2:] if which is Pass.FORWARD else layer.input_shape[2:]
    assume(channels > 1 and height * width >= 16)
    a, weights = drawn(layer, which, (a_bits, w_bits), seed, zero)
    assume(not a.codes.is_contiguous())
    layout = torch.channels_last if weights_last else torch.contiguous_format
    with kernels(on_bytes):
        lift = lift_to_bytes(a, Quantised(weights, ONE, ONE, w_bits, True))
        assume(lift is not None or which is Pass.FORWARD or layer.stride == (1, 1))
        assert check(layer, which, a, weights.contiguous(memory_format=layout), w_bits, results)


@pytest.mark.parametrize("on_bytes", [True, False])
@pytest.mark.parametrize("threads", [1, 3, 9])
@pytest.mark.parametrize("which", list(PASSES))
def test_threads_do_not_change_results(which: Pass, threads: int, on_bytes: bool) -> None:
    """9 are more than there are images."""
    layer = Conv(5, 18, 7, 6, 5, (3, 3), (1, 1), (1, 1))
    a, weights = drawn(layer, which, (8, 8), 0)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with kernels(on_bytes):
            assert check(layer, which, a, weights, 8)
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(("last", "asked"), [(259, True), (260, False)])
def test_the_bound_is_met_exactly(last: int, asked: bool) -> None:
    """255 · (32767 + 32767 + 259) = 2^24 − 1 is a sum that float32 holds; one more, and PyTorch's float64 is asked."""
    layer = Conv(1, 3, 1, 4, 4)
    x = Quantised(
        torch.full(layer.input_shape, 255.0).contiguous(memory_format=torch.channels_last), ONE, ONE, 8, False
    )
    codes = torch.tensor([32767.0, 32767.0, last]).reshape(layer.weight_shape)
    weights = Weights.of(Quantised(codes, ONE, 0 * ONE, 16, True), Pass.FORWARD, 1)
    with patch.object(native, "product", wraps=native.product) as product:
        result = passes.forward(layer, x, weights, None, Results.EXACT)
    assert product.called is asked
    with pytorch_alone():
        assert np.array_equal(patterns(result), patterns(passes.forward(layer, x, weights, None, Results.EXACT)))


@pytest.mark.parametrize("channels", [(1, 6), (6, 1), (1, 1), (6, 8)])
@pytest.mark.parametrize("layout", FORMATS)
def test_results_have_pytorchs_memory_format(channels: tuple[int, int], layout: torch.memory_format) -> None:
    """A model that calls `view` behind a layer must go on working."""
    for size in (1, 6):
        plain, quantised = (nn.Conv2d(*channels, 3, padding=1) for _ in range(2))
        prepare_(quantised, Config(bits=Bits(8, 8), policy="none"))
        formats = []
        for layer in (plain, quantised):
            x = torch.rand(4, channels[0], size, size).contiguous(memory_format=layout).requires_grad_()
            y = layer(x)
            y.backward(torch.rand(y.shape).contiguous(memory_format=layout))
            assert x.grad is not None
            formats.append([each.is_contiguous(memory_format=kind) for each in (y, x.grad) for kind in FORMATS])
        assert formats[0] == formats[1]


@pytest.mark.parametrize(
    ("layer", "which", "bits", "suits"),
    [
        (Conv(2, 16, 16, 8, 8, (3, 3), (1, 1), (1, 1)), Pass.FORWARD, 8, True),
        (Conv(2, 16, 16, 8, 8, (3, 3), (1, 1), (1, 1)), Pass.INPUT_ERROR, 8, True),
        (Conv(2, 16, 16, 8, 8, (3, 3), (2, 2), (1, 1)), Pass.FORWARD, 8, True),
        (Conv(2, 16, 16, 8, 8, (3, 3), (2, 2), (1, 1)), Pass.INPUT_ERROR, 8, False),  # zeros between the codes
        (Conv(2, 16, 16, 3, 3, (3, 3), (1, 1), (1, 1)), Pass.FORWARD, 8, False),  # too few pixels
        (Conv(2, 16, 16, 8, 8, (3, 3), (1, 1), (1, 1)), Pass.FORWARD, 16, False),  # sums beyond 2^24
        (Conv(2, 16, 16, 8, 8, (3, 3), (1, 1), (1, 1), groups=2), Pass.FORWARD, 8, False),
    ],
)
def test_which_layers_it_is_for(layer: Conv, which: Pass, bits: int, suits: bool) -> None:
    a, weights = drawn(layer, which, (bits, bits), 0)
    with kernels(on_bytes=False):
        assert check(layer, which, a, weights, bits) is suits


@pytest.mark.parametrize(
    ("bits", "signed", "zero", "w_bits", "expected"),
    [
        (8, False, 0, 8, 0),
        (8, True, 0, 8, 128),
        (8, True, -128, 8, 0),
        (8, True, 127, 1, 255),
        (3, True, 0, 8, 4),
        (8, False, -1, 8, None),  # codes from 1 to 256, and the padding's 0
        (7, False, -1, 8, 0),
        (9, True, 0, 8, None),
        (8, True, 0, 9, None),
    ],
)
def test_which_codes_are_bytes(bits: int, signed: bool, zero: int, w_bits: int, expected: int | None) -> None:
    a, weights = Quantised(ONE, ONE, ONE, bits, signed, zero), Quantised(ONE, ONE, ONE, w_bits, True)
    with patch.object(native, "has_bytes", return_value=True):
        assert lift_to_bytes(a, weights) == expected
        assert lift_to_bytes(a, Quantised(ONE, ONE, ONE, w_bits, False)) is None
    with kernels(on_bytes=False):
        assert lift_to_bytes(a, weights) is None


@pytest.mark.skipif(not native.has_bytes(), reason="this CPU has no VNNI instructions")
def test_strided_input_errors_are_for_bytes() -> None:
    layer = Conv(2, 16, 16, 8, 8, (3, 3), (2, 2), (1, 1))
    a, weights = drawn(layer, Pass.INPUT_ERROR, (8, 8), 0)
    assert check(layer, Pass.INPUT_ERROR, a, weights, 8)


def test_what_it_cannot_do_is_refused() -> None:
    layer = Conv(2, 4, 4, 8, 8, (3, 3), (2, 2), (1, 1))
    error, weights = torch.zeros(layer.output_shape), torch.zeros(layer.weight_shape)
    terms = native.Finishing(geometry_numbers(layer), True, ONE, 4, ONE, (1.0, 0.0), (ONE, ONE), 0)
    for codes in (error, error.contiguous(memory_format=torch.channels_last)):
        with pytest.raises(ValueError, match="channels-last codes, and of input errors those at stride 1"):
            native.product(codes, weights, terms)


def test_a_watcher_sees_accumulators() -> None:
    layer = Conv(2, 16, 16, 8, 8, (3, 3), (1, 1), (1, 1))
    a, weights = drawn(layer, Pass.FORWARD, (8, 8), 0)
    with patch.object(native, "product") as product:
        passes.forward(layer, a, SBM().pass_weights(weights, 8, Pass.FORWARD, 1), lambda *operands: operands[-1])
    assert not product.called
