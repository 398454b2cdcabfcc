"""Networks by name: published sizes, the authors' names, and training steps when prepared."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from cpt_model import Config, prepare_
from cpt_model.model_precision import prepared_layers
from cpt_model.models import NETWORKS, LstmLM, TransformerLM, build, entry
from cpt_model.models.imagenet_resnet import BottleneckBlock


def parameters(name: str) -> int:
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in build(name).parameters())


@pytest.mark.parametrize(
    ("name", "published"),
    [("resnet18", 11_689_512), ("resnet34", 21_797_672), ("resnet50", 25_557_032), ("cifar10_mobilenet_v2", 2_296_922)],
)
def test_parameters_are_exactly_the_published(name: str, published: int) -> None:
    assert parameters(name) == published


@pytest.mark.parametrize(
    ("name", "millions"),
    [
        ("cifar10_resnet_20", 0.27),
        ("cifar10_resnet_110", 1.73),
        ("cifar10_resnet_164_bottleneck", 1.70),
        ("transformer_lm", 247),
        ("lstm_lm", 19.8),
    ],
)
def test_parameters_agree_with_rounded_publications(name: str, millions: float) -> None:
    assert parameters(name) / 1e6 == pytest.approx(millions, rel=0.01)


@pytest.mark.parametrize("depth", [8, 20, 38, 74, 110, 152, 164])
def test_depth_counts_the_weighted_layers_on_the_main_path(depth: int) -> None:
    with torch.device("meta"):
        model = build(f"cifar100_resnet_{depth}")
    layers = [name for name, module in model.named_modules() if isinstance(module, (nn.Conv2d, nn.Linear))]
    assert len([name for name in layers if "shortcut" not in name]) == depth


def test_the_bottleneck_164_is_164_deep_too() -> None:
    with torch.device("meta"):
        model = build("cifar10_resnet_164_bottleneck")
    layers = [name for name, module in model.named_modules() if isinstance(module, (nn.Conv2d, nn.Linear))]
    assert len([name for name in layers if "downsample" not in name]) == 164


@pytest.mark.parametrize(
    "name", ["cifar10_resnet_20", "cifar100_mobilenet_v2", "resnet34", "transformer_lm", "lstm_lm"]
)
def test_a_network_takes_the_input_of_its_entry(name: str) -> None:
    known = entry(name)
    with torch.device("meta"):
        scores = build(name)(known.example(batch=2))
    assert scores.shape[0] == 2
    assert scores.shape[-1] == known.classes


def test_the_authors_names_are_there() -> None:
    depths = (38, 74, 110, 152, 164)
    names = {f"{data}_resnet_{depth}" for data in ("cifar10", "cifar100") for depth in depths}
    assert names | {"resnet18", "resnet34", "resnet50"} <= set(NETWORKS)


def test_an_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(ValueError, match=r"no network 'resnet19'.*cifar100_resnet_74.*resnet18.*lstm_lm"):
        build("resnet19")
    with pytest.raises(ValueError, match="classes = 0"):
        build("resnet18", classes=0)


@pytest.mark.parametrize(
    ("name", "size", "float_layers"),
    [
        ("cifar10_resnet_8", 8, {"fc"}),
        ("cifar100_mobilenet_v2", 8, {"fc"}),
        ("resnet18", 32, {"conv1", "layer2.0.downsample.0", "layer3.0.downsample.0", "layer4.0.downsample.0", "fc"}),
    ],
)
def test_a_prepared_image_network_trains(name: str, size: int, float_layers: set[str]) -> None:
    model = build(name, classes=5)
    prepare_(model, Config(policy=entry(name).policy))
    products = {name for name, module in model.named_modules() if isinstance(module, (nn.Conv2d, nn.Linear))}
    assert products - set(prepared_layers(model)) == float_layers
    loss = nn.functional.cross_entropy(model(torch.randn(4, 3, size, size)), torch.tensor([0, 1, 2, 3]))
    loss.backward()
    check_gradients(model)


def test_a_prepared_bottleneck_block_trains() -> None:
    torch.manual_seed(0)
    model = BottleneckBlock(64, 16, stride=2)
    prepare_(model)
    model(torch.randn(2, 64, 8, 8)).sum().backward()
    check_gradients(model)


def small_transformer() -> TransformerLM:
    return TransformerLM(words=100, width=16, layers=2, heads=2, inner=32, dropout=0.0)


def small_lstm() -> LstmLM:
    return LstmLM(words=100, width=16, dropout=0.0)


@pytest.mark.parametrize("make", [small_transformer, small_lstm])
def test_a_prepared_language_model_trains(make: Callable[[], TransformerLM | LstmLM]) -> None:
    torch.manual_seed(0)
    model = make()
    prepare_(model)
    words = torch.randint(0, 100, (2, 9))
    optimiser = torch.optim.Adam(model.parameters(), 0.02)
    losses = []
    for _ in range(12):
        optimiser.zero_grad()
        loss = model.loss(words[:, :-1], words[:, 1:])
        loss.backward()
        check_gradients(model)
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.8 * losses[0]


def test_products_inside_language_models_are_quantised_and_outputs_are_not() -> None:
    transformer, lstm = prepare_(small_transformer()), prepare_(small_lstm())
    inside = {"attention", "linear1", "linear2"}
    expected = {f"blocks.{block}.{part}" for block in range(2) for part in inside}
    expected |= {f"input.projections.{band}" for band in range(3)}
    assert set(prepared_layers(transformer)) == expected
    assert set(prepared_layers(lstm)) == {"lstm"}


def check_gradients(model: nn.Module) -> None:
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
