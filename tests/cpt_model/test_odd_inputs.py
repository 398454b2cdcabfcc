"""NaN, infinities, constants, empty batches, single samples: a clear error or the documented behaviour."""

from __future__ import annotations

import copy
import math

import pytest
import torch
from torch import nn

from cpt_model import Bits, Config, precision, prepare_
from cpt_model.quantisers import QUANTISERS
from tests.cpt_model.layer_tools import pytorch_alone, trained_step

LAYERS = {"conv": (lambda: nn.Conv2d(2, 3, 3, padding=1), (2, 4, 4)), "linear": (lambda: nn.Linear(4, 3), (4,))}


def made(name: str, quantiser: str = "sbm") -> tuple[nn.Module, tuple[int, ...]]:
    torch.manual_seed(0)
    make, shape = LAYERS[name]
    return prepare_(make(), Config(quantiser, bits=Bits(8, 8))), shape


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("quantiser", QUANTISERS)
@pytest.mark.parametrize("name", LAYERS)
def test_values_that_are_not_finite_are_refused(name: str, quantiser: str, native: bool, bad: float) -> None:
    layer, shape = made(name, quantiser)
    x = torch.randn(3, *shape)

    def step() -> None:
        y = layer(x)
        error = torch.ones_like(y)
        error.view(-1)[1] = bad
        with pytest.raises(ValueError, match="not finite"):
            y.backward(error)
        spoilt = x.clone()
        spoilt.view(-1)[7] = bad
        with pytest.raises(ValueError, match="not finite"):
            layer(spoilt)
        with torch.no_grad():
            layer.weight.view(-1)[2] = bad  # type: ignore[operator]
        with pytest.raises(ValueError, match="not finite"):
            layer(x)

    if native:
        step()
    else:
        with pytorch_alone():
            step()


def test_a_refused_batch_leaves_no_trace_in_the_running_range() -> None:
    layer, shape = made("conv")
    with pytest.raises(ValueError, match="not finite"):
        layer(torch.full((2, *shape), math.nan))
    assert layer.cpt.ranges["input"].is_empty  # type: ignore[union-attr, index]


@pytest.mark.parametrize("name", LAYERS)
def test_a_range_beyond_float32_is_refused(name: str) -> None:
    layer, shape = made(name)
    x = torch.zeros(2, *shape)
    x.view(-1)[0], x.view(-1)[1] = 3e38, -3e38
    with pytest.raises(ValueError, match="range is not a float32"):
        layer(x)


@pytest.mark.parametrize("value", [0.0, 1.0, 0.25])
@pytest.mark.parametrize("quantiser", QUANTISERS)
@pytest.mark.parametrize("name", LAYERS)
def test_constant_inputs_weights_and_errors(name: str, quantiser: str, value: float) -> None:
    """Zero range: the layer multiplies the constant itself (as far as the quantiser's grid has it)."""
    layer, shape = made(name, quantiser)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.fill_(value)
    x = torch.full((2, *shape), value).requires_grad_()
    y = layer(x)
    y.backward(torch.full_like(y, value))
    assert x.grad is not None
    assert all(
        each.isfinite().all() for each in (y, x.grad, *(p.grad for p in layer.parameters() if p.grad is not None))
    )
    if quantiser == "sbm":
        taps = 18 if name == "conv" else 4
        centre = y[0, 0, 1, 1] if name == "conv" else y[0, 0]
        assert centre.item() == pytest.approx(taps * value * value + value, rel=1e-5)


@pytest.mark.parametrize("name", LAYERS)
def test_an_empty_batch_gives_an_empty_result_and_no_gradient(name: str) -> None:
    layer, shape = made(name)
    y, x_error = trained_step(layer, torch.zeros(0, *shape))
    assert y.shape[0] == 0
    assert x_error.shape == (0, *shape)
    for parameter in layer.parameters():
        assert parameter.grad is not None
        assert not parameter.grad.any()
    assert all(seen.is_empty for seen in layer.cpt.ranges.values())  # type: ignore[union-attr, operator]


def test_attention_of_an_empty_batch() -> None:
    layer = prepare_(nn.MultiheadAttention(4, 2, batch_first=True))
    x = torch.zeros(0, 3, 4)
    output, weights = layer(x, x, x)
    assert output.shape == (0, 3, 4)
    assert weights.shape == (0, 3, 3)


@pytest.mark.parametrize("name", LAYERS)
def test_one_sample_without_a_batch(name: str) -> None:
    layer, shape = made(name)
    x = torch.randn(shape)
    assert torch.equal(layer(x), layer(x[None])[0])


def test_a_fully_masked_row_of_attention_is_refused_not_passed_on_as_nan() -> None:
    layer = prepare_(nn.MultiheadAttention(4, 2, batch_first=True))
    x = torch.randn(1, 3, 4)
    with pytest.raises(ValueError, match="not finite"):
        layer(x, x, x, key_padding_mask=torch.ones(1, 3, dtype=torch.bool))


DEVICE_LAYERS: dict[str, tuple[nn.Module, tuple[int, ...]]] = {
    "conv": (nn.Conv2d(2, 3, 3), (1, 2, 4, 4)),
    "linear": (nn.Linear(4, 3), (2, 4)),
    "lstm": (nn.LSTM(4, 3), (5, 2, 4)),
    "attention": (nn.MultiheadAttention(4, 2), (5, 2, 4)),
}


@pytest.mark.parametrize("bits", [Bits(8, 8), Bits(0, 0)])
@pytest.mark.parametrize("moved", ["input", "layer"])
@pytest.mark.parametrize("name", DEVICE_LAYERS)
def test_other_devices_than_the_cpu_are_refused_with_the_layers_name(name: str, moved: str, bits: Bits) -> None:
    layer, shape = DEVICE_LAYERS[name]
    model = prepare_(nn.ModuleDict({"part": copy.deepcopy(layer)}), Config(policy="none", bits=bits))
    x = torch.zeros(shape)
    if moved == "input":
        x = x.to("meta")
    else:
        model.to("meta")
    with pytest.raises(ValueError, match="layer 'part' is quantised and cannot run on 'meta', which has no values"):
        model["part"](*(x,) * (3 if name == "attention" else 1))


@pytest.mark.parametrize(("name", "unit"), [("conv", 3), ("linear", 5), ("lstm", 5)])
def test_a_wrong_number_of_features_names_the_layer_and_both_numbers(name: str, unit: int) -> None:
    layer, shape = DEVICE_LAYERS[name]
    model = prepare_(nn.ModuleDict({"part": copy.deepcopy(layer)}), Config(policy="none"))
    wrong = list(shape)
    wrong[1 if name == "conv" else -1] = unit
    with pytest.raises(ValueError, match=rf"layer 'part', \w+: {unit} features, the weights are for {unit - 1}"):
        model["part"](torch.zeros(wrong))


def test_what_cannot_be_quantised_on_the_way_back_is_named_with_its_layer() -> None:
    layer = nn.Linear(4, 3)
    model = prepare_(nn.ModuleDict({"part": layer}), Config(policy="none", gradient_bits=8))
    x = torch.randn(2, 4, requires_grad=True)
    y = layer(x)
    layer.weight.data[0, 0] = math.nan  # unnoticed by autograd
    with pytest.raises(ValueError, match=r"layer 'part', weights: .*not finite"):
        y.backward(torch.ones_like(y))
    layer.weight.data.zero_()
    with precision(model, Bits(16, 0)):
        y = layer(x)
        with pytest.raises(ValueError, match=r"layer 'part', weight gradient: .*not finite"):
            y.backward(torch.full_like(y, math.inf))
    with precision(model, Bits(0, 8)):
        y = layer(x)
        with pytest.raises(ValueError, match=r"layer 'part', error: .*not finite"):
            y.backward(torch.full_like(y, math.inf))


def test_another_type_than_float32_is_refused_with_the_layers_name() -> None:
    layer, shape = made("linear")
    with pytest.raises(TypeError, match=r"layer 'Linear', input: values must be float32, not torch\.float64"):
        layer.double()(torch.zeros(2, *shape, dtype=torch.float64))


def test_an_image_smaller_than_the_kernel_is_refused() -> None:
    layer = prepare_(nn.Conv2d(2, 3, 5))
    with pytest.raises(ValueError, match="smaller than the kernel"):
        layer(torch.randn(1, 2, 4, 4))
