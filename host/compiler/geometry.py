"""The geometry of a layer's three passes, and where their tensors lie, as fields of a command."""

from __future__ import annotations

from dataclasses import replace

from host.compiler.layer import Conv, Pass
from host.compiler.slots import Slot
from sim.contract import Command, Opcode, Tensor

Place = Slot | Tensor


def addressed(command: Command, a: Place, b: Place, out: Place, starts: tuple[int, int, int]) -> Command:
    """With the strides of its tensors, and where the part of each that it works on starts."""
    fields: dict[str, int] = {}
    for name, tensor, start in zip(("a", "b", "out"), (a, b, out), starts, strict=True):
        strides = {f"{name}_image_stride": tensor.image_stride, f"{name}_block_stride": tensor.block_stride}
        fields |= {f"{name}_addr": start, **strides}
    return replace(command, **fields)


def geometry(layer: Conv, which: Pass) -> Command:
    """A command with the pass's opcode, extents, steps and padding; the other fields are filled in later.

    The input error is a CONV of the error with flipped weights: the stride becomes zero insertion, padding its
    complement.
    """
    a, y = layer.input_shape[2:], layer.output_shape[2:]
    axes = list(zip(a, y, layer.kernel, layer.stride, layer.padding, strict=True))
    if which is Pass.INPUT_ERROR:
        a, y = y, a
        before = [kernel - 1 - padding for _, _, kernel, _, padding in axes]
        after = [extent - 1 - (out - 1) * stride + padding for extent, out, _, stride, padding in axes]
        steps = {"up_y": layer.stride[0], "up_x": layer.stride[1]}
    else:
        before = list(layer.padding)
        after = [
            max(0, (out - 1) * stride + kernel - extent - padding) for extent, out, kernel, stride, padding in axes
        ]
        steps = {"stride_y": layer.stride[0], "stride_x": layer.stride[1]}
    return Command(
        opcode=Opcode.WGRAD if which is Pass.WEIGHT_GRADIENT else Opcode.CONV,
        images=layer.batch,
        a_height=a[0],
        a_width=a[1],
        y_height=y[0],
        y_width=y[1],
        kernel_h=layer.kernel[0],
        kernel_w=layer.kernel[1],
        **steps,
        pad_top=before[0],
        pad_left=before[1],
        pad_bottom=after[0],
        pad_right=after[1],
    )
