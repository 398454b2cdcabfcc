"""QONNX's `Quant`, in PyTorch: as arithmetic, and as the node that an exporter writes.

    y = (round(clip(x / scale + zero)) − zero) · scale

Zero points need not be whole: SBM's grids begin at a tensor's least value, wherever that lies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from cpt_model.arithmetic.affine import Grid, Quantised

NODE = "qonnx.custom_op.general::Quant"


@dataclass(frozen=True)
class Quant:
    """Parameters of a node; tensors, as they become initialisers."""

    scale: Tensor
    zero: Tensor
    bits: Tensor
    signed: bool
    narrow: bool  # the least code is not used

    @classmethod
    def of_grid(cls, grid: Grid) -> Quant:
        """The node of an activation."""
        scale = torch.tensor(grid.scale)
        zero = -torch.tensor(grid.low) / scale - grid.centre
        if not math.isfinite(float(zero)):
            raise ValueError("its range is a point: no scale and zero point stand for it")
        narrow = grid.signed and grid.levels == (1 << grid.bits) - 2
        return cls(scale, zero, torch.tensor(float(grid.bits)), grid.signed, narrow)

    @classmethod
    def of_weights(cls, weights: Quantised) -> Quant:
        """The node of weights, whose scales may differ from channel to channel."""
        zero = -weights.offset / weights.scale
        narrow = bool((weights.codes > weights.least).all())
        return cls(weights.scale, zero, torch.tensor(float(weights.bits)), weights.signed, narrow)

    def __call__(self, x: Tensor) -> Tensor:
        width = int(self.bits)
        least = self.narrow - (1 << width - 1) if self.signed else 0
        most = (1 << width - 1) - 1 if self.signed else (1 << width) - 1
        return ((x / self.scale + self.zero).clamp(least, most).round() - self.zero) * self.scale

    def node(self, x: Tensor) -> Tensor:
        """What the exporter writes; the tensors must be a module's buffers by then."""
        options: Any = {"signed": int(self.signed), "narrow": int(self.narrow), "rounding_mode": "ROUND"}
        operands = x, self.scale, self.zero, self.bits
        return torch.onnx.ops.symbolic(NODE, operands, options, dtype=x.dtype, shape=x.shape, version=1)
