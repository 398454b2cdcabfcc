"""ImageNet ResNet-18, -34 and -50 for 224 × 224 images, with the usual names of layers: checkpoints of others load."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.functional import relu

from cpt_model.models.residual import shortcut, stage


class BasicBlock(nn.Module):
    """Two 3 × 3 convolutions, added to the shortcut."""

    expansion = 1

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.downsample = shortcut(channels, width, stride)

    def forward(self, x: Tensor) -> Tensor:
        y = relu(self.bn1(self.conv1(x)))
        return relu(self.bn2(self.conv2(y)) + self.downsample(x))


class BottleneckBlock(nn.Module):
    """1 × 1 to `width` channels, 3 × 3 there (with the stride), 1 × 1 to four times as many, added to the shortcut."""

    expansion = 4

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, width * self.expansion, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(width * self.expansion)
        self.downsample = shortcut(channels, width * self.expansion, stride)

    def forward(self, x: Tensor) -> Tensor:
        y = relu(self.bn1(self.conv1(x)))
        y = relu(self.bn2(self.conv2(y)))
        return relu(self.bn3(self.conv3(y)) + self.downsample(x))


# Blocks in each of the four stages.
DEPTHS: dict[int, tuple[type[BasicBlock] | type[BottleneckBlock], tuple[int, int, int, int]]] = {
    18: (BasicBlock, (2, 2, 2, 2)),
    34: (BasicBlock, (3, 4, 6, 3)),
    50: (BottleneckBlock, (3, 4, 6, 3)),
}


class ImageNetResNet(nn.Module):
    """A 7 × 7 stem, four stages of 64, 128, 256 and 512 channels, and a classifier.

    >>> import torch
    >>> with torch.device("meta"):
    ...     sum(parameter.numel() for parameter in ImageNetResNet(18).parameters())
    11689512
    """

    def __init__(self, depth: int, classes: int = 1000, channels: int = 3) -> None:
        super().__init__()
        if depth not in DEPTHS:
            raise ValueError(f"an ImageNet ResNet is {', '.join(map(str, DEPTHS))} layers deep, not {depth}")
        block, blocks = DEPTHS[depth]
        self.conv1 = nn.Conv2d(channels, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = stage(block, 64, 64, blocks[0], stride=1)
        self.layer2 = stage(block, 64 * block.expansion, 128, blocks[1], stride=2)
        self.layer3 = stage(block, 128 * block.expansion, 256, blocks[2], stride=2)
        self.layer4 = stage(block, 256 * block.expansion, 512, blocks[3], stride=2)
        self.fc = nn.Linear(512 * block.expansion, classes)

    def forward(self, x: Tensor) -> Tensor:
        y = self.maxpool(relu(self.bn1(self.conv1(x))))
        y = self.layer4(self.layer3(self.layer2(self.layer1(y))))
        return self.fc(y.mean((2, 3)))
