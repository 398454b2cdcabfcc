"""The layers of a run: chosen by a pattern, or one of each shape."""

from __future__ import annotations

import pytest

from host.compiler.networks import named_network
from host.measure.passes import chosen_layers, distinct


def test_one_layer_of_each_shape_stands_for_all() -> None:
    kept, counts = distinct(named_network("cifar10_resnet_74", 128))
    assert list(kept)[:2] == ["conv1", "layer1.0.conv1"]
    assert counts["layer1.0.conv1"] == 24
    assert sum(counts.values()) == 75


def test_layers_are_chosen_by_a_shell_pattern() -> None:
    network = named_network("cifar10_resnet_8", 1)
    assert list(chosen_layers(network, "layer1.*")) == ["layer1.0.conv1", "layer1.0.conv2"]
    with pytest.raises(ValueError, match="'layer4' matches no layer; there are: conv1, "):
        chosen_layers(network, "layer4")
