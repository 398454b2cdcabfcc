"""Networks: the multiply-accumulates of the papers' models."""

from __future__ import annotations

import pytest

from host.compiler.layer import LayerError
from host.compiler.networks import cifar_resnet, full_name, named_network


@pytest.mark.parametrize(
    ("depth", "million_macs"), [(20, 40.81), (38, 83.28), (74, 168.22), (110, 253.15), (152, 352.24)]
)
def test_macs_per_image_are_the_published_ones(depth: int, million_macs: float) -> None:
    macs = sum(layer.macs for layer in cifar_resnet(depth, batch=1).values())
    assert macs + 64 * 10 == pytest.approx(million_macs * 1e6, abs=0.006e6), "conv layers and the classifier"


def test_conv_layers_are_counted_as_the_depth_says() -> None:
    layers = cifar_resnet(74, batch=128)
    shortcuts = [name for name in layers if name.endswith("shortcut")]
    assert len(layers) - len(shortcuts) == 73, "the 74th layer is the classifier"
    assert len(shortcuts) == 2


@pytest.mark.parametrize("depth", [2, 9, 0, -4])
def test_other_depths_are_refused(depth: int) -> None:
    with pytest.raises(LayerError, match="6n \\+ 2"):
        cifar_resnet(depth, batch=1)


def test_a_network_has_the_authors_name_and_an_old_one() -> None:
    assert named_network("resnet74", 8) == named_network("cifar10_resnet_74", 8) == cifar_resnet(74, 8)
    assert named_network("digits_resnet_8", 8)["conv1"].input_shape == (8, 1, 8, 8)
    assert full_name("resnet50") == "resnet50", "the ImageNet network"


@pytest.mark.parametrize("name", ["resnet50", "cifar10_mobilenet_v2", "imagenet_resnet_20", "resnet", ""])
def test_networks_without_shapes_are_refused(name: str) -> None:
    with pytest.raises(LayerError, match=f"no shapes of network '{name}' here; there are: cifar10_resnet_N"):
        named_network(name, 1)
