"""Counts against formulas written a second time, against published numbers, and for models of every kind."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from cpt_model import get_precision, prepare_
from cpt_model.cost import count, count_network
from cpt_model.methods.range_norm import convert_range_norm_
from cpt_model.model_precision import layer_states
from cpt_model.models import build
from host.compiler.bits import Bits
from host.compiler.networks import cifar_resnet


def meta(*shape: int) -> Tensor:
    return torch.empty(*shape, device="meta")


@pytest.mark.parametrize(
    ("name", "millions"),
    [
        ("cifar10_resnet_20", 40.81),
        ("cifar100_resnet_38", 83.28),
        ("cifar100_resnet_74", 168.22),
        ("cifar100_resnet_110", 253.15),
        ("cifar100_resnet_152", 352.24),
        ("cifar10_resnet_164_bottleneck", 247.6),
        ("cifar100_mobilenet_v2", 91.27),
        ("resnet18", 1814.1),
        ("resnet34", 3663.8),
        ("resnet50", 4089.2),
    ],
)
def test_published_multiply_accumulates(name: str, millions: float) -> None:
    assert count_network(name).macs / 1e6 == pytest.approx(millions, rel=2e-4)


def test_convolutions_are_those_of_the_compiler() -> None:
    layers = {layer.name: layer for layer in count_network("cifar10_resnet_20").layers if layer.kind == "Conv2d"}
    expected = {
        f"{name}.0" if "shortcut" in name else name: layer.macs for name, layer in cifar_resnet(20, batch=1).items()
    }
    assert {name: layer.macs for name, layer in layers.items()} == expected
    assert all(layer.quantised for layer in layers.values())


def test_attention_and_adaptive_softmax_of_the_transformer() -> None:
    """512 words, 1024 wide: four projections, two products of every pair of words."""
    layers = {layer.name: layer for layer in count_network("transformer_lm").layers}
    assert layers["blocks.3.attention"].macs == 4 * 512 * 1024**2 + 2 * 512**2 * 1024
    assert layers["blocks.3.linear1"].macs == 512 * 1024 * 4096
    assert layers["output.words.2"].macs == 512 * 64 * (267_744 - 60_000)
    assert layers["blocks.3.attention"].quantised
    assert not layers["output.words.2"].quantised


def test_a_step_of_an_lstm_uses_every_weight_once() -> None:
    (lstm, decoder) = count_network("lstm_lm").layers
    assert lstm.macs == 35 * 2 * 4 * 650 * (650 + 650)
    assert (decoder.macs, decoder.quantised) == (35 * 650 * 10_000, False)


@pytest.mark.parametrize(
    ("layer", "shape", "macs"),
    [
        (nn.Conv2d(4, 6, (3, 5), (2, 1), (1, 2), groups=2), (3, 4, 7, 9), 6 * 4 * 9 * 2 * 15),
        (nn.Conv1d(4, 6, 3), (3, 4, 7), 6 * 5 * 4 * 3),
        (nn.ConvTranspose2d(4, 6, 3, 2, groups=2), (3, 4, 5, 5), 4 * 5 * 5 * 3 * 9),
        (nn.Linear(4, 6), (3, 5, 4), 5 * 4 * 6),
        (nn.GRU(4, 6, bidirectional=True, batch_first=True), (3, 5, 4), 5 * 2 * 3 * 6 * (4 + 6)),
        (nn.LSTM(4, 6, 2, bidirectional=True, batch_first=True), (3, 5, 4), 5 * 2 * 4 * 6 * (4 + 6 + 12 + 6)),
        (nn.LSTMCell(4, 6), (3, 4), 4 * 6 * (4 + 6)),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, nn.Module) else "",
)
def test_layers_one_by_one(layer: nn.Module, shape: tuple[int, ...], macs: int) -> None:
    """The same on shapes alone and with numbers."""
    assert count(layer, meta(*shape)).macs == macs
    assert count(layer, torch.zeros(*shape)).macs == macs


@pytest.mark.parametrize("training", [True, False])
def test_an_encoder_has_its_products_even_where_pytorch_would_fuse_it(training: bool) -> None:
    encoder = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True).train(training)
    expected = 7 * (4 * 16 * 16 + 2 * 7 * 16 + 2 * 16 * 32)
    assert count(encoder, meta(2, 7, 16)).macs == expected
    assert count(encoder, torch.zeros(2, 7, 16)).macs == expected


class OwnAttention(nn.Module):
    """Products that no layer computes."""

    def forward(self, x: Tensor) -> Tensor:
        scores = torch.einsum("bqd,bkd->bqk", x, x).softmax(-1)
        return functional.scaled_dot_product_attention(x, x, scores @ x)


def test_products_outside_layers_count_but_are_not_quantised() -> None:
    (layer,) = count(nn.Sequential(nn.ReLU(), OwnAttention()), meta(3, 5, 8)).layers
    assert (layer.name, layer.kind, layer.macs, layer.quantised) == ("1", "product", 4 * 5 * 5 * 8, False)


class NotToBeCopied:
    """As a device that watches the integers may be."""

    def __deepcopy__(self, known: object) -> NotToBeCopied:
        raise TypeError("cannot be copied")


def test_a_watched_model_counts() -> None:
    layer = prepare_(nn.Linear(4, 6))
    layer_states(layer)[""].watch = NotToBeCopied()  # type: ignore[assignment]
    assert count(layer, meta(2, 4)).macs == 24
    assert count(layer, torch.zeros(2, 4)).macs == 24


def test_a_layer_used_twice_counts_twice() -> None:
    shared = nn.Linear(4, 4)
    assert count(nn.Sequential(shared, nn.ReLU(), shared), meta(2, 4)).macs == 2 * 16


def test_a_prepared_model_counts_as_it_is_and_stays_as_it_is() -> None:
    model = build("cifar10_resnet_8")
    plain = count(model, meta(2, 3, 32, 32))
    convert_range_norm_(model)
    prepare_(model)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    prepared = count(model, meta(2, 3, 32, 32))
    assert [(layer.name, layer.macs, layer.norm_elements, layer.quantised) for layer in prepared.layers] == [
        (layer.name, layer.macs, layer.norm_elements, layer.quantised) for layer in plain.layers
    ]
    assert get_precision(model) == Bits(8, 8)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert not any(module._forward_hooks for module in model.modules())


def test_layers_left_float_follow_the_policy_or_what_was_prepared() -> None:
    def floats(model: nn.Module, policy: str) -> list[str]:
        layers = count(model, meta(2, 3, 64, 64), policy=policy).layers
        return [layer.name for layer in layers if layer.macs and not layer.quantised]

    model = build("resnet18")
    shortcuts = [f"layer{stage}.0.downsample.0" for stage in (2, 3, 4)]
    assert floats(model, "cifar") == ["fc"]
    assert floats(model, "imagenet") == ["conv1", *shortcuts, "fc"]
    assert floats(model, "none") == []
    prepare_(model, filter_fn=lambda module, name: name != "layer1.0.conv1")
    assert floats(model, "none") == ["layer1.0.conv1", "fc"]


class Packs(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(4, 4, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([3, 2]), batch_first=True)
        return self.lstm(packed)[1][0]


def test_refusals() -> None:
    layer = nn.Linear(4, 6)
    with pytest.raises(ValueError, match="needs the inputs"):
        count(layer)
    with pytest.raises(ValueError, match="unknown policy 'all'; there are: cifar"):
        count(layer, meta(2, 4), policy="all")
    with pytest.raises(ValueError, match="72 for 5 samples: not a whole number"):
        count(layer, meta(3, 4), samples=5)
    with pytest.raises(ValueError, match="calls _trilinear, whose multiply-accumulates are not known"):
        count(nn.Bilinear(4, 4, 4), torch.zeros(2, 4), torch.zeros(2, 4))
    with pytest.raises(TypeError, match="packed sequences"):
        count(Packs(), torch.zeros(2, 3, 4))
