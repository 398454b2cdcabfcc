"""Autocast around a prepared model changes nothing of its quantised layers; other types are refused."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from cpt_model import Bits, Config, precision, prepare_
from tests.cpt_model.layer_tools import trained_step


def lone_layers() -> dict[str, tuple[nn.Module, torch.Tensor]]:
    torch.manual_seed(0)
    return {
        "conv": (nn.Conv2d(3, 4, 3, padding=1), torch.randn(2, 3, 5, 5)),
        "linear": (nn.Linear(6, 4), torch.randn(5, 6)),
    }


@pytest.mark.parametrize("name", ["conv", "linear"])
def test_results_are_the_same_to_the_bit(name: str) -> None:
    results = []
    for enabled in (False, True):
        layer, x = lone_layers()[name]
        prepare_(layer, Config(bits=Bits(8, 8)))
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled):
            y, x_error = trained_step(layer, x)
        assert isinstance(layer.weight, torch.Tensor)
        assert layer.weight.grad is not None
        results.append((y, x_error, layer.weight.grad))
    for without, within in zip(*results, strict=True):
        assert within.dtype == torch.float32
        assert torch.equal(without, within)


@pytest.mark.parametrize("layer", [nn.LSTM(4, 5), nn.MultiheadAttention(4, 2)], ids=["lstm", "attention"])
def test_recurrent_and_attention_products_are_the_same_too(layer: nn.Module) -> None:
    prepare_(layer, Config(bits=Bits(8, 8)))
    x = torch.randn(3, 2, 4)
    operands = (x, x, x) if isinstance(layer, nn.MultiheadAttention) else (x,)
    layer.eval()
    outside = layer(*operands)[0]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(layer(*operands)[0], outside)


@pytest.mark.parametrize("bits", [Bits(8, 8), Bits(0, 8), Bits(8, 0), Bits(0, 0)])
def test_a_network_of_mixed_layers_trains_under_autocast(bits: Bits) -> None:
    """Inputs of quantised layers come as bfloat16 from float ones, and errors go back as such."""
    torch.manual_seed(0)
    model = prepare_(
        nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 1), nn.Flatten(), nn.Linear(36, 2)),
        Config(bits=bits),
        lambda module, name: name in ("2", "4"),
    )
    with torch.autocast("cpu", dtype=torch.bfloat16):
        _, x_error = trained_step(model, torch.randn(2, 3, 5, 5))
    assert x_error.isfinite().all()
    for parameter in model.parameters():
        assert parameter.grad is not None
        assert parameter.grad.isfinite().all()


def test_models_of_other_types_are_refused_and_bits_0_take_them() -> None:
    model = prepare_(nn.Conv2d(3, 4, 3)).double()
    x = torch.randn(1, 3, 5, 5, dtype=torch.float64)
    with pytest.raises(TypeError, match=r"float32, not torch\.float64"):
        model(x)
    with precision(model, Bits(0, 0)):
        assert model(x).dtype == torch.float64
