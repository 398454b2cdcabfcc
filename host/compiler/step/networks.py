"""Networks by name, as PyTorch's models have them but without PyTorch: CIFAR ResNets, MobileNetV2, plain stacks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from host.compiler.layer import Conv, LayerError
from host.compiler.step.network import Block, Head, Map, Network, Unit

IMAGES: dict[str, tuple[Map, int]] = {
    "cifar10": ((3, 32, 32), 10),
    "cifar100": ((3, 32, 32), 100),
    "digits": ((1, 8, 8), 10),
    "fashion": ((1, 28, 28), 10),
}
# MobileNetV2: expansion, output channels, blocks, stride of the first.
STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 1),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
KNOWN = (
    "DATA_resnet_N (6n + 2 deep), DATA_resnet_N_bottleneck (9n + 2 deep) and DATA_mobilenet_v2"
    f" with DATA one of {', '.join(IMAGES)}"
)


def named(name: str, classes: int | None = None) -> Network:
    """A network by the name that training knows it by; one that does not run as whole iterations is refused.

    >>> len(named("cifar100_resnet_74").units)
    75
    """
    data, _, rest = name.partition("_")
    found = re.fullmatch(r"resnet_(\d+)(_bottleneck)?|mobilenet_v2", rest)
    if data not in IMAGES or found is None:
        raise LayerError(f"'{name}' does not run as whole iterations; what does: {KNOWN}")
    image, usual = IMAGES[data]
    head = Head("fc", usual if classes is None else classes)
    if rest == "mobilenet_v2":
        return mobilenet_v2(name, image, head)
    return cifar_resnet(name, image, head, int(found[1]), bottleneck=bool(found[2]))


def cifar_resnet(name: str, image: Map, head: Head, depth: int, bottleneck: bool = False) -> Network:
    """Basic or bottleneck blocks in three stages, 1 × 1 shortcuts where the shape changes."""
    layers, expansion, shortcut = (9, 4, "downsample") if bottleneck else (6, 1, "shortcut")
    count, rest = divmod(depth - 2, layers)
    if rest or count < 1:
        kind = "bottleneck CIFAR ResNet" if bottleneck else "CIFAR ResNet"
        raise LayerError(f"'{name}': a {kind} is {layers}n + 2 layers deep, not {depth}")
    blocks = [Block("conv1", (unit("", 1, image, 16, 3),))]
    for stage, width in enumerate((16, 32, 64), start=1):
        for index in range(count):
            prefix, x = f"layer{stage}.{index}.", blocks[-1].makes
            stride = 2 if stage > 1 and index == 0 else 1
            chain: list[Unit] = []
            kernels = ((1, 1), (3, stride), (1, 1)) if bottleneck else ((3, stride), (3, 1))
            for number, (kernel, step) in enumerate(kernels, start=1):
                channels = width * expansion if number == len(kernels) else width
                chain.append(unit(prefix, number, chain[-1].makes if chain else x, channels, kernel, step))
            same = chain[-1].makes == x
            branch = None if same else branch_unit(f"{prefix}{shortcut}", x, width * expansion, stride)
            blocks.append(Block(prefix[:-1], tuple(chain), stream=same, branch=branch))
    return Network(name, tuple(blocks), head)


def mobilenet_v2(name: str, image: Map, head: Head) -> Network:
    """Inverted residuals; no ReLU behind their nodes, nothing joins where the stride is 2."""
    blocks = [Block("conv1", (unit("", 1, image, 32, 3),))]
    for expansion, channels, count, first_stride in STAGES:
        for index in range(count):
            stride, x = first_stride if index == 0 else 1, blocks[-1].makes
            prefix, width = f"layers.{len(blocks) - 1}.", x[0] * expansion
            wide = unit(prefix, 1, x, width, 1)
            deep = unit(prefix, 2, wide.makes, width, 3, stride, groups=width)
            narrow = unit(prefix, 3, deep.makes, channels, 1)
            joins, same = stride == 1, x[0] == channels
            branch = branch_unit(f"{prefix}shortcut", x, channels, 1) if joins and not same else None
            blocks.append(Block(prefix[:-1], (wide, deep, narrow), joins and same, branch, relu=False))
    blocks.append(Block("conv2", (unit("", 2, blocks[-1].makes, 1280, 1),)))
    return Network(name, tuple(blocks), head)


def plain(name: str, image: Map, widths: Sequence[int], strides: Sequence[int], classes: int) -> Network:
    """3 × 3 convolutions, each with batch normalisation and ReLU: conv1, bn1, conv2, bn2, ...

    >>> plain("small", (3, 16, 16), widths=(16, 32), strides=(1, 2), classes=10).last_map
    (32, 8, 8)
    """
    chain: list[Unit] = []
    for number, (width, stride) in enumerate(zip(widths, strides, strict=True), start=1):
        chain.append(unit("", number, chain[-1].makes if chain else image, width, 3, stride))
    return Network(name, (Block("stack", tuple(chain)),), Head("fc", classes))


def unit(prefix: str, number: int, x: Map, channels: int, kernel: int, stride: int = 1, groups: int = 1) -> Unit:
    """`conv1` and `bn1` of a module, padded so that a stride of 1 keeps the map's size."""
    layer = Conv(1, x[0], channels, *x[1:], (kernel,) * 2, (stride,) * 2, (kernel // 2,) * 2, groups)
    return Unit(f"{prefix}conv{number}", f"{prefix}bn{number}", layer)


def branch_unit(name: str, x: Map, channels: int, stride: int) -> Unit:
    """A 1 × 1 shortcut: a `Sequential` of both."""
    return Unit(f"{name}.0", f"{name}.1", Conv(1, x[0], channels, *x[1:], stride=(stride,) * 2))
