"""Every product PyTorch really computes, seen below its layers: what `matmul`, `einsum` and fused calls come down to.

matrix product (..., m, k) · (..., k, n)     output elements · k
convolution                                  output elements · (input channels / groups) · kernel
transposed convolution                       input elements · (output channels / groups) · kernel
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from cpt_model.tracing.shapes import Shapes

aten = torch.ops.aten


def _matrix(first: int) -> Callable[[tuple[Any, ...], Tensor], int]:
    """A product whose left operand is argument `first`."""
    return lambda arguments, output: output.numel() * arguments[first].shape[-1]


def _convolution(arguments: tuple[Any, ...], output: Tensor) -> int:
    image, weight, transposed = arguments[0], arguments[1], arguments[6]
    return (image if transposed else output).numel() * weight.shape[1:].numel()


MACS: dict[Any, Callable[[tuple[Any, ...], Tensor], int]] = {
    aten.mm: _matrix(0),
    aten.bmm: _matrix(0),
    aten.mv: _matrix(0),
    aten.dot: _matrix(0),
    aten.addmm: _matrix(1),
    aten.baddbmm: _matrix(1),
    aten.addmv: _matrix(1),
    aten._int_mm: _matrix(0),
    aten.addbmm: lambda arguments, output: arguments[1].numel() * arguments[2].shape[-1],
    aten.convolution: _convolution,
}
# Names of calls that multiply in a way we do not know: fused or exotic kernels.
UNKNOWN = re.compile(r"mm$|conv|attention|trilinear|_rnn")


class Products(TorchDispatchMode):
    """Calls `found(name, macs, shapes)` for each product computed while active; what cannot be counted has macs None.

    >>> with Products(lambda name, macs, shapes: print(name, macs)):
    ...     _ = torch.einsum("bqd,bkd->bqk", torch.ones(2, 3, 4), torch.ones(2, 5, 4))
    bmm 120
    """

    def __init__(self, found: Callable[[str, int | None, Shapes | None], object]) -> None:
        super().__init__()
        self._found = found

    def __torch_dispatch__(self, function: Any, types: Any, arguments: Any = (), keywords: Any = None) -> Any:
        output = function(*arguments, **(keywords or {}))
        called = function.overloadpacket
        if called in MACS:
            self._found(called.__name__, MACS[called](arguments, output), Shapes.of(called, arguments))
        elif UNKNOWN.search(called.__name__):
            self._found(called.__name__, None, None)
        return output
