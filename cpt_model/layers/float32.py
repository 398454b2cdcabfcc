"""Autocast has no say in quantised products: on any device they take float32 and give float32."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch import Tensor


def float32_forward(function: Callable[..., Any]) -> Callable[..., Any]:
    """Of an autograd function: under autocast its tensors become float32."""

    @wraps(function)
    def called(ctx: Any, first: Tensor, *rest: Any) -> Any:
        kind = first.device.type
        if not torch.is_autocast_enabled(kind):
            return function(ctx, first, *rest)
        with torch.autocast(kind, enabled=False):
            operands = (each.float() if isinstance(each, Tensor) else each for each in (first, *rest))
            return function(ctx, *operands)

    return called


def float32_backward(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def called(ctx: Any, error: Tensor) -> Any:
        with torch.autocast(error.device.type, enabled=False):
            return function(ctx, error)

    return called
