"""Rounded results of forward and input-error passes are the epilogue's, to the bit, by every kernel and by PyTorch."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from cpt_model import Bits, Config, prepare_
from cpt_model.arithmetic import native, passes
from cpt_model.arithmetic.affine import Quantised, quantise
from cpt_model.arithmetic.integer import torch_pass
from cpt_model.arithmetic.results import meant, output_of, stored, trained_results
from cpt_model.arithmetic.weights import Weights
from cpt_model.layers.matmul import rows_by_rows
from cpt_model.quantisers import SBM
from host.compiler.layer import Conv, LayerError, Pass
from host.compiler.precision import Output, Precision, result_bits, rounded, safe_shift
from host.compiler.results import Results
from host.driver.execute import run_pass
from host.driver.quantised_pass import run_quantised
from sim.contract import Format, code_range
from sim.reference import Reference
from sim.reference.epilogue import shift_half_even
from tests.cpt_model.layer_tools import kernels, patterns, pytorch_alone, trained_step, watched
from tests.tools import ZC706, layers

RUN = {Pass.FORWARD: passes.forward, Pass.INPUT_ERROR: passes.input_error}
FORMATS = (torch.contiguous_format, torch.channels_last)
ONE = torch.ones(1, 1, 1, 1)


def ours(layer: Conv, which: Pass, a: Quantised, b: Weights) -> Tensor:
    """By kernels on bytes and in float32, by PyTorch alone and watched, in both memory formats: all the same."""
    found = []
    for memory_format in FORMATS:
        operand = replace(a, codes=a.codes.contiguous(memory_format=memory_format), known_sums=None)
        for arithmetic in (kernels(on_bytes=True), kernels(on_bytes=False), pytorch_alone()):
            with arithmetic:
                found.append(RUN[which](layer, operand, b, None, Results.ROUNDED))
        found.append(RUN[which](layer, operand, b, lambda *seen: seen[-1], Results.ROUNDED))
    for other in found[1:]:
        assert np.array_equal(patterns(found[0]), patterns(other))
    return found[0]


@settings(max_examples=80)
@given(
    layers(),
    st.sampled_from(list(RUN)),
    st.tuples(st.integers(1, 16), st.integers(1, 16)),
    st.integers(0, 2**64 - 1),
)
def test_any_layer_at_any_precision_gives_the_drivers_values(
    layer: Conv, which: Pass, bits: tuple[int, int], seed: int
) -> None:
    rng = np.random.default_rng(seed % 997)
    a, b = ((rng.normal(size=shape) + rng.normal()).astype(np.float32) for shape in layer.operand_shapes(which))
    operand = quantise(torch.from_numpy(a), bits[0], False)
    if which is Pass.INPUT_ERROR:
        error = SBM().error(torch.from_numpy(a), bits[1], seed)
        operand = replace(error, codes=error.codes.contiguous())
    output = output_of(layer, which, operand, quantise(torch.from_numpy(b), bits[0], True), Results.ROUNDED)
    theirs = run_quantised(Reference(ZC706), layer, which, a, b, Bits(*bits), seed, output)
    values = ours(layer, which, operand, SBM().pass_weights(torch.from_numpy(b), bits[0], which, layer.groups))
    assert np.array_equal(values.numpy(), theirs.values)


@pytest.mark.parametrize(
    "layer",
    [
        Conv(1, 16, 3, 4, 5, (3, 3), (1, 1), (1, 1)),
        Conv(2, 12, 8, 5, 4, (3, 2), (2, 1), (1, 0), groups=4),
        Conv.linear(3, 37, 5),
    ],
    ids=["3x3", "groups", "linear"],
)
@pytest.mark.parametrize("bits", range(1, 17))
@pytest.mark.parametrize("which", RUN)
def test_the_greatest_sums_of_a_width_do_not_saturate(layer: Conv, which: Pass, bits: int) -> None:
    """Every code at an end of its range: the shift is the least that holds them, and the reference rounds the same."""
    signed = which is Pass.INPUT_ERROR
    precision = Precision(8 if signed else bits, bits, signed, b_signed=True)
    output = rounded(layer, which, precision)
    most = (1 << output.bits - 1) - 1
    a_shape, b_shape = layer.operand_shapes(which)
    for a_end in (0, 1):
        for b_end in (0, 1):
            a = np.full(a_shape, code_range(precision.a_bits, signed)[a_end])
            b = np.full(b_shape, code_range(bits, True)[b_end])
            codes = run_pass(Reference(ZC706), layer, which, precision, a, b, output).result
            sums = run_pass(Reference(ZC706), layer, which, precision, a, b).result.astype(np.int64)
            assert np.abs(sums).max() <= most << output.shift
            assert np.array_equal(codes, shift_half_even(sums, output.shift))
            left = Quantised(torch.from_numpy(a).float(), ONE, 0 * ONE, precision.a_bits, signed)
            right = Quantised(torch.from_numpy(b).float(), ONE, 0 * ONE, bits, True)
            values = ours(layer, which, left, Weights.of(right, which, layer.groups))
            assert np.array_equal(values.numpy(), codes * 2.0**output.shift)
    terms = (layer.out_channels if signed else layer.in_channels) // layer.groups * layer.kernel[0] * layer.kernel[1]
    largest = terms * max(map(abs, code_range(precision.a_bits, signed))) * (1 << bits - 1)
    assert output.shift == 0 or largest > most << output.shift - 1
    assert output.shift > 0 or largest > most >> 1


@pytest.mark.parametrize("shift", [1, 2, 5, 9])
def test_ties_go_to_even_and_nothing_is_minus_zero(shift: int) -> None:
    """All sums that 16 bits and the shift hold, or 2^24, half steps among them, by PyTorch and by the C++ finish."""
    most = min(1 << 24, ((1 << 15) - 1) << shift)
    sums = torch.arange(-most, most + 1, max(1, most >> 16), dtype=torch.float64)
    sums = torch.cat([sums, torch.arange(-(3 << shift), 3 << shift)])
    sums = sums[: len(sums) // 2 * 2].reshape(1, 2, -1, 1)
    output = Output(Format.INT16, bits=16, shift=shift)
    expected = shift_half_even(sums.numpy().astype(np.int64), shift)
    codes = stored(sums, output)
    assert np.array_equal(codes.numpy(), expected)
    assert not torch.signbit(codes[codes == 0]).any()
    count = sums.shape[2]
    geometry = (1, 1, 0, count, count, 1, 1, 0, 1, 1)
    for memory_format in FORMATS:
        acc = sums.float().contiguous(memory_format=memory_format)
        pixels, taps = torch.zeros(1, 1, count, 1), torch.zeros(1, 1, 2)
        channel = torch.ones(2), torch.zeros(2)
        terms = native.Finishing(geometry, False, pixels, 1, taps, (1.0, 0.0), channel, 0, shift)
        values = native.finish_(acc.clone(memory_format=torch.preserve_format), terms)
        assert np.array_equal(patterns(values), patterns(meant(codes, output).float()))


def test_codes_counted_from_another_zero_are_rounded_as_the_contracts() -> None:
    """Sums of codes minus `zero` would round elsewhere, and those of lifted codes."""
    layer = Conv(2, 5, 16, 6, 6, (3, 3), (1, 1), (1, 1))
    generator = torch.Generator().manual_seed(0)
    error = torch.randn(layer.output_shape, generator=generator)
    weights = SBM().pass_weights(torch.randn(layer.weight_shape, generator=generator), 3, Pass.INPUT_ERROR, 1)
    plain = quantise(error, 8, signed=True)
    results = [
        ours(layer, Pass.INPUT_ERROR, replace(plain, codes=plain.codes - zero, zero=zero, known_sums=None), weights)
        for zero in (0, -7, 61)
    ]
    assert output_of(layer, Pass.INPUT_ERROR, plain, weights.quantised, Results.ROUNDED).shift > 0
    for other in results[1:]:
        assert np.array_equal(patterns(results[0]), patterns(other))


@pytest.mark.parametrize("memory_format", FORMATS)
@pytest.mark.parametrize("quantiser", ["sbm", "dorefa", "wageubn"])
@pytest.mark.parametrize("bits", [Bits(2, 2), Bits(3, 8), Bits(8, 8), Bits(16, 16)])
def test_a_whole_step_is_the_same_in_cpp_and_equals_the_reference(
    bits: Bits, quantiser: str, memory_format: torch.memory_format
) -> None:
    x = torch.randn(2, 6, 7, 6, generator=torch.Generator().manual_seed(0)).contiguous(memory_format=memory_format)
    steps = []
    ways: dict[str, AbstractContextManager[None]] = {
        "bytes": kernels(on_bytes=True),
        "float32": kernels(on_bytes=False),
        "PyTorch": pytorch_alone(),
        "watched": nullcontext(),
    }
    for how, arithmetic in ways.items():
        torch.manual_seed(0)
        model = nn.Sequential(nn.Conv2d(6, 18, 3, 1, 1), nn.ReLU(), nn.Conv2d(18, 6, (2, 1), 2, groups=3))
        prepare_(model, Config(quantiser, bits=bits, results="rounded"))
        recorder = watched(model) if how == "watched" else None
        with arithmetic:
            parts = trained_step(model, x)
        if recorder is not None:
            recorder.check(*Pass)
            assert all((each.output.bits == 0) == (each.which is Pass.WEIGHT_GRADIENT) for each in recorder.products)
        gradients = [each.grad for each in model.parameters() if each.grad is not None]
        steps.append([patterns(each) for each in (*parts, *gradients)])
    for other in steps[1:]:
        assert all(np.array_equal(one, another) for one, another in zip(steps[0], other, strict=True))


@pytest.mark.parametrize("on_bytes", [True, False])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("which", RUN)
def test_both_products_of_our_own_are_asked_to_round(which: Pass, stride: int, on_bytes: bool) -> None:
    """All but strided input errors in float32, which PyTorch multiplies."""
    layer = Conv(2, 16, 18, 8, 8, (3, 3), (stride, stride), (1, 1))
    a, w = (torch.randn(shape, generator=torch.Generator().manual_seed(0)) for shape in layer.operand_shapes(which))
    a = a.contiguous(memory_format=torch.channels_last)
    operand = quantise(a, 8, False) if which is Pass.FORWARD else SBM().error(a, 8, seed=1)
    weights = SBM().pass_weights(w, 8, which, 1)
    with kernels(on_bytes), patch.object(native, "product", wraps=native.product) as product:
        RUN[which](layer, operand, weights, None, Results.ROUNDED)
    ours = stride == 1 or which is Pass.FORWARD or (on_bytes and native.has_bytes())
    assert product.called is ours
    if ours:
        _, _, finishing, lift = product.call_args.args
        assert finishing.shift == output_of(layer, which, operand, weights.quantised, Results.ROUNDED).shift > 0
        assert (lift is not None) == (on_bytes and native.has_bytes())


@pytest.mark.parametrize("width", [3, 8])
def test_recurrent_and_attention_products_are_rounded_too(width: int) -> None:
    torch.manual_seed(0)
    x = torch.randn(3, 2, 16)
    lstm, attention = nn.LSTM(16, 8), nn.MultiheadAttention(16, 2)
    for layer in (lstm, attention):
        prepare_(layer, Config(policy="none", bits=Bits(width, 8), results="rounded"))
        recorder = watched(layer)
        rows = x.clone().requires_grad_()
        y, _ = lstm(rows) if layer is lstm else attention(rows, rows, rows)
        y.square().mean().backward()
        recorder.check(*Pass)
        assert all((each.output.bits == 0) == (each.which is Pass.WEIGHT_GRADIENT) for each in recorder.products)
        assert max(each.output.shift for each in recorder.products) > 0


def test_errors_of_activations_times_activations_are_as_wide_as_input_errors() -> None:
    error, x = (quantise(torch.randn(2, 5, 64), bits, signed=True) for bits in (8, 3))
    widths = []

    def watch(layer: Conv, which: Pass, a: Quantised, b: Quantised, output: Output, results: Tensor) -> Tensor:
        widths.append(output.bits)
        assert output.shift == safe_shift(layer, which, Precision(a.bits, b.bits, a.signed, b.signed), output.bits)
        return results

    rows_by_rows(x, x, watch, Results.ROUNDED)
    rows_by_rows(error, x, watch, Results.ROUNDED, Pass.INPUT_ERROR)
    assert widths == [11, 11, 13, 13]


def test_float_steps_have_nothing_to_round() -> None:
    x = torch.randn(2, 3, 6, 6)
    for bits in (Bits(0, 0), Bits(0, 8)):
        torch.manual_seed(0)
        exact, narrow = (nn.Conv2d(3, 4, 3) for _ in range(2))
        narrow.load_state_dict(exact.state_dict())
        prepare_(exact, Config(bits=bits, results="exact"))
        prepare_(narrow, Config(bits=bits, results="rounded"))
        for one, other in zip(trained_step(exact, x), trained_step(narrow, x), strict=True):
            assert torch.equal(one, other)


@pytest.mark.parametrize(
    ("which", "layer", "expected"),
    [
        (Pass.FORWARD, Conv(1, 16, 5, 8, 8, (3, 3)), {1: 9, 3: 11, 7: 15, 8: 16, 16: 16}),
        (Pass.FORWARD, Conv(1, 32, 5, 8, 8, (3, 3)), {3: 11, 7: 15, 8: 16}),
        (Pass.FORWARD, Conv.linear(1, 289, 5), {3: 12}),
        (Pass.FORWARD, Conv.linear(1, 576, 5), {3: 12}),
        (Pass.FORWARD, Conv.linear(1, 577, 5), {3: 13}),
        (Pass.FORWARD, Conv(1, 512, 5, 8, 8, (3, 3)), {3: 15, 4: 16}),
        (Pass.INPUT_ERROR, Conv(1, 5, 16, 8, 8, (3, 3)), {3: 13, 5: 15, 6: 16, 8: 16}),
        (Pass.INPUT_ERROR, Conv(1, 5, 64, 8, 8, (3, 3)), {3: 14, 5: 16}),
        (Pass.FORWARD, Conv(1, 16, 16, 8, 8, (3, 3), groups=16), {3: 9, 8: 16}),  # 9 · 7 · 4 is below 2^8
    ],
)
def test_one_rule_of_widths(which: Pass, layer: Conv, expected: dict[int, int]) -> None:
    """Up to 32 channels of 3 × 3 have 8 bits more than the operands, errors 10; twice the terms one more."""
    for width, bits in expected.items():
        signed = which is Pass.INPUT_ERROR
        precision = Precision(8 if signed else width, width, signed, b_signed=True)
        assert result_bits(layer, which, precision) == bits
        assert rounded(layer, which, precision).bits == bits


def noise_of_rounding(channels: int, bits: int, which: Pass) -> float:
    """Beside that of the operands' codes, 8 bits for errors, which have tails as in training."""
    layer = Conv(2, channels, channels, 8, 8, (3, 3), (1, 1), (1, 1))
    generator = torch.Generator().manual_seed(channels)
    x, tails, normal = (torch.randn(layer.input_shape, generator=generator) for _ in range(3))
    w = torch.randn(layer.weight_shape, generator=generator)
    values = x.relu() if which is Pass.FORWARD else normal * tails.exp()
    a = quantise(values, bits, signed=False) if which is Pass.FORWARD else SBM().error(values, 8, seed=1)
    weights = SBM().pass_weights(w, bits, which, 1)
    exact = RUN[which](layer, a, weights, None, Results.EXACT)
    of_operands = (exact - torch_pass(layer, which, values, w)).std()
    return ((RUN[which](layer, a, weights, None, Results.ROUNDED) - exact).std() / of_operands).item()


@pytest.mark.parametrize("which", RUN)
@pytest.mark.parametrize("channels", [16, 64, 256])
def test_rounding_is_small_beside_that_of_the_operands(channels: int, which: Pass) -> None:
    assert noise_of_rounding(channels, 3, which) < 0.6


@pytest.mark.parametrize("which", RUN)
def test_where_16_bits_are_too_few(which: Pass) -> None:
    assert noise_of_rounding(512, 8, which) > 1


def test_what_cannot_be_is_refused() -> None:
    layer, precision = Conv.linear(1, 2, 3), Precision(3, 3)
    for wrong in (Results.INT16, "int16", "narrow"):
        with pytest.raises(ValueError, match=f"^training cannot store results '{wrong}'; there are: rounded, exact$"):
            trained_results(wrong)
    with pytest.raises(LayerError, match="weight gradients are stored exactly: they are not rounded"):
        rounded(layer, Pass.WEIGHT_GRADIENT, precision)
    for bits in (0, 1, 17):
        with pytest.raises(LayerError, match=f"signed results of {bits} bits: 2..16 are supported"):
            safe_shift(layer, Pass.FORWARD, precision, bits)
