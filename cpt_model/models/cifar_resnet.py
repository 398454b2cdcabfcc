"""CIFAR ResNets of basic blocks, 6n + 2 layers deep, with 1 × 1 shortcuts where the shape changes (option B)."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.functional import relu

from cpt_model.models.residual import shortcut, stage


class Block(nn.Module):
    """Two 3 × 3 convolutions with batch normalisation, added to the shortcut."""

    expansion = 1

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.shortcut = shortcut(channels, width, stride)

    def forward(self, x: Tensor) -> Tensor:
        y = relu(self.bn1(self.conv1(x)))
        return relu(self.bn2(self.conv2(y)) + self.shortcut(x))


class CifarResNet(nn.Module):
    """ResNet-8, -14, -20, ... for 32 × 32 images.

    >>> sum(parameter.numel() for parameter in CifarResNet(20).parameters())
    272474
    """

    def __init__(self, depth: int, classes: int = 10, channels: int = 3) -> None:
        super().__init__()
        blocks, rest = divmod(depth - 2, 6)
        if rest or blocks < 1:
            raise ValueError(f"a CIFAR ResNet is 6n + 2 layers deep (8, 14, 20, ...), not {depth}")
        self.conv1 = nn.Conv2d(channels, 16, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.layer1 = stage(Block, 16, 16, blocks, stride=1)
        self.layer2 = stage(Block, 16, 32, blocks, stride=2)
        self.layer3 = stage(Block, 32, 64, blocks, stride=2)
        self.fc = nn.Linear(64, classes)

    def forward(self, x: Tensor) -> Tensor:
        y = relu(self.bn1(self.conv1(x)))
        y = self.layer3(self.layer2(self.layer1(y)))
        return self.fc(y.mean((2, 3)))
