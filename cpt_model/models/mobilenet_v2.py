"""MobileNetV2 for CIFAR: strides for 32 × 32 images; 1 × 1 shortcuts where a block of stride 1 changes its channels."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.functional import relu

from host.compiler.step.networks import STAGES


class InvertedResidual(nn.Module):
    """1 × 1 to more channels, a depthwise 3 × 3, 1 × 1 back to few; a shortcut where the map keeps its size."""

    def __init__(self, channels: int, out_channels: int, expansion: int, stride: int) -> None:
        super().__init__()
        width = channels * expansion
        self.conv1 = nn.Conv2d(channels, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, groups=width, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, out_channels, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(out_channels)
        self.residual = stride == 1
        self.shortcut: nn.Module = nn.Identity()
        if self.residual and channels != out_channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels, out_channels, 1, bias=False), nn.BatchNorm2d(out_channels)
            )

    def forward(self, x: Tensor) -> Tensor:
        y = relu(self.bn1(self.conv1(x)))
        y = relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return y + self.shortcut(x) if self.residual else y


class CifarMobileNetV2(nn.Module):
    """Seventeen inverted residuals between two plain convolutions.

    >>> import torch
    >>> with torch.device("meta"):
    ...     sum(parameter.numel() for parameter in CifarMobileNetV2().parameters())
    2296922
    """

    def __init__(self, classes: int = 10, channels: int = 3) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, 32, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(32)
        blocks = []
        width = 32
        for expansion, out_channels, count, stride in STAGES:
            for index in range(count):
                blocks.append(InvertedResidual(width, out_channels, expansion, stride if index == 0 else 1))
                width = out_channels
        self.layers = nn.Sequential(*blocks)
        self.conv2 = nn.Conv2d(width, 1280, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(1280)
        self.fc = nn.Linear(1280, classes)

    def forward(self, x: Tensor) -> Tensor:
        y = self.layers(relu(self.bn1(self.conv1(x))))
        y = relu(self.bn2(self.conv2(y)))
        return self.fc(y.mean((2, 3)))
