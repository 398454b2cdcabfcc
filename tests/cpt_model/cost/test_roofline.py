"""The roofline: what counts as intensity and rate, that nothing lies above the roofs, and what is drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from matplotlib.figure import Figure

from cpt_model.cost import count_network
from cpt_model.cost.accelerator import PROFILES, AcceleratorBoard, PassTime
from cpt_model.cost.roofline import compute_roof, ridge, roofline_points
from cpt_model.cost.roofline_plot import draw_roofline
from cpt_model.schedules import Bits
from host.compiler.layer import Pass
from sim.latency import CommandTime

ZC706 = PROFILES["zc706"]
SLACK = 0.02  # the model's weight gradients do not quite share the memory between loads and stores


def one_pass(**streams: float) -> PassTime:
    time = replace(CommandTime(cycles=200, compute=100, load=30, store=10), **streams)
    return PassTime("conv", Pass.FORWARD, Bits(3, 8), 8_000, time)


def test_intensity_counts_both_directions_and_rate_counts_all_cycles() -> None:
    (point,) = roofline_points([one_pass()], ZC706)
    assert point.label == "conv forward"
    assert point.bits == Bits(3, 8)
    assert point.intensity == pytest.approx(8_000 / (40 * ZC706.memory.bytes_per_cycle))
    assert point.rate == pytest.approx(40)
    assert point.bottleneck == "compute"


def test_bottleneck_is_the_slowest_stream() -> None:
    points = roofline_points([one_pass(load=150), one_pass(store=150)], ZC706)
    assert [point.bottleneck for point in points] == ["load", "store"]


@pytest.mark.parametrize("name", PROFILES)
def test_no_pass_of_a_network_lies_above_a_roof(name: str) -> None:
    profile = PROFILES[name]
    network = count_network("cifar10_resnet_8")
    passes = [
        each for bits in (Bits(3, 8), Bits(8, 8)) for each in AcceleratorBoard(profile).passes(network, 128, bits)
    ]
    points = roofline_points(passes, profile)
    assert len(points) == len(passes) > 0
    for point in points:
        roof = min(compute_roof(profile), point.intensity * profile.memory.bytes_per_cycle)
        assert 0 < point.rate <= roof * (1 + SLACK), point.label


def test_less_bandwidth_moves_the_ridge_right() -> None:
    assert ridge(PROFILES["zc706-ps"]) > ridge(ZC706)


def test_drawing_has_both_roofs_and_every_point() -> None:
    axes: Any = Figure().subplots()
    points = roofline_points([one_pass(), one_pass(load=150), one_pass(load=160)], ZC706)
    draw_roofline(axes, points, ZC706)
    roofs, *dots = axes.lines
    assert max(roofs.get_ydata()) == compute_roof(ZC706)
    assert sorted(rate for line in dots for rate in line.get_ydata()) == sorted(point.rate for point in points)
    written = " ".join(text.get_text() for text in axes.texts)
    assert "10 GB/s" in written
    assert "200 MHz" in written
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert legend == ["3/8 bits, compute-bound", "3/8 bits, load-bound"]


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one point"):
        draw_roofline(Figure().subplots(), [], ZC706)
