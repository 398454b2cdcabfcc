"""Products of other devices: the CPU's to the bit, on fake CUDA tensors and on the meta device without a mistake."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode

from cpt_model import Bits, Config, prepare_
from cpt_model.arithmetic import any_device, passes, taps
from cpt_model.arithmetic.affine import Quantised, affine_grid, encode, noise, quantise
from cpt_model.arithmetic.any_device import as_elsewhere, full_float32
from cpt_model.arithmetic.integer import torch_pass
from cpt_model.layers.matmul import rows_by_rows
from cpt_model.quantisers import QUANTISERS
from cpt_model.quantisers.running_range import RunningRange
from host.compiler.layer import Conv, Pass

LAYERS = [
    Conv(3, 8, 12, 7, 9, (3, 3), (1, 1), (1, 1)),
    Conv(2, 8, 12, 8, 7, (3, 2), (2, 3), (2, 0)),
    Conv(2, 12, 8, 6, 6, (1, 1), (2, 2), (0, 0)),
    Conv(2, 12, 24, 6, 5, (3, 3), (2, 1), (1, 1), groups=4),
    Conv(5, 300, 40, 1, 1, (1, 1), (1, 1), (0, 0)),
]
MODELS = {
    "conv": (lambda: nn.Conv2d(6, 8, 3, 2, 1), (3, 6, 9, 9)),
    "groups": (lambda: nn.Conv2d(6, 12, 3, groups=3), (3, 6, 9, 9)),
    "linear": (lambda: nn.Linear(600, 20), (5, 4, 600)),
    "lstm": (lambda: nn.LSTM(12, 9, 2), (4, 3, 12)),
}


def codes(shape: tuple[int, ...], bits: int, signed: bool, seed: int) -> Tensor:
    low = -(1 << bits - 1) if signed else 0
    drawn = torch.randint(low, low + (1 << bits), shape, generator=torch.Generator().manual_seed(seed))
    return drawn.float()


@pytest.mark.parametrize("bits", [(2, 3), (8, 8), (12, 12), (16, 16)])
@pytest.mark.parametrize("layer", LAYERS, ids=str)
def test_sums_are_those_of_float64(layer: Conv, bits: tuple[int, int]) -> None:
    """Of all widths: one matrix product, several parts, and float64 throughout."""
    greatest = (1 << bits[0]) * (1 << bits[1] - 1)
    x, e = codes(layer.input_shape, bits[0], False, 1), codes(layer.output_shape, bits[0], False, 2)
    w, errors = codes(layer.weight_shape, bits[1], True, 3), codes(layer.output_shape, bits[1], True, 4)
    for which, a in ((Pass.FORWARD, x), (Pass.INPUT_ERROR, e)):
        found = any_device.convolve(layer, which, a, w, greatest)
        assert torch.equal(found.double(), torch_pass(layer, which, a.double(), w.double()))
    found = any_device.weight_gradient(layer, x, errors, greatest)
    assert torch.equal(found, torch_pass(layer, Pass.WEIGHT_GRADIENT, x.double(), errors.double()))


def stepped(name: str, quantiser: str, bits: Bits) -> list[Tensor]:
    torch.manual_seed(1)
    make, shape = MODELS[name]
    layer = prepare_(make(), Config(quantiser, "none", bits))
    x = torch.rand(*shape, requires_grad=True)
    y = layer(x)
    y = y[0] if isinstance(y, tuple) else y
    y.backward(torch.randn(y.shape))
    return [y.detach(), *(each.grad for each in (x, *layer.parameters()) if each.grad is not None)]


@pytest.mark.parametrize("bits", [Bits(3, 8), Bits(8, 8), Bits(13, 15)], ids=str)
@pytest.mark.parametrize("quantiser", QUANTISERS)
@pytest.mark.parametrize("name", MODELS)
def test_layers_are_those_of_the_cpu(name: str, quantiser: str, bits: Bits) -> None:
    usual = stepped(name, quantiser, bits)
    with as_elsewhere():
        found = stepped(name, quantiser, bits)
    assert len(usual) == len(found) > 2
    for one, other in zip(usual, found, strict=True):
        assert torch.equal(one, other)


def three_passes(layer: Conv, quantiser: str, bits: Bits, device: str) -> list[Tensor]:
    rule = QUANTISERS[quantiser]()
    x, w, e = (
        torch.empty(shape, device=device) for shape in (layer.input_shape, layer.weight_shape, layer.output_shape)
    )
    x_codes = rule.activation(x, bits.forward, RunningRange({"range": torch.zeros(3, device=device)}))
    e_codes = rule.error(e, bits.backward, seed=1)
    weights = [rule.pass_weights(w, bits.forward, which, layer.groups) for which in (Pass.FORWARD, Pass.INPUT_ERROR)]
    return [
        passes.forward(layer, x_codes, weights[0]),
        passes.input_error(layer, e_codes, weights[1]),
        passes.gradient(layer, x_codes, e_codes),
        rule.gradient(w, 8, seed=2),
    ]


@pytest.fixture
def no_numbers(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Tensors without values cannot be read: ranges are made up. Constants of layers must not stay in the cache."""
    answers = iter(range(1, 10_000))
    monkeypatch.setattr(any_device, "read", lambda value: float(next(answers)))
    taps.axes.cache_clear()
    yield
    taps.axes.cache_clear()


@pytest.mark.usefixtures("no_numbers")
@pytest.mark.parametrize("bits", [Bits(3, 8), Bits(16, 16)], ids=str)
@pytest.mark.parametrize("quantiser", QUANTISERS)
@pytest.mark.parametrize("layer", LAYERS, ids=str)
def test_nothing_stays_on_the_cpu(layer: Conv, quantiser: str, bits: Bits) -> None:
    """An operation on tensors of two devices fails."""
    device = "meta"
    with torch.no_grad():
        found = three_passes(layer, quantiser, bits, device)
        one = torch.empty(1, 1, 1, device=device)
        a = Quantised(torch.empty(2, 3, 700, device=device), one, one, 8, True, 3)
        b = Quantised(torch.empty(2, 5, 700, device=device), one, one, 8, False)
        found.append(rows_by_rows(a, b))
        drawn = noise(1, 10, device)
    shapes = [layer.output_shape, layer.input_shape, layer.weight_shape, layer.weight_shape, (2, 3, 5)]
    assert [tuple(each.shape) for each in found] == shapes
    assert {each.device.type for each in (*found, drawn)} == {device}
    assert {each.dtype for each in found} == {torch.float32}


@pytest.mark.usefixtures("no_numbers")
@pytest.mark.parametrize("greatest", [1 << 6, 1 << 16, 1 << 30])
@pytest.mark.parametrize("layer", LAYERS, ids=str)
def test_products_codes_and_noise_of_fake_cuda_tensors(layer: Conv, greatest: int) -> None:
    """Not whole passes: PyTorch without CUDA can neither index nor differentiate fake tensors of it."""
    shapes = layer.input_shape, layer.weight_shape, layer.output_shape
    with torch.no_grad(), FakeTensorMode():
        x, w, e = (torch.empty(shape, device="cuda") for shape in shapes)
        x = encode(x, affine_grid(0.0, any_device.read(x.max()), 8, signed=False)).codes
        e = encode(e, affine_grid(-1.0, 1.0, 8, signed=True), seed=3).codes
        w = quantise(w, 8, signed=True, per_channel=True).codes
        found = [
            any_device.convolve(layer, Pass.INPUT_ERROR, e, w, greatest),
            any_device.weight_gradient(layer, x, e, greatest),
            any_device.convolve(layer, Pass.FORWARD, x, w, greatest),
        ]
        drawn = noise(1, 10, "cuda")
    assert [tuple(each.shape) for each in found] == list(shapes)
    assert {each.device.type for each in (*found, drawn)} == {"cuda"}


def test_fake_devices_are_not_mixed() -> None:
    """What the test above relies on."""
    with FakeTensorMode(), pytest.raises(Exception, match="device"):
        torch.ones(3, device="cuda") + torch.ones(3)


def test_tensor_float_32_is_off_for_a_while() -> None:
    matmul = torch.backends.cuda.matmul
    before = matmul.fp32_precision
    try:
        matmul.fp32_precision = "tf32"
        with full_float32():
            assert matmul.fp32_precision == "ieee"
        assert matmul.fp32_precision == "tf32"
    finally:
        matmul.fp32_precision = before
