"""A step taken apart: layers alike, sums, Amdahl's points, and the picture of them."""

from __future__ import annotations

import pytest

from cpt_model.cost import Run
from cpt_model.cost.accelerator import PROFILES
from cpt_model.cost.step_parts import alike_layers, saving_parts, step_times, sums
from cpt_model.cost.step_plot import draw_steps
from cpt_model.cost.whole_step import step_hours
from host.compiler.bits import Bits
from host.compiler.layer import LayerError

ZC706 = PROFILES["zc706"]
ARCH, BITS = "cifar10_resnet_20", [Bits(3, 8), Bits(8, 8)]


def test_points_add_up_to_the_saving_and_none_has_more_than_its_share() -> None:
    run, static = (step_hours(ARCH, Run.named(name, 1000), ZC706) for name in ("3-8/8", "8/8"))
    parts = saving_parts(run, static)
    saved = 100 * (1 - sum(run.values()) / sum(static.values()))
    assert sum(part.points for part in parts) == pytest.approx(saved)
    assert sum(part.share_pct for part in parts) == pytest.approx(100)
    assert all(0 <= part.points < part.share_pct for part in parts)


def test_layers_alike_stand_for_all_of_them() -> None:
    times = step_times(ARCH, 8, BITS, ZC706)
    layers = alike_layers(times, BITS)
    assert sum(layer.number for layer in layers) == 22  # 21 convolutions and the classifier
    assert len(layers) < 22
    for bits in BITS:
        counted = sum(layer.number * sum(layer.cycles[bits].values()) for layer in layers)
        assert counted == pytest.approx(sum(sums(times[bits]).values()))


def test_the_picture_has_a_panel_for_each_question() -> None:
    times = step_times(ARCH, 8, BITS, ZC706)
    parts = saving_parts(*(sums(times[bits]) for bits in BITS))
    titles = [panel.get_title() for panel in draw_steps(times, 200.0, "all", parts).get_axes()]
    assert titles[:3] == ["one layer at 3/8 bits", "one layer at 8/8 bits", "all layers"]
    assert titles[3].endswith("points saved")
    alone = draw_steps({BITS[1]: times[BITS[1]]}, 200.0, "static")
    assert [panel.get_title() for panel in alone.get_axes()] == ["one layer at 8/8 bits", "all layers"]


def test_a_network_without_whole_steps_is_refused() -> None:
    with pytest.raises(LayerError, match="does not run as whole iterations"):
        step_times("resnet18", 8, BITS, ZC706)
