"""The baseline is what it says: rounded values, straight-through gradients, errors rounded without bias."""

from __future__ import annotations

import torch
from torch import nn

from cpt_model.benchmarks.fake_quantised import FakeConv2d, fake, fake_quantise_, set_fake_bits, value_range
from host.compiler.bits import Bits


def test_values_lie_on_the_grid_of_their_range() -> None:
    values = torch.linspace(-1.0, 2.0, 31).reshape(1, 1, 31, 1)
    rounded = fake(values, 2, value_range(values, 4))
    assert torch.allclose(rounded.unique(), torch.tensor([-1.0, 0.0, 1.0, 2.0]))
    assert (rounded - values).abs().max() <= 0.5 + 1e-6


def test_weights_have_a_range_for_each_output_channel() -> None:
    weights = torch.stack([torch.tensor([-1.0, 1.0]), torch.tensor([-8.0, 8.0])]).reshape(2, 2, 1, 1)
    assert torch.equal(fake(weights, 1, value_range(weights, 3)), weights)


def test_noise_rounds_without_bias() -> None:
    torch.manual_seed(0)
    values = torch.full((1, 1, 100, 100), 0.3)
    values[..., 0, 0], values[..., 0, 1] = 0.0, 1.0
    assert abs(fake(values, 1, value_range(values, 4), noise=True).mean() - 0.3) < 0.02


def test_layers_of_wide_codes_are_nearly_float_and_of_narrow_ones_not() -> None:
    torch.manual_seed(0)
    plain = nn.Conv2d(3, 4, 3, padding=1)
    model = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1))
    model[0].load_state_dict(plain.state_dict())
    fake_quantise_(model)
    x = torch.randn(2, 3, 6, 6)
    set_fake_bits(model, Bits(16, 16))
    assert torch.allclose(model(x), plain(x), atol=1e-3)
    set_fake_bits(model, Bits(2, 2))
    assert not torch.allclose(model(x), plain(x), atol=1e-1)


def test_evaluation_uses_the_running_range() -> None:
    model = fake_quantise_(nn.Sequential(nn.Conv2d(1, 1, 1)))
    layer = model[0]  # type: ignore[index]
    assert isinstance(layer, FakeConv2d)
    model(torch.tensor([0.0, 10.0]).reshape(1, 1, 1, 2))
    assert layer.running is not None
    assert layer.running[1].item() == torch.tensor(1.0).item()  # a tenth of the way from 0, as the authors have it
    model.eval()
    before = layer.running
    model(torch.tensor([0.0, 50.0]).reshape(1, 1, 1, 2))
    assert layer.running is before
