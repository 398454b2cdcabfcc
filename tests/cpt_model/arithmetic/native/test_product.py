"""The forward and input-error product's own kernel gives the bits of PyTorch's convolutions and operations."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cpt_model.arithmetic import native, passes
from cpt_model.arithmetic.affine import Quantised, quantise
from cpt_model.quantisers import SBM
from host.layer import Conv, Pass
from tests.cpt_model.arithmetic.native.dense import dense_layers
from tests.cpt_model.layer_tools import patterns, pytorch_alone

PASSES = {Pass.FORWARD: passes.forward, Pass.INPUT_ERROR: passes.input_error}


def drawn(layer: Conv, which: Pass, bits: tuple[int, int], seed: int, zero: int = 0) -> tuple[Quantised, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    shape = layer.input_shape if which is Pass.FORWARD else layer.output_shape
    values = torch.randn(shape, generator=generator).contiguous(memory_format=torch.channels_last)
    a = quantise(values, bits[0], signed=which is Pass.INPUT_ERROR)
    stored = Quantised(a.codes - zero, a.scale, a.offset, a.bits, a.signed, zero)
    return stored, torch.randn(layer.weight_shape, generator=generator)


@given(
    dense_layers(),
    st.sampled_from(list(PASSES)),
    st.integers(1, 8),
    st.integers(1, 8),
    st.integers(-3, 3),
    st.booleans(),
    st.integers(0, 99),
)
def test_any_layer(
    layer: Conv, which: Pass, a_bits: int, w_bits: int, zero: int, weights_last: bool, seed: int
) -> None:
    a, weights = drawn(layer, which, (a_bits, w_bits), seed, zero)
    layout = torch.channels_last if weights_last else torch.contiguous_format
    codes = SBM().pass_weights(weights.contiguous(memory_format=layout), w_bits, which, 1)
    ours = PASSES[which](layer, a, codes)
    with pytorch_alone():
        theirs = PASSES[which](layer, a, SBM().pass_weights(weights, w_bits, which, 1))
    assert np.array_equal(patterns(ours), patterns(theirs))


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
    codes = SBM().pass_weights(weights, bits, which, layer.groups)
    with patch.object(native, "product", wraps=native.product) as product:
        result = PASSES[which](layer, a, codes)
    assert product.called is suits
    with pytorch_alone():
        assert np.array_equal(patterns(result), patterns(PASSES[which](layer, a, codes)))


def test_a_watcher_sees_accumulators() -> None:
    layer = Conv(2, 16, 16, 8, 8, (3, 3), (1, 1), (1, 1))
    a, weights = drawn(layer, Pass.FORWARD, (8, 8), 0)
    with patch.object(native, "product") as product:
        passes.forward(layer, a, SBM().pass_weights(weights, 8, Pass.FORWARD, 1), lambda *operands: operands[-1])
    assert not product.called
