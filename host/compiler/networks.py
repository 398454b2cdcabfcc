"""Networks as the compiler sees them: the shapes of their conv layers, in order."""

from __future__ import annotations

import re

from host.compiler.layer import Conv, LayerError

IMAGE_LAYER = "conv1"  # the one that reads the images
IMAGES = {"cifar10": (3, 32), "cifar100": (3, 32), "digits": (1, 8), "fashion": (1, 28)}  # channels and size
IMAGENET_DEPTHS = (18, 34, 50)


def cifar_resnet(depth: int, batch: int, colours: int = 3, size: int = 32) -> dict[str, Conv]:
    """The conv layers of a CIFAR ResNet with basic blocks, 6n + 2 deep, 1 × 1 shortcuts where the shape changes.

    >>> sum(layer.macs for layer in cifar_resnet(20, batch=1).values())
    40812544
    """
    blocks, rest = divmod(depth - 2, 6)
    if rest or blocks < 1:
        raise LayerError(f"a CIFAR ResNet is 6n + 2 layers deep (8, 14, 20, ...), not {depth}")
    layers = {IMAGE_LAYER: _conv3x3(batch, colours, 16, size)}
    channels = 16
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


def full_name(name: str) -> str:
    """The CPT authors' name of a network; `resnet74` is an old name of CIFAR-10's.

    >>> full_name("resnet74"), full_name("cifar100_resnet_20")
    ('cifar10_resnet_74', 'cifar100_resnet_20')
    """
    old = re.fullmatch(r"resnet-?(\d+)", name)
    return name if old is None or int(old[1]) in IMAGENET_DEPTHS else f"cifar10_resnet_{old[1]}"


def named_network(name: str, batch: int) -> dict[str, Conv]:
    """A network by its name; the compiler has the shapes of ResNets for small images only.

    >>> len(named_network("cifar10_resnet_74", batch=1))
    75
    """
    known = re.fullmatch(r"([a-z0-9]+)_resnet_(\d+)", full_name(name))
    if known is None or known[1] not in IMAGES:
        names = ", ".join(f"{data}_resnet_N" for data in IMAGES)
        raise LayerError(f"no shapes of network '{name}' here; there are: {names} (N layers: 8, 14, 20, 74, ...)")
    return cifar_resnet(int(known[2]), batch, *IMAGES[known[1]])
