"""Tracers and exporters would lose the quantisers: each is refused in a line that says what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from torch import nn

from cpt_model import prepare_, unprepare

X = torch.randn(1, 2, 4, 4)
MESSAGE = r"quantised layers cannot be traced or exported .*unprepare\(model\)"


def made() -> nn.Module:
    return prepare_(nn.Sequential(nn.Conv2d(2, 3, 1), nn.ReLU(), nn.Conv2d(3, 3, 1))).eval()


def test_jit_trace() -> None:
    model = made()
    with pytest.raises(RuntimeError, match=MESSAGE):
        torch.jit.trace(model, X)
    torch.jit.trace(unprepare(model), X)


@pytest.mark.parametrize("dynamo", [False, True])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_onnx(dynamo: bool, tmp_path: Path) -> None:
    if dynamo:
        pytest.importorskip("onnxscript")
    with pytest.raises(RuntimeError) as refused:
        torch.onnx.export(made(), (X,), tmp_path / "net.onnx", dynamo=dynamo, verbose=False)
    assert re.search(MESSAGE, f"{refused.value} {refused.value.__cause__}")  # PyTorch's own advice comes first
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("strict", [False, True])
def test_export(strict: bool) -> None:
    model = made()
    with pytest.raises(RuntimeError, match=MESSAGE):
        torch.export.export(model, (X,), strict=strict)
    torch.export.export(unprepare(model), (X,), strict=strict)
