"""Subclasses compute on codes where they compute their base class's product, and are named where they do not."""

from __future__ import annotations

import copy
import pickle
import sys
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import parametrizations

from cpt_model import Bits, Config, prepare_, unprepare
from cpt_model.coverage_report import coverage
from cpt_model.layers import QuantConv2d, QuantLayer, form_of
from tests.cpt_model.layer_tools import trained_step

CONFIG = Config(policy="none", bits=Bits(4, 6))


class Standardised(nn.Conv2d):
    """As timm's StdConv2d: the weights are normalised in each forward pass."""

    def forward(self, x: Tensor) -> Tensor:
        weight = functional.batch_norm(
            self.weight.reshape(1, self.out_channels, -1), None, None, training=True, momentum=0.0, eps=1e-6
        ).reshape_as(self.weight)
        return functional.conv2d(x, weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class Scaled(nn.Linear):
    def forward(self, input: Tensor) -> Tensor:
        return 2 * functional.linear(input, weight=self.weight / 2)


class Renamed(nn.Conv2d):
    """Another name, nothing else."""


class TwoProducts(nn.Linear):
    def forward(self, input: Tensor) -> Tensor:
        return functional.linear(input, self.weight) + functional.linear(input, self.weight)


class ByHand(nn.Linear):
    def forward(self, input: Tensor) -> Tensor:
        return input @ self.weight.T


class Adapted(nn.Linear):
    """One linear, and another product besides, as low-rank adapters have it."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.linear(input, self.weight) + input @ self.weight.T


class Conv1D(nn.Module):
    """As Hugging Face's: weights are (in, out)."""

    def __init__(self, nf: int, nx: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(nx, nf) / 4)
        self.bias = nn.Parameter(torch.randn(nf))

    def forward(self, x: Tensor) -> Tensor:
        return torch.addmm(self.bias, x.view(-1, x.shape[-1]), self.weight).view(*x.shape[:-1], -1)


def in_transformers(kind: type[nn.Module], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The class as if it came from the package, where `pickle` finds it too."""
    module = ModuleType("transformers.pytorch_utils")
    module.Conv1D = kind  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "transformers.pytorch_utils", module)
    monkeypatch.setattr(kind, "__module__", module.__name__)
    return kind


IMAGES = torch.randn(3, 4, 6, 6, generator=torch.Generator().manual_seed(0))
ROWS = torch.randn(5, 4, generator=torch.Generator().manual_seed(1))


def same_step(one: nn.Module, other: nn.Module, x: Tensor) -> bool:
    return all(torch.equal(a, b) for a, b in zip(trained_step(one, x), trained_step(other, x), strict=True))


def test_weights_made_in_forward_are_quantised_as_they_are_used() -> None:
    layer = Standardised(4, 8, 3, stride=2, padding=1)
    plain = nn.Conv2d(4, 8, 3, stride=2, padding=1)
    with torch.no_grad():
        flat = layer.weight.reshape(8, -1)
        made = (flat - flat.mean(1, keepdim=True)) / (flat.var(1, keepdim=True, unbiased=False) + 1e-6).sqrt()
        plain.weight.copy_(functional.batch_norm(flat[None], None, None, training=True, momentum=0.0, eps=1e-6)
                           .reshape_as(layer.weight))  # fmt: skip
        assert torch.allclose(plain.weight.reshape(8, -1), made, atol=1e-5)
        assert layer.bias is not None
        plain.bias.copy_(layer.bias)  # type: ignore[union-attr]
    prepare_(layer, CONFIG)
    prepare_(plain, CONFIG)
    assert torch.equal(layer(IMAGES), plain(IMAGES))
    layer(IMAGES).sum().backward()
    assert layer.weight.grad is not None
    assert torch.isfinite(layer.weight.grad).all()


def test_a_linear_that_scales_its_weights() -> None:
    """Scaling by a power of two changes no code."""
    layer, plain = Scaled(4, 3, bias=False), nn.Linear(4, 3, bias=False)
    plain.load_state_dict(layer.state_dict())
    prepare_(layer, CONFIG)
    prepare_(plain, CONFIG)
    assert same_step(layer, plain, ROWS)


@pytest.mark.parametrize("norm", [parametrizations.weight_norm, parametrizations.spectral_norm])
def test_parametrised_weights_are_those_that_are_quantised(norm: type) -> None:
    torch.manual_seed(0)
    layer = norm(nn.Conv2d(4, 8, 3)).eval()  # spectral norms iterate while training
    plain = nn.Conv2d(4, 8, 3).eval()
    with torch.no_grad():
        plain.weight.copy_(layer.weight)
        plain.bias.copy_(layer.bias)  # type: ignore[union-attr]
    prepare_(layer, CONFIG)
    prepare_(plain, CONFIG)
    assert torch.equal(layer(IMAGES), plain(IMAGES))
    layer(IMAGES).sum().backward()
    assert all(each.grad is not None for each in layer.parametrizations.parameters())
    assert type(unprepare(layer)).__name__ == "ParametrizedConv2d"


def test_conv1d_is_a_linear_with_transposed_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    layer, plain = in_transformers(Conv1D, monkeypatch)(3, 4), nn.Linear(4, 3)
    with torch.no_grad():
        plain.weight.copy_(layer.weight.T)
        plain.bias.copy_(layer.bias)
    prepare_(layer, CONFIG)
    prepare_(plain, CONFIG)
    ours, theirs = (trained_step(each, ROWS) for each in (layer, plain))
    assert torch.equal(ours[0], theirs[0])
    assert torch.equal(ours[1], theirs[1])
    assert plain.weight.grad is not None
    assert torch.equal(layer.weight.grad.T, plain.weight.grad)


def test_a_conv1d_of_no_package_we_know_is_not_one() -> None:
    with pytest.raises(ValueError, match="no layer to quantise"):
        prepare_(Conv1D(3, 4), CONFIG)


@pytest.mark.parametrize("kind", [Renamed, Standardised])
@pytest.mark.parametrize("way", [copy.deepcopy, lambda layer: pickle.loads(pickle.dumps(layer))])
def test_a_converted_subclass_is_copied_and_saved(kind: type[nn.Conv2d], way: type) -> None:
    layer = prepare_(kind(4, 2, 1), CONFIG)
    assert type(layer).__name__ == f"Quant{kind.__name__}"
    assert isinstance(layer, QuantLayer)
    other = way(layer)
    assert type(other) is type(layer)
    assert same_step(layer, other, IMAGES)
    assert type(unprepare(other)) is kind


def test_a_subclass_without_code_of_its_own_is_its_base() -> None:
    form = form_of(Renamed(1, 1, 1))
    assert isinstance(form, type)
    assert issubclass(form, QuantConv2d)


@pytest.mark.parametrize(
    ("layer", "why"),
    [
        (TwoProducts(4, 4), "TwoProducts: its own forward does not compute just one product"),
        (ByHand(4, 4), "ByHand: its own forward does not compute just one product"),
        (Adapted(4, 4), "Adapted: its own forward does not compute just one product"),
        (nn.Conv1d(4, 4, 3), "Conv1d layers are not quantised"),
        (nn.Conv3d(4, 4, 3), "Conv3d layers are not quantised"),
        (nn.ConvTranspose2d(4, 4, 3), "ConvTranspose2d layers are not quantised"),
        (nn.GRU(4, 4), "GRU layers are not quantised"),
        (nn.LSTMCell(4, 4), "LSTMCell layers are not quantised"),
        (nn.Bilinear(4, 4, 4), "Bilinear layers are not quantised"),
    ],
)
def test_what_computes_something_else_is_named(layer: nn.Module, why: str) -> None:
    model = nn.ModuleList([layer, nn.Linear(90, 90)])
    prepare_(model, CONFIG)
    assert type(model[0]) is type(layer)
    (odd,) = (part for part in coverage(model).parts if part.why_float)
    assert odd.why_float is not None
    assert (odd.name, odd.kind) == ("0", type(layer).__name__)
    assert odd.why_float.startswith(why)


def test_a_forward_that_shapes_cannot_run_is_named() -> None:
    class Odd(nn.Linear):
        def forward(self, input: Tensor) -> Tensor:
            if bool((input > 0).any()):
                return functional.linear(input, self.weight)
            return input

    assert "cannot be tried on shapes" in str(form_of(Odd(4, 4)))
