"""Accumulators are exact where float32 alone is wrong: the bound is proven, sums are split, or float64 takes over."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from cpt_model.arithmetic import exact
from cpt_model.arithmetic.affine import Quantised
from cpt_model.arithmetic.integer import integer_pass
from host.compiler.layer import Conv, Pass
from host.compiler.precision import Precision
from host.driver.execute import run_pass
from sim.reference import Reference
from tests.tools import ROOT, ZC706, draw_codes, layers, least_and_greatest

ONE = torch.ones(1, 1, 1, 1)


def quantised(codes: Tensor, bits: int, signed: bool, zero: int = 0) -> Quantised:
    return Quantised(codes.float() - zero, ONE, 0 * ONE, bits, signed, zero)


def accumulators(layer: Conv, which: Pass, a: Quantised, b: Quantised) -> Tensor:
    """Of stored codes, as the passes ask for them."""
    if which is Pass.WEIGHT_GRADIENT:
        return exact.weight_gradient(layer, a, b)
    return exact.convolve(layer, which, a, b, exact.greatest_weight_sum(which, b.codes, layer.groups))


def check(layer: Conv, which: Pass, a: Quantised, b: Quantised) -> None:
    expected = integer_pass(layer, which, a.codes.numpy(), b.codes.numpy())
    assert np.array_equal(accumulators(layer, which, a, b).double().numpy(), expected)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[torch.dtype]:
    """The type of every convolution that was run."""
    seen: list[torch.dtype] = []
    for name in ("_run", "_gradient"):
        original = getattr(exact, name)

        def watch(layer: Conv, *operands: Any, original: Any = original) -> Tensor:
            seen.append(operands[-1].dtype)
            return original(layer, *operands)

        monkeypatch.setattr(exact, name, watch)
    return seen


@given(layers(), st.sampled_from(list(Pass)), st.integers(1, 16), st.integers(1, 16), st.integers(0, 99), st.booleans())
def test_any_codes_of_any_width(layer: Conv, which: Pass, a_bits: int, b_bits: int, seed: int, corner: bool) -> None:
    """Corner: codes at the ends of their ranges only."""
    a_signed, b_signed = which is Pass.INPUT_ERROR, True
    shapes = layer.operand_shapes(which)
    codes = []
    for shape, bits, signed in zip(shapes, (a_bits, b_bits), (a_signed, b_signed), strict=True):
        drawn = draw_codes(seed, shape, bits, signed)
        low, high = least_and_greatest(bits, signed)
        codes.append(torch.from_numpy(np.where(drawn > (low + high) / 2, high, low) if corner else drawn))
    a, b = quantised(codes[0], a_bits, a_signed), quantised(codes[1], b_bits, b_signed)
    check(layer, which, a, b)


CORNER_LAYERS = {
    "convolution": Conv(2, 5, 7, 6, 9, (3, 2), (2, 1), (1, 1)),
    "long sums": Conv(3, 67, 35, 5, 5, (3, 3), padding=(1, 1)),
    "groups": Conv(2, 6, 9, 5, 4, (2, 3), groups=3),
    "depthwise": Conv(2, 33, 33, 7, 5, (3, 3), (2, 2), (1, 1), groups=33),
    "linear": Conv.linear(3, 301, 11),
    "one of everything": Conv.linear(1, 1, 1),
}


@pytest.mark.parametrize("bits", [(1, 1), (8, 8), (16, 16), (3, 11)])
@pytest.mark.parametrize("ends", ["least", "greatest", "least by greatest", "greatest by least", "alternating"])
@pytest.mark.parametrize("which", list(Pass))
@pytest.mark.parametrize("kind", CORNER_LAYERS)
def test_corner_codes_on_the_reference(kind: str, which: Pass, ends: str, bits: tuple[int, int]) -> None:
    """Least and greatest codes only, of one sign or in turns, through the driver and the NumPy model."""
    layer = CORNER_LAYERS[kind]
    signs = which is Pass.INPUT_ERROR, True
    operands = []
    for index, (shape, width, signed) in enumerate(zip(layer.operand_shapes(which), bits, signs, strict=True)):
        low, high = least_and_greatest(width, signed)
        words = ends.split(" by ")
        if ends == "alternating":
            codes = np.where(np.arange(np.prod(shape)) % 2, low, high).reshape(shape)
        else:
            codes = np.full(shape, low if words[index % len(words)] == "least" else high)
        operands.append(codes.astype(np.int64))
    a, b = (
        quantised(torch.from_numpy(codes), width, signed)
        for codes, width, signed in zip(operands, bits, signs, strict=True)
    )
    theirs = run_pass(Reference(ZC706), layer, which, Precision(*bits, *signs), operands[0], operands[1]).result
    assert np.array_equal(accumulators(layer, which, a, b).double().numpy(), theirs)


@pytest.mark.parametrize("which", list(Pass))
def test_codes_for_which_plain_float32_is_wrong(which: Pass) -> None:
    """All-greatest codes of 14 bits: sums of odd numbers beyond 2^24."""
    layer = Conv(6, 33, 35, 5, 5, (3, 3), padding=(1, 1))
    signed = which is Pass.INPUT_ERROR
    a_shape, b_shape = layer.operand_shapes(which)
    a = quantised(torch.full(a_shape, least_and_greatest(14, signed)[1]), 14, signed)
    b = quantised(torch.full(b_shape, least_and_greatest(13, True)[1]), 13, True)
    b.codes.view(-1)[::2] -= 1
    expected = integer_pass(layer, which, a.codes.numpy(), b.codes.numpy())
    plain = exact._gradient(layer, a.codes, b.codes) if which is Pass.WEIGHT_GRADIENT else None
    plain = exact._run(layer, which, a.codes, b.codes) if plain is None else plain
    assert not np.array_equal(plain.double().numpy(), expected)
    check(layer, which, a, b)


@pytest.mark.parametrize("which", [Pass.FORWARD, Pass.INPUT_ERROR])
@pytest.mark.parametrize(
    ("channels", "bits", "expected"),
    [
        pytest.param(64, 8, [torch.float32], id="fits"),
        pytest.param(600, 8, [torch.float32] * 2, id="two parts"),
        pytest.param(2000, 8, [torch.float32] * 4, id="four parts"),
        pytest.param(1024, 10, [torch.float64], id="too many parts"),
        pytest.param(1, 16, [torch.float64], id="one channel cannot be split"),
    ],
)
def test_sums_are_split_as_far_as_it_helps(
    runs: list[torch.dtype], which: Pass, channels: int, bits: int, expected: list[torch.dtype]
) -> None:
    forward = which is Pass.FORWARD
    ends = (channels, 3) if forward else (3, channels)
    layer = Conv(2, *ends, 2, 2)
    a = quantised(torch.full(layer.operand_shapes(which)[0], 2**bits - 1), bits, signed=False)
    b = quantised(torch.full(layer.weight_shape, -(2 ** (bits - 1))), bits, signed=True)
    check(layer, which, a, b)
    assert runs == expected


def test_a_part_that_does_not_fit_is_run_in_float64(runs: list[torch.dtype]) -> None:
    """Nearly all of the weights sits in one half of the channels."""
    layer = Conv(1, 1040, 1, 1, 1)
    weights = torch.zeros(layer.weight_shape)
    weights[0, :528] = -128
    check(layer, Pass.FORWARD, quantised(torch.full(layer.input_shape, 255), 8, False), quantised(weights, 8, True))
    assert runs == [torch.float64, torch.float32]


def test_layers_with_groups_are_not_split(runs: list[torch.dtype]) -> None:
    layer = Conv(1, 8, 8, 3, 3, (3, 3), groups=4)
    x = quantised(torch.full(layer.input_shape, 65535), 16, False)
    check(layer, Pass.FORWARD, x, quantised(torch.full(layer.weight_shape, 32767), 16, True))
    assert runs == [torch.float64]


@pytest.mark.parametrize(
    ("images", "code", "expected"),
    [
        (16, 100, [torch.float32]),
        (16, 145, [torch.float32] * 2),
        (16, 255, [torch.float32] * 4),
        (16, 511, [torch.float32] * 16),
        (16, 1023, [torch.float64]),
        (1, 1023, [torch.float64]),
    ],
)
def test_the_batch_of_a_weight_gradient_is_split(
    runs: list[torch.dtype], images: int, code: int, expected: list[torch.dtype]
) -> None:
    layer = Conv(images, 1, 1, 8, 8)
    check(layer, Pass.WEIGHT_GRADIENT, *(quantised(torch.full(layer.input_shape, code), 11, True) for _ in range(2)))
    assert runs == expected


@pytest.mark.parametrize(("signs", "expected"), [((1, 1), 2), ((1, -1), 1), ((-1, -1), 2)])
def test_terms_of_opposite_signs_are_bounded_apart(
    runs: list[torch.dtype], signs: tuple[int, int], expected: int
) -> None:
    """Half of the products are positive, half negative: no partial sum holds more than one of the halves."""
    layer = Conv(16, 1, 1, 8, 8)
    codes = torch.full(layer.input_shape, 145.0)
    codes[..., ::2] *= signs[0]
    codes[..., 1::2] *= signs[1]
    check(layer, Pass.WEIGHT_GRADIENT, quantised(codes.abs(), 11, True), quantised(codes, 11, True))
    check(layer, Pass.WEIGHT_GRADIENT, quantised(codes, 11, True), quantised(codes.abs(), 11, True))
    assert len(runs) == 2 * expected


@pytest.mark.parametrize(("last", "kind"), [(259, torch.float32), (260, torch.float64)])
def test_the_bound_is_met_exactly(runs: list[torch.dtype], last: int, kind: torch.dtype) -> None:
    """255 · (32767 + 32767 + 259) = 2^24 − 1; one more in the weights does not fit, and one channel is not split."""
    layer = Conv(1, 1, 1, 1, 3, (1, 3))
    x = quantised(torch.full(layer.input_shape, 255), 8, False)
    weights = quantised(torch.tensor([32767, 32767, last]).reshape(layer.weight_shape), 16, True)
    check(layer, Pass.FORWARD, x, weights)
    assert runs == [kind]


def test_the_bound_covers_the_contracts_own_codes(runs: list[torch.dtype]) -> None:
    """Stored codes are small, but the zero they are stored from makes the contract's sums large."""
    layer = Conv.linear(1, 2, 400)
    weights = quantised(torch.full(layer.weight_shape, 127), 8, True)
    error = quantised(torch.full(layer.output_shape, 120), 8, True, zero=127)
    assert error.codes.abs().max() == 7
    check(layer, Pass.INPUT_ERROR, error, weights)
    assert len(runs) == 2


def test_float32_rounding_of_the_norms_is_allowed_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 2371² threes, float32 sums of squares may lose 3 %; the bound must still see that 3 · 2371² is beyond 2^24."""
    monkeypatch.setattr(exact, "LEAST_TILE", exact.EXACT_FLOAT32)  # PyTorch's convolutions
    layer = Conv(1, 1, 1, 2371, 2371)
    x, error = (quantised(torch.full(layer.input_shape, code), 3, True) for code in (3, 1))
    total = 3 * 2371**2
    assert total > 2**24
    assert total % 2  # so float32 has no such number
    lossy = x.norms * 0.97**0.5
    assert (lossy * error.norms).sum() < 2**24
    x.__dict__["norms"] = lossy  # where a cached property is kept
    assert exact.weight_gradient(layer, x, error).item() == total


def test_strided_1x1_gradients_keep_to_their_memory() -> None:
    """PyTorch 2.13 does not, in channels-last order with few channels; the C library notices and ends the process."""
    script = """
import torch
from cpt_model import prepare_
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 9, 1, stride=2), torch.nn.Flatten(), torch.nn.Linear(81, 2))
prepare_(model.to(memory_format=torch.channels_last))
x = torch.randn(33, 3, 6, 6).to(memory_format=torch.channels_last)
for _ in range(30):
    model(x).sum().backward()
"""
    environment = {**os.environ, "MALLOC_CHECK_": "3"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, cwd=ROOT, timeout=300, check=False)
    assert done.returncode == 0
