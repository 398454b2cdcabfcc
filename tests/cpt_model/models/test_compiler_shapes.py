"""The shapes that the compiler has of a network are those of the PyTorch model of that name."""

from __future__ import annotations

import re

import pytest

from cpt_model.cost import count_network
from cpt_model.models import NETWORKS
from host.compiler.networks import named_network

SMALL = [name for name in NETWORKS if re.fullmatch(r"\w+_resnet_\d+", name)]


@pytest.mark.parametrize("name", [name for name in SMALL if int(name.split("_")[-1]) < 80])
def test_the_compiler_has_the_models_shapes(name: str) -> None:
    layers = [layer for layer in count_network(name).layers if layer.quantised]
    traced = {layer.name.replace("shortcut.0", "shortcut"): layer.products[0].shape for layer in layers}
    assert named_network(name, batch=1) == traced
