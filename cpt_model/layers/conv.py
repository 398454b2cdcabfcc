"""Conv2d on codes."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from cpt_model.layers.base import QuantLayer, not_traced
from cpt_model.layers.product import convolve, geometry
from cpt_model.layers.state import LayerState

Numbers = int | Sequence[int]


def conv2d(
    state: LayerState,
    training: bool,
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Numbers = 1,
    padding: Numbers | str = 0,
    groups: int = 1,
) -> Tensor:
    """`torch.nn.functional.conv2d` on codes, for batches and for single images."""
    if x.ndim not in (3, 4):
        raise ValueError(f"layer '{state.name}': input {tuple(x.shape)} is not (n, c, h, w) or (c, h, w)")
    images = x[None] if x.ndim == 3 else x
    kernel = tuple(weight.shape[2:])
    layer = geometry(
        *(images.shape[0], weight.shape[1] * groups, weight.shape[0], images.shape[2], images.shape[3]),
        *(kernel, _pair(stride), padding_numbers(padding, kernel), groups),
    )
    y = convolve(images, weight, layer, state, "input", training)
    if bias is not None:
        y = y + bias[:, None, None]
    return y[0] if x.ndim == 3 else y


def padding_numbers(padding: Numbers | str, kernel: Sequence[int]) -> tuple[int, ...]:
    """Of both axes; "same" pads odd kernels alike on both sides."""
    if not isinstance(padding, str):
        return _pair(padding)
    return tuple((size - 1) // 2 if padding == "same" else 0 for size in kernel)


def _pair(numbers: Numbers) -> tuple[int, ...]:
    if isinstance(numbers, int):
        return numbers, numbers
    return tuple(numbers) * (2 if len(numbers) == 1 else 1)


class QuantConv2d(QuantLayer, nn.Conv2d):
    """A Conv2d whose class was changed by `prepare_`; groups and depthwise layers included."""

    original = nn.Conv2d

    @not_traced
    def forward(self, input: Tensor) -> Tensor:
        self.cpt.check(input, self.weight)
        if not input.numel() or not any(self.cpt.bits):
            return super().forward(input)
        options = self.bias, self.stride, self.padding, self.groups
        return conv2d(self.cpt, self.training, input, self.weight, *options)
