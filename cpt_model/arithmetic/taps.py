"""Which input pixel a kernel tap connects to which output pixel, as 0/1 matrices of one axis.

Sums of codes over "the taps inside the image" are then small matrix products. With k the tap, y the output and h the
input index of an axis, h = y·stride + k − padding:
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from host.compiler.layer import Conv


@dataclass(frozen=True)
class Axis:
    """One axis of a convolution, in float64 (sums of codes stay exact)."""

    connects: Tensor  # (y, h): some tap of output y reads input h
    used: Tensor  # (k, h): tap k reads input h for some output
    inside: Tensor  # (k, y): tap k of output y falls on a stored input


def _axis(kernel: int, stride: int, padding: int, size: int, out_size: int, device: torch.device | str = "cpu") -> Axis:
    numbers = (torch.arange(count, device=device) for count in (kernel, out_size))
    tap, out = torch.meshgrid(*numbers, indexing="ij")
    read = out * stride + tap - padding
    hits = (read[..., None] == torch.arange(size, device=device)).double()  # (k, y, h)
    return Axis(hits.sum(0), hits.sum(1), hits.sum(2))


@lru_cache(maxsize=256)
def axes(layer: Conv, device: torch.device | str = "cpu") -> tuple[Axis, Axis]:
    """Rows and columns of a layer, on the device of its codes."""
    rows = _axis(layer.kernel[0], layer.stride[0], layer.padding[0], layer.height, layer.out_height, device)
    columns = _axis(layer.kernel[1], layer.stride[1], layer.padding[1], layer.width, layer.out_width, device)
    return rows, columns


def by_tap(rows: Tensor, maps: Tensor, columns: Tensor) -> Tensor:
    """Sums of maps (c, h, w) over what each tap (k, h), (k, w) touches: (c, kh, kw), in float64."""
    channels, height, width = maps.shape
    in_memory_order = maps.permute(1, 2, 0).double().reshape(height, width * channels)
    return (columns @ (rows @ in_memory_order).unflatten(1, (width, channels))).permute(2, 0, 1)


def between(left: Tensor, maps: Tensor, right: Tensor) -> Tensor:
    """leftᵀ · map · right for every map (..., i, j), in the maps' own precision."""
    return left.to(maps.dtype).mT @ maps @ right.to(maps.dtype)
