"""A layer's three matrix passes on integer codes, by PyTorch in float64: exact while sums stay below 2^53."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional, grad

from host.layer import Conv, Pass


def integer_pass(
    layer: Conv, which: Pass, a: npt.NDArray[np.integer], b: npt.NDArray[np.integer]
) -> npt.NDArray[np.int64]:
    """The pass's exact accumulators; a and b as `host.program.Program.load` takes them."""
    left, right = (torch.from_numpy(np.asarray(codes, dtype=np.float64)) for codes in (a, b))
    how: dict[str, Any] = {"stride": layer.stride, "padding": layer.padding, "groups": layer.groups}
    if which is Pass.FORWARD:
        result = functional.conv2d(left, right, **how)
    elif which is Pass.INPUT_ERROR:
        result = grad.conv2d_input(layer.input_shape, right, left, **how)
    else:
        result = grad.conv2d_weight(left, layer.weight_shape, right, **how)
    return result.numpy().astype(np.int64)
