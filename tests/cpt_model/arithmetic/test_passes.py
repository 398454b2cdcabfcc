"""The three passes equal the driver's on the NumPy reference: codes, accumulators and float32 results, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from cpt_model.arithmetic import passes
from cpt_model.arithmetic.affine import Quantised, quantise
from cpt_model.quantisers import SBM
from host.compiler.bits import Bits
from host.compiler.layer import Conv, Pass
from host.compiler.precision import Output
from host.compiler.results import Results
from host.driver.quantised_pass import QuantisedPass, run_quantised
from sim.reference import Reference
from tests.cpt_model.layer_tools import patterns, pytorch_alone
from tests.tools import ZC706, layers

Floats = np.ndarray


def tensors(layer: Conv, which: Pass, seed: int, exponents: tuple[int, int]) -> list[Floats]:
    """Operands off zero, so that every term of the affine product matters."""
    rng = np.random.default_rng(seed)
    pair = zip(layer.operand_shapes(which), exponents, strict=True)
    return [((rng.normal(size=shape) + rng.normal()) * 2.0**exponent).astype(np.float32) for shape, exponent in pair]


def stored(error: Quantised) -> Quantised:
    """The same error as a layer stores it: codes counted from the one nearest 0."""
    zero = round(float(-error.offset / error.scale))
    zero = max(-(1 << error.bits - 1), min(zero, (1 << error.bits - 1) - 1))
    return Quantised(error.codes - zero, error.scale, error.offset, error.bits, True, zero)


def ours(layer: Conv, which: Pass, operands: list[Floats], bits: tuple[int, int], seed: int) -> tuple[Tensor, Tensor]:
    """Results without a watcher (the fused way), and accumulators with one."""
    a, b = (torch.from_numpy(each) for each in operands)
    seen: list[Tensor] = []

    def watch(layer: Conv, which: Pass, a: Quantised, b: Quantised, output: Output, acc: Tensor) -> Tensor:
        seen.append(acc)
        return acc

    results = []
    for watcher in (None, watch):
        if which is Pass.WEIGHT_GRADIENT:
            error = stored(quantise(b, bits[1], True, seed=seed))
            results.append(passes.gradient(layer, quantise(a, bits[0], False), error, watcher))
        else:
            weights = SBM().pass_weights(b, bits[0], which, layer.groups)
            if which is Pass.FORWARD:
                results.append(passes.forward(layer, quantise(a, bits[0], False), weights, watcher, Results.EXACT))
            else:
                error = stored(quantise(a, bits[1], True, seed=seed))
                results.append(passes.input_error(layer, error, weights, watcher, Results.EXACT))
    assert np.array_equal(patterns(results[0]), patterns(results[1]))
    return results[0], seen[0]


def agree(layer: Conv, which: Pass, operands: list[Floats], bits: tuple[int, int], seed: int) -> QuantisedPass:
    a, b = operands
    theirs = run_quantised(Reference(ZC706), layer, which, a, b, Bits(*bits), seed)
    values, accumulators = ours(layer, which, operands, bits, seed)
    assert np.array_equal(accumulators.numpy(), theirs.accumulators)
    assert np.array_equal(values.numpy(), theirs.values)
    return theirs


@settings(max_examples=120)
@given(
    layers(),
    st.sampled_from(list(Pass)),
    st.tuples(st.integers(1, 16), st.integers(1, 16)),
    st.integers(0, 2**64 - 1),
    st.sampled_from([(0, 0), (0, 0), (-30, 10), (20, -60)]),
    st.booleans(),
)
def test_any_layer_at_any_precision(
    layer: Conv, which: Pass, bits: tuple[int, int], seed: int, exponents: tuple[int, int], native: bool
) -> None:
    operands = tensors(layer, which, seed % 997, exponents)
    if native:
        agree(layer, which, operands, bits, seed)
    else:
        with pytorch_alone():
            agree(layer, which, operands, bits, seed)


@pytest.mark.parametrize("which", list(Pass))
@pytest.mark.parametrize("native", [True, False])
def test_sums_beyond_2_to_the_24(which: Pass, native: bool) -> None:
    """16 bits and long sums: no accumulator of these fits float32."""
    layer = Conv(3, 40, 36, 7, 6, (3, 3), padding=(1, 1))
    operands = [np.abs(each) for each in tensors(layer, which, 1, (0, 0))]
    for each in operands:
        each.ravel()[0] = -30
    if native:
        done = agree(layer, which, operands, (16, 16), 5)
    else:
        with pytorch_alone():
            done = agree(layer, which, operands, (16, 16), 5)
    assert np.abs(done.accumulators).max() > 2**24


def test_row_sums_beyond_2_to_the_24_beside_small_accumulators() -> None:
    """Weights of 2 bits, nearly all of code 0, and 600 errors of 16 bits: only the sums of errors are large."""
    layer = Conv.linear(20, 3, 600)
    error = np.random.default_rng(0).uniform(0.9, 1.0, layer.output_shape).astype(np.float32)
    error.ravel()[0] = -0.1
    weights = np.full(layer.weight_shape, 0.5, np.float32)
    weights[0], weights[1] = -1.5, 1.5
    done = agree(layer, Pass.INPUT_ERROR, [error, weights], (2, 16), 5)
    assert np.abs(done.accumulators).max() < 2**24
    assert np.abs(done.a.codes.sum(1)).min() > 2**24 - 2**16


@pytest.mark.parametrize("which", list(Pass))
@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, -2.5, 1e-30])
def test_constant_operands(which: Pass, value: float) -> None:
    layer = Conv(2, 3, 4, 4, 4, (3, 3), padding=(1, 1))
    operands = [np.full(shape, value, np.float32) for shape in layer.operand_shapes(which)]
    agree(layer, which, operands, (4, 6), 5)


@pytest.mark.parametrize("which", list(Pass))
def test_strides_that_skip_the_last_pixels_and_taps_that_never_fall_inside(which: Pass) -> None:
    for layer in (
        Conv(2, 3, 4, 8, 7, (3, 2), (3, 3)),
        Conv(2, 3, 4, 5, 6, (1, 1), (3, 4)),
        Conv(2, 3, 4, 2, 1, (5, 5), (2, 3), (4, 4)),
        Conv(1, 1, 1, 1, 1),
    ):
        agree(layer, which, tensors(layer, which, 3, (0, 0)), (5, 7), 9)


def test_a_watcher_may_put_its_own_accumulators_in_place() -> None:
    layer = Conv.linear(2, 3, 4)
    x, w = (torch.from_numpy(each) for each in tensors(layer, Pass.FORWARD, 0, (0, 0)))
    a, b = quantise(x, 8, False), SBM().pass_weights(w, 8, Pass.FORWARD, 1)
    honest = passes.forward(layer, a, b, lambda *seen: seen[-1], Results.EXACT)
    moved = passes.forward(layer, a, b, lambda *seen: seen[-1] + 1, Results.EXACT)
    step = (a.scale * b.quantised.scale).reshape(1, -1, 1, 1)
    torch.testing.assert_close(moved - honest, step.expand_as(honest), rtol=1e-2, atol=0)
