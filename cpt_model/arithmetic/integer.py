"""A layer's three matrix passes by PyTorch, in float64: exact on integer codes while sums stay below 2^53."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional, grad

from host.compiler.layer import Conv, Pass


def torch_pass(layer: Conv, which: Pass, a: Tensor, b: Tensor) -> Tensor:
    """The pass in the operands' own type; a and b as `host.compiler.program.Program.load` takes them."""
    if which is Pass.FORWARD:
        return functional.conv2d(a, b, None, layer.stride, layer.padding, groups=layer.groups)
    if which is Pass.INPUT_ERROR:
        return grad.conv2d_input(layer.input_shape, b, a, layer.stride, layer.padding, groups=layer.groups)
    return grad.conv2d_weight(a, layer.weight_shape, b, layer.stride, layer.padding, groups=layer.groups)


def integer_pass(
    layer: Conv, which: Pass, a: npt.NDArray[np.integer], b: npt.NDArray[np.integer]
) -> npt.NDArray[np.int64]:
    """The pass's exact accumulators on integer codes."""
    left, right = (torch.from_numpy(np.asarray(codes, dtype=np.float64)) for codes in (a, b))
    return torch_pass(layer, which, left, right).numpy().astype(np.int64)
