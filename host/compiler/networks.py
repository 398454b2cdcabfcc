"""Networks as the compiler sees them: the shapes of their conv layers, in order."""

from __future__ import annotations

import re

from host.compiler.layer import Conv, LayerError

IMAGE_LAYER = "conv1"  # the one that reads the images


def cifar_resnet(depth: int, batch: int) -> dict[str, Conv]:
    """The conv layers of a CIFAR ResNet with basic blocks, 6n + 2 deep, 1 × 1 shortcuts where the shape changes.

    >>> sum(layer.macs for layer in cifar_resnet(20, batch=1).values())
    40812544
    """
    blocks, rest = divmod(depth - 2, 6)
    if rest or blocks < 1:
        raise LayerError(f"a CIFAR ResNet is 6n + 2 layers deep (8, 14, 20, ...), not {depth}")
    layers = {IMAGE_LAYER: _conv3x3(batch, 3, 16, 32)}
    channels, size = 16, 32
    for stage, out_channels in enumerate((16, 32, 64), start=1):
        for block in range(blocks):
            stride = 2 if stage > 1 and block == 0 else 1
            name = f"layer{stage}.{block}"
            layers[f"{name}.conv1"] = _conv3x3(batch, channels, out_channels, size, stride)
            if stride == 2:
                layers[f"{name}.shortcut"] = Conv(batch, channels, out_channels, size, size, stride=(2, 2))
            size //= stride
            layers[f"{name}.conv2"] = _conv3x3(batch, out_channels, out_channels, size)
            channels = out_channels
    return layers


def _conv3x3(batch: int, in_channels: int, out_channels: int, size: int, stride: int = 1) -> Conv:
    return Conv(batch, in_channels, out_channels, size, size, (3, 3), (stride, stride), (1, 1))


def named_network(name: str, batch: int) -> dict[str, Conv]:
    """A network by the name people write.

    >>> len(named_network("resnet74", batch=1))
    75
    """
    depth = re.fullmatch(r"resnet-?(\d+)", name)
    if depth is None:
        raise LayerError(f"unknown network '{name}'; write resnetN, a CIFAR ResNet N layers deep (8, 14, 20, 74, ...)")
    return cifar_resnet(int(depth[1]), batch)
