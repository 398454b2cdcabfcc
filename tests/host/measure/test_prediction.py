"""The bound: by hand, and below what the RTL was simulated to take."""

from __future__ import annotations

import json

import pytest

from host.compiler.layer import Conv, Pass
from host.compiler.layer_spec import parse_layer
from host.compiler.lower import lower
from host.compiler.plan import Plan
from host.compiler.precision import Output, Precision
from host.measure.cycle_grid import Point
from host.measure.prediction import bound_cycles, moved_bytes
from tests.tools import ROOT, TINY, ZC706


def test_bytes_are_counted_once() -> None:
    layer = Conv(2, 16, 32, 4, 4, (3, 3), padding=(1, 1))
    (command,) = lower(layer, Pass.FORWARD, Precision(3, 4), TINY, Output(row_sums=True), plan=Plan()).commands
    a, b, out, sums = 2 * 16 * 3 * 2, 32 * 9 * 4 * 2, 2 * 32 * 16 * 4, 2 * 16 * 4
    assert moved_bytes(command) == a + b + out + sums


def test_the_slower_of_array_and_memory_counts() -> None:
    layer = Conv(1, 16, 16, 8, 8, (3, 3), padding=(1, 1))
    wide, narrow = (lower(layer, Pass.FORWARD, Precision(bits, bits), ZC706, plan=Plan()).commands for bits in (16, 1))
    assert bound_cycles(wide, ZC706, 50.0) == 16 * 16 * 2, "two rounds of 48 lanes for 64 pixels, one slice"
    assert bound_cycles(narrow, ZC706, 50.0) == moved_bytes(narrow[0]) / 50
    assert bound_cycles(narrow, TINY, 50.0) == moved_bytes(narrow[0]) / 16, "its bus moves 8 bytes each way"


def test_no_cycles_of_the_rtl_are_below_it() -> None:
    points = json.loads((ROOT / "vivado" / "cycles.json").read_text())["points"]
    assert points
    for point in points:
        layer, commands = parse_layer(point["layer"]), Point.measured(point).commands(ZC706)
        assert bound_cycles(commands, ZC706, 50.0) <= point["cycles"] * 1.0001, point
        if layer.macs > 1e8 and layer.in_channels > 3:  # else filling and draining rule
            assert point["cycles"] < 5 * bound_cycles(commands, ZC706, 50.0), "nor is it far off"


@pytest.mark.parametrize("bandwidth", [8.0, 1.0])
def test_less_bandwidth_takes_longer(bandwidth: float) -> None:
    commands = lower(Conv.linear(64, 64, 64), Pass.FORWARD, Precision(2, 2), ZC706, plan=Plan()).commands
    assert bound_cycles(commands, ZC706, bandwidth) == moved_bytes(commands[0]) / bandwidth
