"""A layer as the compiler sees it: the shapes of a convolution. A fully connected layer is a 1 × 1 convolution."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from sim.common.numbers import integer, set_integer
from sim.contract import CHANNEL_BLOCK, MAX_BLOCKS, MAX_EXTENT, MAX_IMAGES, MAX_KERNEL, MAX_STEP

Shape = tuple[int, int, int, int]


class Pass(Enum):
    """The three matrix passes of a layer."""

    FORWARD = "forward"
    INPUT_ERROR = "input-error"
    WEIGHT_GRADIENT = "weight-gradient"

    @classmethod
    def _missing_(cls, value: object) -> Pass:
        raise LayerError(f"unknown pass {value!r}; there are: {', '.join(each.value for each in cls)}")


class LayerError(ValueError):
    """A layer the accelerator cannot run; the message says what, where and what is allowed."""


@dataclass(frozen=True)
class Conv:
    """A convolution of `batch` maps (in_channels, height, width), square or not, as `torch.nn.Conv2d` has it.

    Kernel, stride and padding are pairs (rows, columns); one number stands for both.

    >>> Conv(batch=8, in_channels=16, out_channels=32, height=32, width=32, kernel=3, stride=2, padding=1).out_height
    16
    """

    batch: int
    in_channels: int
    out_channels: int
    height: int
    width: int
    kernel: tuple[int, int] = (1, 1)
    stride: tuple[int, int] = (1, 1)
    padding: tuple[int, int] = (0, 0)
    groups: int = 1

    def __post_init__(self) -> None:
        for name in ("batch", "in_channels", "out_channels", "height", "width", "groups"):
            set_integer(self, name, LayerError)
        for name in ("kernel", "stride", "padding"):
            object.__setattr__(self, name, _pair(name, getattr(self, name)))
        _within("batch", self.batch, MAX_IMAGES)
        for name in ("in_channels", "out_channels"):
            _within(name, getattr(self, name), CHANNEL_BLOCK * MAX_BLOCKS)
        _within("groups", self.groups, min(self.in_channels, self.out_channels))
        for name in ("in_channels", "out_channels"):
            channels = getattr(self, name)
            if channels % self.groups:
                raise LayerError(f"{name} = {channels} is not a multiple of groups = {self.groups}")
        for kernel, stride, padding in zip(self.kernel, self.stride, self.padding, strict=True):
            _within("kernel", kernel, MAX_KERNEL)
            _within("stride", stride, MAX_STEP)
            if not 0 <= padding < kernel:
                raise LayerError(f"padding {padding} is not in 0..{kernel - 1} (below the kernel's extent)")
        sizes = ("height", self.height, self.out_height), ("width", self.width, self.out_width)
        for axis, extent, out_extent in sizes:
            _within(axis, extent, MAX_EXTENT)
            if out_extent < 1:
                raise LayerError(f"{axis} {extent} with this padding is smaller than the kernel {self.kernel}")
            _within(f"output {axis}", out_extent, MAX_EXTENT)

    @classmethod
    def linear(cls, batch: int, in_features: int, out_features: int) -> Conv:
        """A fully connected layer: each sample is a 1 × 1 map."""
        return cls(batch, in_features, out_features, 1, 1)

    @property
    def out_height(self) -> int:
        return (self.height + 2 * self.padding[0] - self.kernel[0]) // self.stride[0] + 1

    @property
    def out_width(self) -> int:
        return (self.width + 2 * self.padding[1] - self.kernel[1]) // self.stride[1] + 1

    @property
    def input_shape(self) -> Shape:
        return self.batch, self.in_channels, self.height, self.width

    @property
    def weight_shape(self) -> Shape:
        return self.out_channels, self.in_channels // self.groups, *self.kernel

    @property
    def output_shape(self) -> Shape:
        return self.batch, self.out_channels, self.out_height, self.out_width

    def operand_shapes(self, which: Pass) -> tuple[Shape, Shape]:
        """Shapes of a pass's operands a and b: input and weights, output error and weights, or input and error."""
        return {
            Pass.FORWARD: (self.input_shape, self.weight_shape),
            Pass.INPUT_ERROR: (self.output_shape, self.weight_shape),
            Pass.WEIGHT_GRADIENT: (self.input_shape, self.output_shape),
        }[which]

    @property
    def macs(self) -> int:
        """Multiply-accumulates of one pass, for the whole batch."""
        per_output = self.weight_shape[1] * self.kernel[0] * self.kernel[1]
        return self.batch * self.out_channels * self.out_height * self.out_width * per_output


def _pair(name: str, value: object) -> tuple[int, int]:
    numbers = tuple(value) if isinstance(value, Iterable) else (value, value)
    if len(numbers) != 2:
        raise LayerError(f"{name} = {value!r} is neither a number nor a pair (rows, columns)")
    rows, columns = (integer(name, number, LayerError) for number in numbers)
    return rows, columns


def _within(name: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise LayerError(f"{name} = {value} is not in 1..{most}")
