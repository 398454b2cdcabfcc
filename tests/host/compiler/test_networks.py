"""Networks: the multiply-accumulates of the papers' models."""

from __future__ import annotations

import pytest

from host.compiler.layer import LayerError
from host.compiler.networks import cifar_resnet


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
