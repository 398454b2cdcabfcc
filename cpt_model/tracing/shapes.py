"""The shapes of a product PyTorch computes, as the accelerator's compiler takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from cpt_model.tracing.counts import Product
from host.compiler.layer import Conv, LayerError

aten = torch.ops.aten
# Where the two operands of a matrix product stand among the arguments.
MATRICES = {aten.mm: 0, aten.bmm: 0, aten.addmm: 1, aten.baddbmm: 1, aten._int_mm: 0}


@dataclass(frozen=True)
class Shapes:
    """A call's operands and options, for all samples of the input."""

    called: str
    left: tuple[int, ...]
    right: tuple[int, ...]
    one_right: bool = False  # one matrix on the right, seen as many times as there are pairs
    # Of a convolution: bias, stride, padding, dilation, transposed, output padding, groups.
    options: tuple[Any, ...] = ()

    @classmethod
    def of(cls, called: Any, arguments: tuple[Any, ...]) -> Shapes:
        first = MATRICES.get(called, 0)
        left, right = arguments[first : first + 2]
        options = tuple(arguments[2:9]) if called is aten.convolution else ()
        if not isinstance(right, Tensor):
            return cls(called.__name__, tuple(left.shape), ())
        one_right = right.ndim == 3 and right.stride(0) == 0
        return cls(called.__name__, tuple(left.shape), tuple(right.shape), one_right, options)

    def product(self, samples: int) -> Product:
        """For one of the samples; what the accelerator has no command for is refused with a `LayerError`."""
        if self.called == "convolution":
            return self._convolution(samples)
        if len(self.left) == 2 and len(self.right) == 2:
            (rows, depth), columns = self.left, self.right[1]
            return Product(rows_as_map(_share(rows, samples, "rows"), depth, columns))
        if len(self.left) == 3 and len(self.right) == 3:
            (pairs, rows, depth), columns = self.left, self.right[2]
            if self.one_right:
                return Product(rows_as_map(_share(pairs * rows, samples, "rows"), depth, columns))
            times = _share(pairs, samples, "pairs of matrices")
            return Product(rows_as_map(rows, depth, columns), times, batched=False)
        raise LayerError(f"{self.called} of {self.left} and {self.right} is no product of matrices")

    def _convolution(self, samples: int) -> Product:
        _, stride, padding, dilation, transposed, _, groups = self.options
        if transposed:
            raise LayerError("the accelerator has no transposed convolution")
        if any(each != 1 for each in dilation):
            raise LayerError(f"the compiler knows no dilation, found {tuple(dilation)}")
        images, channels, *extent = self.left
        out_channels, _, *kernel = self.right
        if len(extent) > 2:
            raise LayerError(f"the accelerator has maps of two dimensions, not of {len(extent)}")
        each, steps = _share(images, samples, "images"), (_two(kernel, 1), _two(stride, 1), _two(padding, 0))
        return Product(Conv(each, channels, out_channels, *_two(extent, 1), *steps, groups))


def rows_as_map(rows: int, depth: int, columns: int) -> Conv:
    """(rows, depth) · (depth, columns) as a 1 × 1 convolution: the rows are the pixels of one map.

    >>> rows_as_map(512, 64, 10).output_shape
    (1, 10, 512, 1)
    """
    return Conv(1, depth, columns, rows, 1)


def _two(values: list[int], missing: int) -> tuple[int, int]:
    """A one-dimensional convolution runs on maps one pixel high."""
    return (missing, values[0]) if len(values) == 1 else (values[0], values[1])


def _share(number: int, samples: int, what: str) -> int:
    if number % samples:
        raise LayerError(f"{number} {what} cannot be shared out among {samples} samples")
    return number // samples
