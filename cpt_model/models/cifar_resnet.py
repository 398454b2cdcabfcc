"""CIFAR ResNets of basic blocks, 6n + 2 layers deep, with 1 × 1 shortcuts where the shape changes (option B)."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.functional import relu


class Block(nn.Module):
    """Two 3 × 3 convolutions with batch normalisation, added to the shortcut."""

    def __init__(self, channels: int, out_channels: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out_channels, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out_channels)
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or channels != out_channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels, out_channels, 1, stride, bias=False), nn.BatchNorm2d(out_channels)
            )

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
        self.layer1 = _stage(16, 16, blocks, stride=1)
        self.layer2 = _stage(16, 32, blocks, stride=2)
        self.layer3 = _stage(32, 64, blocks, stride=2)
        self.fc = nn.Linear(64, classes)

    def forward(self, x: Tensor) -> Tensor:
        y = relu(self.bn1(self.conv1(x)))
        y = self.layer3(self.layer2(self.layer1(y)))
        return self.fc(y.mean((2, 3)))


def _stage(channels: int, out_channels: int, blocks: int, stride: int) -> nn.Sequential:
    first = Block(channels, out_channels, stride)
    return nn.Sequential(first, *(Block(out_channels, out_channels, 1) for _ in range(blocks - 1)))
