"""The geometry of a layer's three passes as the fields of a command."""

from __future__ import annotations

from host.compiler.layer import Conv, Pass
from sim.contract import Command, Opcode


def geometry(layer: Conv, which: Pass) -> Command:
    """A command with the pass's opcode, extents, steps and padding; the other fields are filled in later."""
    if which is Pass.INPUT_ERROR:
        return _input_error(layer)
    bottom, right = (
        (out - 1) * stride + kernel - extent - before
        for extent, out, kernel, stride, before in _axes(layer, layer.padding)
    )
    return Command(
        opcode=Opcode.CONV if which is Pass.FORWARD else Opcode.WGRAD,
        images=layer.batch,
        a_height=layer.height,
        a_width=layer.width,
        y_height=layer.out_height,
        y_width=layer.out_width,
        kernel_h=layer.kernel[0],
        kernel_w=layer.kernel[1],
        stride_y=layer.stride[0],
        stride_x=layer.stride[1],
        pad_top=layer.padding[0],
        pad_left=layer.padding[1],
        pad_bottom=max(0, bottom),
        pad_right=max(0, right),
    )


def _input_error(layer: Conv) -> Command:
    """A CONV of the error with flipped weights: the stride becomes zero insertion, padding its complement."""
    top, left = (kernel - 1 - padding for kernel, padding in zip(layer.kernel, layer.padding, strict=True))
    bottom, right = (
        extent + kernel - 2 - (out - 1) * stride - before
        for extent, out, kernel, stride, before in _axes(layer, (top, left))
    )
    return Command(
        opcode=Opcode.CONV,
        images=layer.batch,
        a_height=layer.out_height,
        a_width=layer.out_width,
        y_height=layer.height,
        y_width=layer.width,
        kernel_h=layer.kernel[0],
        kernel_w=layer.kernel[1],
        up_y=layer.stride[0],
        up_x=layer.stride[1],
        pad_top=top,
        pad_left=left,
        pad_bottom=bottom,
        pad_right=right,
    )


def _axes(layer: Conv, before: tuple[int, int]) -> zip[tuple[int, int, int, int, int]]:
    """Per axis: input extent, output extent, kernel, stride, padding before the first element."""
    inputs, outputs = (layer.height, layer.width), (layer.out_height, layer.out_width)
    return zip(inputs, outputs, layer.kernel, layer.stride, before, strict=True)
