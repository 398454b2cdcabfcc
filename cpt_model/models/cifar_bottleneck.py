"""CIFAR ResNets of bottleneck blocks, 9n + 2 layers deep: the *other* ResNet-164, a third less work."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.functional import relu

from cpt_model.models.imagenet_resnet import BottleneckBlock
from cpt_model.models.residual import stage


class CifarBottleneckResNet(nn.Module):
    """ResNet-29, ..., -164 for 32 × 32 images; stages of 64, 128 and 256 channels.

    >>> import torch
    >>> with torch.device("meta"):
    ...     sum(parameter.numel() for parameter in CifarBottleneckResNet(164).parameters())
    1704154
    """

    def __init__(self, depth: int, classes: int = 10, channels: int = 3) -> None:
        super().__init__()
        blocks, rest = divmod(depth - 2, 9)
        if rest or blocks < 1:
            raise ValueError(f"a bottleneck CIFAR ResNet is 9n + 2 layers deep (11, 20, ..., 164), not {depth}")
        self.conv1 = nn.Conv2d(channels, 16, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.layer1 = stage(BottleneckBlock, 16, 16, blocks, stride=1)
        self.layer2 = stage(BottleneckBlock, 64, 32, blocks, stride=2)
        self.layer3 = stage(BottleneckBlock, 128, 64, blocks, stride=2)
        self.fc = nn.Linear(256, classes)

    def forward(self, x: Tensor) -> Tensor:
        y = relu(self.bn1(self.conv1(x)))
        y = self.layer3(self.layer2(self.layer1(y)))
        return self.fc(y.mean((2, 3)))
