"""The latency model against cycles of the RTL core, and what must hold whatever its constants are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from host.compiler.layer import Conv, Pass
from host.compiler.lower import lower
from host.compiler.plan import Plan
from host.compiler.precision import Output, Precision
from host.measure.model_error import (
    GRIDS,
    STEP_ITERATIONS,
    STEPS,
    figures,
    grid_deviations,
    step_errors,
    step_iteration_deviations,
)
from host.measure.step_cycles import PRODUCTS
from sim.contract import Command, Format, array_cycles
from sim.latency import CommandTime, Memory, command_time
from sim.latency.wgrad_plan import rounds
from tests.tools import TINY, TRAIN, ZC706

LAYER = Conv(64, 32, 32, 12, 12, (3, 3), padding=(1, 1))
STORED = Output(Format.INT16, 16, shift=4)


def command(which: Pass, bits: tuple[int, int] = (8, 8), layer: Conv = LAYER, stored: Output = STORED) -> Command:
    (only,) = lower(
        layer, which, Precision(*bits, which is Pass.INPUT_ERROR, True), ZC706, stored, plan=Plan()
    ).commands
    return only


@pytest.mark.parametrize(
    ("name", "passes", "mean", "worst"),
    [
        ("fitted on", 40, 1.5, 10.0),
        ("unseen", 40, 2.0, 10.0),
        ("unseen, on tiny", 40, 5.0, 12.0),
        ("on zc706_train", 3, 1.0, 1.0),
    ],
)
def test_cycles_of_the_rtl_are_met(name: str, passes: int, mean: float, worst: float) -> None:
    found = figures(grid_deviations(GRIDS[name]))
    assert found["passes"] >= passes
    assert found["mean_pct"] <= mean
    assert found["worst_pct"] <= worst


@pytest.mark.parametrize("which", list(Pass))
def test_no_command_is_faster_than_its_array(which: Pass) -> None:
    for bits in ((1, 1), (3, 8), (8, 8)):
        time = command_time(command(which, bits), ZC706, Memory())
        assert time.cycles > time.compute >= 0.99 * array_cycles(command(which, bits), ZC706)


def test_two_kernel_rows_share_a_set_where_the_array_has_two_columns_of_taps() -> None:
    """A kernel of 3 x 3 takes five rounds of 32 rows, as section 14 of the contract counts them; of 2 x 2, two."""
    odd = command(Pass.WEIGHT_GRADIENT)
    even = replace(odd, kernel_h=2, kernel_w=2, y_height=13, y_width=13)
    assert rounds(odd, 3, TRAIN) == (5, 1)
    assert rounds(odd, 1, TRAIN) == (2, 0)
    assert rounds(even, 2, TRAIN) == (2, 0)
    assert rounds(odd, 3, ZC706) == (3, 0)
    assert array_cycles(odd, TRAIN) <= command_time(odd, TRAIN, Memory(1e6)).compute <= 1.3 * array_cycles(odd, TRAIN)


@pytest.mark.parametrize("which", list(Pass))
def test_a_slower_memory_takes_longer(which: Pass) -> None:
    fast, slow, slower = (
        command_time(command(which, (3, 3)), ZC706, Memory(bandwidth)).cycles for bandwidth in (50, 8, 4)
    )
    assert fast < slow < slower
    assert slower / slow == pytest.approx(2, rel=0.1), "the memory rules"


def test_latency_is_hidden_where_the_memory_does_not_rule() -> None:
    near, far = (command_time(command(Pass.FORWARD), ZC706, Memory(50, latency)).cycles for latency in (20, 220))
    assert 0 <= far - near < 400


def test_cycles_follow_the_product_of_the_widths_where_the_array_rules() -> None:
    wide, narrow = (command_time(command(Pass.FORWARD, bits), ZC706, Memory(1e6)).cycles for bits in ((8, 8), (6, 6)))
    assert wide / narrow == pytest.approx(64 / 36, rel=0.05)


def test_where_tensors_lie_makes_no_difference() -> None:
    here = command(Pass.WEIGHT_GRADIENT)
    there = replace(here, a_addr=here.a_addr + 4096, out_addr=here.out_addr + 4096, tag=3)
    assert command_time(here, ZC706, Memory()) == command_time(there, ZC706, Memory())


def test_row_sums_take_time_to_store() -> None:
    bare = command_time(command(Pass.FORWARD, (3, 3)), ZC706, Memory())
    summed = command_time(command(Pass.FORWARD, (3, 3), stored=replace(STORED, row_sums=True)), ZC706, Memory())
    assert summed.cycles > bare.cycles
    assert summed.store > bare.store


def test_wide_results_are_drained_more_slowly() -> None:
    narrow, wide = (
        command_time(command(Pass.FORWARD, (2, 2), stored=Output(form)), ZC706, Memory(1e6)).compute
        for form in (Format.INT32, Format.INT64)
    )
    assert wide / narrow == pytest.approx(2, rel=0.01)


def test_rows_too_wide_for_the_column_memories_are_cut() -> None:
    """224 pixels at 8 bits do not fit: the model goes over spans of them, one kernel row at a time."""
    layer = Conv(1, 16, 16, 32, 224, (3, 3), padding=(1, 1))
    whole = replace(layer, height=64, width=112)
    cut_time, whole_time = (
        command_time(command(Pass.WEIGHT_GRADIENT, layer=each), ZC706, Memory()) for each in (layer, whole)
    )
    assert cut_time.load > 2 * whole_time.load
    assert cut_time.compute == pytest.approx(whole_time.compute, rel=0.15)


def test_the_tiny_build_is_modelled_too() -> None:
    layer = Conv(4, 16, 16, 8, 8, (3, 3), padding=(1, 1))
    for which in Pass:
        commands = lower(layer, which, Precision(4, 4), TINY, plan=Plan()).commands
        for each in commands:
            assert command_time(each, TINY, Memory()).cycles > array_cycles(each, TINY)


def test_times_add_up_and_name_what_rules() -> None:
    assert CommandTime(10, 8, 2, 1) + 2 * CommandTime(1, 1, 1, 1) == CommandTime(12, 10, 4, 3)
    assert CommandTime(10, 3, 2, 4).bottleneck == "store"


@pytest.mark.parametrize("values", [(0.0, 60), (-1.0, 60), (50.0, -1), (float("nan"), 60)])
def test_a_memory_without_bandwidth_is_refused(values: tuple[float, int]) -> None:
    with pytest.raises(ValueError, match="bytes_per_cycle"):
        Memory(*values)


def test_the_grids_are_where_the_command_says() -> None:
    assert all(isinstance(path, Path) and path.is_file() for path in GRIDS.values())


def test_a_slice_that_is_not_made_of_threes_is_refused() -> None:
    with pytest.raises(ValueError, match="slice_groups = 4 of build 'zc706'"):
        command_time(command(Pass.FORWARD), replace(ZC706, slice_groups=4), Memory())


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.stem)
def test_commands_of_whole_steps_are_met(path: Path) -> None:
    (found,) = step_errors(path).values()
    assert len(found.networks) >= (1 if path.stem == "steps-zc706_train" else 4)  # that core takes minutes for each
    assert figures(found.networks)["worst_pct"] < 2
    vector = [row for kind, rows in found.kinds.items() if kind not in PRODUCTS for row in rows]
    assert figures(vector)["mean_pct"] < 1.5
    assert figures(vector)["worst_pct"] < 9
    for kind, mean, worst in (("WGRAD", 4, 9), ("UPDATE", 3, 9), ("WEIGHTS", 1, 3), ("SCALE", 1, 3)):
        errors = figures(found.kinds[kind])
        assert errors["mean_pct"] < mean, kind
        assert errors["worst_pct"] < worst, kind
    assert figures(found.kinds["CONV"])["mean_pct"] < 3


def test_whole_training_steps_are_met() -> None:
    files = sorted(STEP_ITERATIONS.glob("*.json"))
    assert files
    for file in files:
        whole, *_ = step_iteration_deviations(file)
        assert abs(whole.percent) < 2, whole
