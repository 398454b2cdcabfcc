"""qonnx's executor."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor


def executed(path: Path, x: Tensor) -> Tensor:
    """What a file gives for an input, node by node."""
    from qonnx.core.modelwrapper import ModelWrapper
    from qonnx.core.onnx_exec import execute_onnx
    from qonnx.util.cleanup import cleanup_model

    model = cleanup_model(ModelWrapper(str(path)))
    (result,) = execute_onnx(model, {model.graph.input[0].name: x.numpy()}).values()
    return torch.from_numpy(result)
