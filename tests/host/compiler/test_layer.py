"""What a layer is, and which layers are refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings

from host.compiler.layer import Conv, LayerError, Pass
from host.compiler.precision import Output, Precision
from sim.contract import Format
from tests.tools import layers

GOOD: dict[str, Any] = {"batch": 2, "in_channels": 4, "out_channels": 6, "height": 8, "width": 8, "kernel": (3, 3)}


@settings(max_examples=50)
@given(layers())
def test_shapes_are_those_of_torch(layer: Conv) -> None:
    module = torch.nn.Conv2d(
        layer.in_channels,
        layer.out_channels,
        layer.kernel,
        layer.stride,
        layer.padding,
        groups=layer.groups,
        bias=False,
    )
    result = module(torch.zeros(layer.input_shape))
    assert layer.weight_shape == tuple(module.weight.shape)
    assert layer.output_shape == tuple(result.shape)


@settings(max_examples=50)
@given(layers())
def test_macs_are_the_weights_used_for_each_output_pixel(layer: Conv) -> None:
    weights = torch.empty(layer.weight_shape).numel()
    assert layer.macs == weights * layer.batch * layer.out_height * layer.out_width


def test_a_fully_connected_layer_multiplies_features() -> None:
    layer = Conv.linear(8, 100, 10)
    assert layer.weight_shape == (10, 100, 1, 1)
    assert layer.output_shape == (8, 10, 1, 1)
    assert layer.macs == 8 * 100 * 10


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"batch": 0}, r"batch = 0 is not in 1\.\.65535"),
        ({"batch": 65536}, r"batch = 65536 is not in 1\.\.65535"),
        ({"in_channels": 65521}, r"in_channels = 65521 is not in 1\.\.65520"),
        ({"out_channels": 65521}, r"out_channels = 65521 is not in 1\.\.65520"),
        ({"height": 0}, "height = 0"),
        ({"width": 4096}, r"width = 4096 is not in 1\.\.4095"),
        ({"kernel": (16, 3), "height": 20}, r"kernel = 16 is not in 1\.\.15"),
        ({"kernel": (3, 0)}, r"kernel = 0 is not in 1\.\.15"),
        ({"stride": (16, 1)}, r"stride = 16 is not in 1\.\.15"),
        ({"stride": (1, -1)}, r"smaller than the kernel|stride = -1"),
        ({"padding": (3, 0)}, r"padding 3 is not in 0\.\.2"),
        ({"padding": (0, -1)}, r"padding -1 is not in 0\.\.2"),
        ({"kernel": (1, 1), "padding": (0, 1)}, r"padding 1 is not in 0\.\.0"),
        ({"width": 2}, r"width 2 .* smaller than the kernel \(3, 3\)"),
        ({"groups": 0}, "groups = 0"),
        ({"groups": 5}, r"groups = 5 is not in 1\.\.4"),
        ({"groups": 3}, "in_channels = 4 is not a multiple of groups = 3"),
        ({"groups": 4}, "out_channels = 6 is not a multiple of groups = 4"),
        ({"stride": (0, 1)}, r"stride = 0 is not in 1\.\.15"),
        ({"in_channels": 0}, "in_channels = 0"),
        ({"batch": 2.0}, r"batch = 2\.0 is not an integer"),
        ({"height": "8"}, "height = '8' is not an integer"),
        ({"kernel": (3, 2.5)}, r"kernel = 2\.5 is not an integer"),
        ({"kernel": (3, 3, 3)}, r"kernel = \(3, 3, 3\) is neither a number nor a pair"),
        ({"padding": "same"}, "padding = 'same' is neither a number nor a pair"),
        ({"stride": None}, "stride = None is not an integer"),
        ({"height": 4095, "kernel": (3, 3), "padding": (2, 2)}, r"output height = 4097 is not in 1\.\.4095"),
    ],
)
def test_a_layer_that_cannot_run_is_refused_with_the_reason(change: dict[str, Any], message: str) -> None:
    with pytest.raises(LayerError, match=message):
        Conv(**{**GOOD, **change})


def test_one_number_stands_for_both_axes_and_numpys_are_taken() -> None:
    plain = Conv(2, 4, 6, 8, 8, (3, 3), (2, 2), (1, 1))
    given: dict[str, Any] = {"batch": np.int32(2), "kernel": 3, "stride": [2, 2], "padding": np.int64(1)}
    layer = Conv(in_channels=4, out_channels=6, height=8, width=8, **given)
    assert layer == plain
    assert str(layer) == str(plain)


def test_a_pass_by_its_name() -> None:
    assert Pass("input-error") is Pass.INPUT_ERROR
    with pytest.raises(LayerError, match="unknown pass 'backward'; there are: forward, input-error, weight-gradient"):
        Pass("backward")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Precision(3.5, 3), r"a_bits = 3\.5 is not an integer"),  # type: ignore[arg-type]
        (lambda: Precision(3, "3"), "b_bits = '3' is not an integer"),  # type: ignore[arg-type]
        (lambda: Precision(3, 17), r"b_bits = 17 is not in 1\.\.16"),
        (lambda: Output(Format.INT16, bits=8.0), r"bits = 8\.0 is not an integer"),  # type: ignore[arg-type]
        (lambda: Output(seed="x"), "seed = 'x' is not an integer"),  # type: ignore[arg-type]
        (lambda: Output("int16"), "out_format = 'int16' is not one of .*Format.INT16"),  # type: ignore[arg-type]
    ],
)
def test_widths_and_outputs_of_a_wrong_type_are_refused_by_name(make: Callable[[], object], message: str) -> None:
    with pytest.raises(LayerError, match=message):
        make()


def test_limits_themselves_are_legal() -> None:
    assert Conv(65535, 65520, 65520, 4095, 4095, (15, 15), (15, 15), (14, 14)).out_height == 274
