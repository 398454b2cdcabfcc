"""What all residual networks share."""

from __future__ import annotations

from typing import Protocol

from torch import nn


class BlockClass(Protocol):
    """A residual block of `width · expansion` output channels."""

    expansion: int

    def __call__(self, channels: int, width: int, stride: int) -> nn.Module: ...


def shortcut(channels: int, out_channels: int, stride: int) -> nn.Module:
    """1 × 1 where the shape changes, nothing elsewhere."""
    if stride == 1 and channels == out_channels:
        return nn.Identity()
    return nn.Sequential(nn.Conv2d(channels, out_channels, 1, stride, bias=False), nn.BatchNorm2d(out_channels))


def stage(block: BlockClass, channels: int, width: int, blocks: int, stride: int) -> nn.Sequential:
    """Blocks one after the other; the first takes the stride."""
    first = block(channels, width, stride)
    return nn.Sequential(first, *(block(width * block.expansion, width, 1) for _ in range(blocks - 1)))
