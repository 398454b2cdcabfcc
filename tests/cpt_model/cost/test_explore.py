"""The design space: hours as the board model gives them, what is left out, and the front."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cpt_model.cost import Run, count_network
from cpt_model.cost.accelerator import PROFILES, AcceleratorBoard
from cpt_model.cost.explore import Design, Space, pareto, run_cycles, sweep
from cpt_model.cost.resources import Resources, read_table
from cpt_model.cost.whole_step import StepBoard, step_hours
from cpt_model.cost.workload import PassWorkload, StepWorkload, workload
from cpt_model.tracing.counts import LayerCount, ModelCount
from host.compiler.layer import LayerError
from host.compiler.step.networks import named
from host.measure.step_time import PRODUCTS

ENDLESS = Resources(1e9, 1e9, 1e9, 1e9)
ARCH = "cifar10_resnet_8"
RUN, STATIC = Run.named("3-8/8", iterations=64, batch=16), Run.named("8/8", iterations=64, batch=16)
WORK = StepWorkload(named(ARCH), RUN.batch)


@pytest.mark.parametrize("arch", ["cifar10_resnet_20", "lstm_lm_small", "cifar10_mobilenet_v2"])
def test_a_workload_takes_as_long_as_the_board_says(arch: str) -> None:
    network, profile = count_network(arch), PROFILES["zc706-ps"]
    cycles = run_cycles(PassWorkload.of_count(network, RUN.batch), RUN, profile)
    hours = AcceleratorBoard(profile).hours(network, RUN)
    assert cycles.total == pytest.approx(cycles.products)
    assert cycles.total / (profile.clock_mhz * 3600e6) == pytest.approx(hours, rel=1e-12)


def test_a_network_that_runs_as_whole_steps_is_timed_in_them() -> None:
    profile, arch = PROFILES["zc706-ps"], "cifar10_resnet_20"
    work = workload(arch, count_network(arch), RUN)
    cycles = run_cycles(work, RUN, profile)
    hours = step_hours(arch, RUN, profile)
    assert cycles.total / (profile.clock_mhz * 3600e6) == pytest.approx(sum(hours.values()))
    assert cycles.products / (profile.clock_mhz * 3600e6) == pytest.approx(sum(hours[each] for each in PRODUCTS))
    assert sum(cycles.ruled.values()) == cycles.total
    others = ("lstm_lm_small", RUN), (arch, Run.named("12/8"))
    assert {workload(name, count_network(name), run).of for name, run in others} == {"matrix passes"}


def test_a_layer_without_a_command_is_refused_by_name() -> None:
    network = ModelCount((LayerCount("three", "Conv3d", 9, quantised=True, foreign=("maps of two dimensions",)),))
    with pytest.raises(LayerError, match=r"layer 'three' \(Conv3d\): maps of two dimensions"):
        PassWorkload.of_count(network, 8)


def test_designs_are_timed_and_counted() -> None:
    network = count_network(ARCH)
    space = Space(lanes=(16, 48), slice_groups=(3, 9), clocks_mhz=(100, 200), bandwidths=(10,))
    found = sweep(WORK, RUN, STATIC, ENDLESS, space)
    assert [design.profile.name for design in found.designs[::2]] == ["16x16x3", "16x16x9", "48x16x9"]
    ((reason, skipped),) = found.skipped.items()
    assert (reason, skipped.count) == ("slices of K that the latency model is not of", 2)
    assert skipped.example == "48x16x3: 48 lanes need at least 9 groups of K, a multiple of 3"
    (zc706,) = [each for each in found.designs if each.profile.name == "48x16x9" and each.place == (200, 10)]
    board = StepBoard(ARCH, PROFILES["zc706"])
    assert zc706.hours == pytest.approx(board.hours(network, RUN))
    assert zc706.static_hours == pytest.approx(board.hours(network, STATIC))
    assert zc706.resources == read_table().estimate(PROFILES["zc706"].build)
    assert sum(zc706.shares_pct.values()) == pytest.approx(100)
    assert [each.buildable for each in found.designs[::2]] == [True, True, True]
    assert found.best == zc706 == found.best_buildable


def test_what_does_not_fit_the_part_is_counted_with_its_reason() -> None:
    need = read_table().estimate(replace(PROFILES["zc706"].build, lanes=32, slice_groups=12))
    part = Resources(ENDLESS.lut, ENDLESS.ff, need.dsp, need.bram36)
    space = Space(lanes=(16, 32, 48, 64), slice_groups=(12,), clocks_mhz=(100, 200), bandwidths=(10,))
    found = sweep(WORK, RUN, STATIC, part, space)
    assert {design.profile.build.lanes for design in found.designs} == {16, 32}
    ((reason, skipped),) = found.skipped.items()
    assert (reason, skipped.count) == ("too many DSP and BRAM36", 4)
    assert skipped.example.startswith("48x16x12 needs ")


def test_a_build_that_cannot_run_a_layer_is_counted_with_the_layer() -> None:
    space = Space(lanes=(16,), slice_groups=(9,), lane_words=(64, 12288), clocks_mhz=(200,), bandwidths=(10,))
    found = sweep(WORK, RUN, STATIC, ENDLESS, space)
    assert [design.profile.name for design in found.designs] == ["16x16x9 12288 words"]
    ((reason, skipped),) = found.skipped.items()
    assert (reason, skipped.count) == ("cannot run the forward pass of 'conv1'", 1)
    assert "does not fit the memories of 16x16x9 64 words" in skipped.example


def test_sizes_the_contract_does_not_allow_are_refused() -> None:
    with pytest.raises(ValueError, match="lanes = 20 is not a multiple of 16"):
        Space(lanes=(20,)).builds()
    with pytest.raises(ValueError, match=r"columns = 8 is not in 16\.\.16"):
        Space(columns=(8,)).builds()


def design(lut: float, taken: float) -> Design:
    return Design(PROFILES["zc706"], Resources(lut=lut), taken, taken, 2 * taken, {}, False)


def test_a_front_has_what_nothing_smaller_beats() -> None:
    small, equal, slow, fast = design(10, 5), design(10, 6), design(20, 5), design(30, 3)
    assert pareto([fast, slow, equal, small]) == [small, fast]
    assert pareto([]) == []
    assert small.saving_hours_pct == 50


def test_a_front_belongs_to_one_clock_and_bandwidth() -> None:
    space = Space(lanes=(16, 48), slice_groups=(9,), clocks_mhz=(100, 200), bandwidths=(3.4, 10))
    fronts = sweep(WORK, RUN, STATIC, ENDLESS, space).fronts
    assert list(fronts) == [(100, 3.4), (100, 10), (200, 3.4), (200, 10)]
    assert all(each.place == pytest.approx(place) for place, front in fronts.items() for each in front)
    assert [len(front) for front in fronts.values()] == [2, 2, 2, 2]
