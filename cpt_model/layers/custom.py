"""Subclasses of Conv2d and Linear with a `forward` of their own, as those that standardise their weights.

Their own code runs; the one product it computes, by `torch.nn.functional.conv2d` or `linear`, runs on codes. Whether it
does compute just one, and no other, is found out by running it once on shapes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from torch.utils.flop_counter import FlopCounterMode

from cpt_model.copies import meta_copy
from cpt_model.layers.base import QuantLayer, not_traced
from cpt_model.layers.conv import Numbers, conv2d
from cpt_model.layers.linear import linear


@dataclass(frozen=True)
class Convolution:
    """Arguments of a call of conv2d."""

    input: Tensor
    weight: Tensor
    bias: Tensor | None = None
    stride: Numbers = 1
    padding: Numbers | str = 0
    dilation: Numbers = 1
    groups: int = 1


class _Instead(TorchFunctionMode):
    """Calls these functions in place of PyTorch's."""

    def __init__(self, of_conv2d: Callable[..., Tensor], of_linear: Callable[..., Tensor]) -> None:
        super().__init__()
        self._instead = {functional.conv2d: of_conv2d, functional.linear: of_linear}

    def __torch_function__(self, function: Any, types: Any, arguments: Any = (), keywords: Any = None) -> Any:
        return self._instead.get(function, function)(*arguments, **(keywords or {}))


class QuantCustom(QuantLayer):
    """In front of the subclass, whose forward it calls."""

    @not_traced
    def forward(self, *arguments: Any, **keywords: Any) -> Any:
        first = arguments[0] if arguments else next(iter(keywords.values()))
        self.cpt.check(first)
        if not first.numel() or not any(self.cpt.bits):
            return super().forward(*arguments, **keywords)

        def convolve(*given: Any, **named: Any) -> Tensor:
            call = Convolution(*given, **named)
            options = call.bias, call.stride, call.padding, call.groups
            return conv2d(self.cpt, self.training, call.input, call.weight, *options)

        with _Instead(convolve, lambda *given, **named: linear(self.cpt, self.training, *given, **named)):
            return super().forward(*arguments, **keywords)


def only_product(module: nn.Module) -> Convolution | str:
    """The one product that a layer computes, its operands on the meta device; or in words why that cannot be said.

    A fully connected layer comes as a 1 × 1 convolution.
    """
    found: list[Convolution] = []
    flops: list[int] = []

    def note(call: Convolution, y: Tensor) -> Tensor:
        found.append(call)
        flops.append(2 * y.numel() * call.weight.shape[1:].numel())
        return y

    def convolve(*given: Any, **named: Any) -> Tensor:
        return note(Convolution(*given, **named), functional.conv2d(*given, **named))

    def fully_connected(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        return note(Convolution(input, weight[..., None, None], bias), functional.linear(input, weight, bias))

    if isinstance(module, nn.Conv2d):
        size = [stride + (kernel - 1) * dilation + 1 for stride, kernel, dilation in
                zip(module.stride, module.kernel_size, module.dilation, strict=True)]  # fmt: skip
        x = torch.empty(2, module.in_channels, *size, device="meta")
    else:
        assert isinstance(module, nn.Linear)
        x = torch.empty(2, module.in_features, device="meta")
    try:
        with torch.no_grad(), FlopCounterMode(display=False) as counted, _Instead(convolve, fully_connected):
            meta_copy(module)(x)
    except Exception as problem:  # other people's code
        return f"its own forward cannot be tried on shapes: {str(problem).partition(chr(10))[0]}"
    if len(found) != 1 or counted.get_total_flops() != sum(flops):
        return "its own forward does not compute just one product by conv2d or linear"
    return found[0]
