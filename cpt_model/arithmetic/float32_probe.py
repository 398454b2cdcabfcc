"""Does this machine's float32 arithmetic add whole numbers exactly? Asked once, by trying.

Fast algorithms (Winograd, FFT) and reduced precisions (bfloat16) do not; PyTorch may choose them on some processors or
when asked to. Where the trial fails, products run in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

Operation = Callable[[Tensor, Tensor], Tensor]


def float32_is_exact() -> bool:
    """For the convolutions of all three passes and for matrix products, with the settings in force."""
    mkldnn: Any = torch.backends.mkldnn
    return _probe(mkldnn.enabled, mkldnn.conv.fp32_precision, mkldnn.matmul.fp32_precision)


@lru_cache
def _probe(*_settings: object) -> bool:
    with torch.no_grad(), torch.autocast("cpu", enabled=False):
        return all(
            torch.equal(operation(a, b).double(), operation(a.double(), b.double())) for operation, a, b in _trials()
        )


def _trials() -> Iterator[tuple[Operation, Tensor, Tensor]]:
    """Every operation on operands in both layouts; no sum of magnitudes exceeds 2^24."""
    generator = torch.Generator().manual_seed(0)

    def integers(low: int, high: int, *shape: int) -> Tensor:
        return torch.randint(low, high, shape, generator=generator, device="cpu").to(torch.float32)

    x, e = integers(0, 256, 16, 32, 14, 14), integers(-128, 128, 16, 32, 14, 14)
    w, small = integers(-128, 128, 32, 32, 3, 3), integers(-20, 21, 16, 32, 14, 14)
    for layout in (torch.contiguous_format, torch.channels_last):
        for operation, a, b in ((_forward, x, w), (_input_error, e, w), (_weight_gradient, x, small)):
            yield operation, a.to(memory_format=layout), b.to(memory_format=layout)
    rows, columns = integers(0, 256, 4, 16, 288), integers(-128, 128, 4, 32, 288)
    for left in (rows, rows.mT.contiguous().mT):
        for right in (columns, columns.mT.contiguous().mT):
            yield _rows_by_rows, left, right


def _forward(x: Tensor, w: Tensor) -> Tensor:
    return functional.conv2d(x, w, padding=1)


def _input_error(e: Tensor, w: Tensor) -> Tensor:
    return _backward(e, torch.empty_like(e), w, (True, False, False))[0]


def _weight_gradient(x: Tensor, e: Tensor) -> Tensor:
    layout = torch.channels_last if x.is_contiguous(memory_format=torch.channels_last) else torch.contiguous_format
    shape = (e.shape[1], x.shape[1], 3, 3)
    w = torch.empty(shape, dtype=x.dtype, device="cpu", memory_format=layout)
    return _backward(e, x, w, (False, True, False))[1]


def _backward(e: Tensor, x: Tensor, w: Tensor, mask: tuple[bool, bool, bool]) -> Any:
    return torch.ops.aten.convolution_backward(e, x, w, None, (1, 1), (1, 1), (1, 1), False, (0, 0), 1, mask)


def _rows_by_rows(a: Tensor, b: Tensor) -> Tensor:
    return torch.bmm(a, b.mT)
