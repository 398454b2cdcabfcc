"""The geometry of the three passes, tap by tap."""

from dataclasses import replace

import pytest
from hypothesis import given

from host.compiler.geometry import geometry
from host.compiler.layer import Conv, Pass
from sim.contract import Opcode
from sim.contract.checks import shape_holds
from tests.tools import layers

Taps = set[tuple[int, int, int]]
AXES = (
    ("height", "out_height", "a_height", "y_height", "kernel_h", "stride_y", "up_y", "pad_top"),
    ("width", "out_width", "a_width", "y_width", "kernel_w", "stride_x", "up_x", "pad_left"),
)


def taps_of_layer(layer: Conv, axis: int) -> Taps:
    """(input position, kernel position, output position) of every product of a convolution, along one axis."""
    extent, out_extent = getattr(layer, AXES[axis][0]), getattr(layer, AXES[axis][1])
    kernel, stride, padding = layer.kernel[axis], layer.stride[axis], layer.padding[axis]
    return {
        (i, k, o)
        for i in range(extent)
        for k in range(kernel)
        for o in range(out_extent)
        if i == o * stride + k - padding
    }


def taps_of_command(layer: Conv, which: Pass, axis: int) -> Taps:
    """The same as a command reads them: (position in A, kernel position, position in y)."""
    command = geometry(layer, which)
    a, y, kernel, stride, up, before = (getattr(command, name) for name in AXES[axis][2:])
    places = ((o * stride + k - before, k, o) for o in range(y) for k in range(kernel))
    return {(place // up, k, o) for place, k, o in places if place % up == 0 and 0 <= place // up < a}


@pytest.mark.parametrize("axis", [0, 1])
@given(layers())
def test_forward_and_gradient_use_the_taps_of_the_layer(axis: int, layer: Conv) -> None:
    assert taps_of_command(layer, Pass.FORWARD, axis) == taps_of_layer(layer, axis)
    assert taps_of_command(layer, Pass.WEIGHT_GRADIENT, axis) == taps_of_layer(layer, axis)


@pytest.mark.parametrize("axis", [0, 1])
@given(layers())
def test_the_input_error_uses_the_same_taps_backwards(axis: int, layer: Conv) -> None:
    """A is the output's error there, y the input, and the kernel is flipped."""
    last = layer.kernel[axis] - 1
    backwards = {(o, last - k, i) for i, k, o in taps_of_layer(layer, axis)}
    assert taps_of_command(layer, Pass.INPUT_ERROR, axis) == backwards


@pytest.mark.parametrize("which", Pass)
@given(layers())
def test_every_pass_of_a_legal_layer_has_a_legal_shape(which: Pass, layer: Conv) -> None:
    assert shape_holds(geometry(layer, which))


@pytest.mark.parametrize("which", Pass)
@given(layers())
def test_padding_behind_the_map_is_no_more_than_the_kernel_reaches(which: Pass, layer: Conv) -> None:
    command = geometry(layer, which)
    for padding in ("pad_bottom", "pad_right"):
        behind = getattr(command, padding)
        assert behind == 0 or not shape_holds(replace(command, **{padding: behind - 1}))


def test_a_legal_shape_at_the_largest_kernel_and_stride() -> None:
    for padding in (0, 7, 14):
        layer = Conv(1, 1, 1, 29, 43, (15, 15), (15, 15), (padding, padding))
        assert all(shape_holds(geometry(layer, which)) for which in Pass)


def test_opcodes_of_the_passes() -> None:
    layer = Conv(1, 1, 1, 3, 3)
    assert [geometry(layer, which).opcode for which in Pass] == [Opcode.CONV, Opcode.CONV, Opcode.WGRAD]
