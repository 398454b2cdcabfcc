"""Where float32 convolutions are not exact, products notice and run in float64."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
import torch
from torch import nn
from torch.nn import functional

from cpt_model import Bits, Config, prepare_
from cpt_model.arithmetic.float32_probe import _probe, _trials, float32_is_exact
from tests.cpt_model.layer_tools import patterns, trained_step

# What is called, and which of its results is the product.
OPERATIONS: dict[str, tuple[Any, str, int | None]] = {
    "forward": (functional, "conv2d", None),
    "input error": (torch.ops.aten, "convolution_backward", 0),
    "weight gradient": (torch.ops.aten, "convolution_backward", 1),
    "matrices": (torch, "bmm", None),
}


@pytest.mark.parametrize("off_by", [1.0, -1.0])
@pytest.mark.parametrize("last_layout_only", [True, False])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_one_wrong_result_fails_the_trial(operation: str, last_layout_only: bool, off_by: float) -> None:
    owner, name, part = OPERATIONS[operation]
    honest = getattr(owner, name)

    def wrong(a: torch.Tensor, *rest: Any, **options: Any) -> Any:
        results = honest(a, *rest, **options)
        y = results if part is None else results[part]
        if y is not None and a.dtype == torch.float32 and not (last_layout_only and a.is_contiguous()):
            y[(-1,) * y.ndim] += off_by
        return results

    _probe.cache_clear()
    with patch.object(owner, name, wrong):
        assert not float32_is_exact()
    _probe.cache_clear()
    assert float32_is_exact()


def test_no_trial_may_exceed_what_float32_holds() -> None:
    """Sums of magnitudes, by the same operations."""
    for operation, a, b in _trials():
        assert operation(a.abs().double(), b.abs().double()).max() < 2**24


@pytest.mark.skipif(not torch.backends.nnpack.is_available(), reason="needs PyTorch's Winograd convolutions")
@pytest.mark.filterwarnings("ignore:TF32 acceleration")
def test_winograd_convolutions_are_noticed_when_they_are_switched_on() -> None:
    """Without oneDNN, PyTorch convolves batches of 16 or more by NNPACK, whose transforms round."""
    x = torch.randint(0, 256, (16, 32, 14, 14)) / 255
    layer = prepare_(nn.Conv2d(32, 32, 3, padding=1), Config(bits=Bits(8, 8), results="exact"))
    assert float32_is_exact()
    expected = trained_step(layer, x)
    layer.cpt.draws = 0  # type: ignore[union-attr]
    with torch.backends.mkldnn.flags(enabled=False):
        assert not float32_is_exact()
        got = trained_step(layer, x)
    for ours, theirs in zip(got, expected, strict=True):
        assert (patterns(ours) == patterns(theirs)).all()


def test_a_failed_trial_means_float64_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    types: list[torch.dtype] = []
    convolution = functional.conv2d
    backward = torch.ops.aten.convolution_backward

    def see_forward(x: torch.Tensor, *rest: Any, **options: Any) -> torch.Tensor:
        types.append(x.dtype)
        return convolution(x, *rest, **options)

    def see_backward(error: torch.Tensor, *rest: Any) -> object:
        types.append(error.dtype)
        return backward(error, *rest)

    x = torch.randn(2, 3, 5, 5)
    layer = prepare_(nn.Conv2d(3, 4, 3), Config(bits=Bits(8, 8), results="exact"))
    expected = trained_step(layer, x)
    layer.cpt.draws = 0  # type: ignore[union-attr]
    monkeypatch.setattr("cpt_model.arithmetic.exact.float32_is_exact", lambda: False)
    monkeypatch.setattr(functional, "conv2d", see_forward)
    monkeypatch.setattr(torch.ops.aten, "convolution_backward", see_backward)
    got = trained_step(layer, x)
    assert types == [torch.float64] * 3
    for ours, theirs in zip(got, expected, strict=True):
        assert (patterns(ours) == patterns(theirs)).all()


def test_every_setting_that_may_change_the_arithmetic_asks_anew() -> None:
    settings = torch.backends.mkldnn.conv, torch.backends.mkldnn.matmul  # type: ignore[attr-defined]
    float32_is_exact()
    for setting in settings:
        trials = _probe.cache_info().misses
        before = setting.fp32_precision
        setting.fp32_precision = "bf16"
        try:
            float32_is_exact()
        finally:
            setting.fp32_precision = before
        assert _probe.cache_info().misses == trials + 1
