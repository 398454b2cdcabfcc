"""Hours of whole training steps: what they are made of, and how they follow from the lists."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cpt_model.cost import Run
from cpt_model.cost.accelerator import PROFILES
from cpt_model.cost.profile_file import adjusted
from cpt_model.cost.whole_step import step_hours
from host.compiler.bits import Bits
from host.compiler.layer import LayerError
from host.compiler.step.networks import named
from host.compiler.step.program import StepProgram
from host.measure.step_time import PRODUCTS, Work, iteration_time, layer_times
from sim.contract import Opcode
from sim.latency import Memory, list_times
from tests.tools import TINY

ZC706 = PROFILES["zc706"]
ARCH = "cifar10_resnet_8"


def test_an_iteration_is_the_sum_of_the_commands_of_its_lists() -> None:
    network, bits, memory = named("digits_resnet_8"), Bits(3, 8), Memory(8)
    lists = StepProgram(network, 4, TINY).training(bits)
    commands = (*lists.forward.commands, *lists.backward.commands)
    times = iteration_time(network, 4, bits, TINY, memory)
    wanted = dict(zip(map(id, commands), list_times(commands, TINY, memory), strict=True))
    assert sum(time.cycles for time in times.values()) == pytest.approx(sum(each.cycles for each in wanted.values()))
    updates = sum(wanted[id(each)].cycles for each in commands if each.opcode == Opcode.UPDATE)
    assert times[Work.UPDATE].cycles == pytest.approx(updates)


def test_blocks_alike_are_compiled_once_and_counted_as_often_as_they_are() -> None:
    for arch in ("cifar10_resnet_44", "cifar10_mobilenet_v2"):
        network, bits, memory = named(arch), Bits(5, 8), Memory()
        sums = dict.fromkeys(Work, 0.0)
        for (_, work), time in layer_times(network, 8, bits, ZC706.build, memory).items():
            sums[work] += time.cycles
        times = iteration_time(network, 8, bits, ZC706.build, memory)
        assert {work: time.cycles for work, time in times.items()} == pytest.approx(sums)


def test_a_run_is_the_sum_over_its_widths_and_low_precision_is_shorter() -> None:
    low, high, both = (step_hours(ARCH, Run.named(name, 1000), ZC706) for name in ("3/8", "8/8", "3-8/8"))
    assert all(0 < low[work] < high[work] for work in (*PRODUCTS, Work.NORMALISE, Work.NORMALISE_BACK))
    assert sum(low.values()) < sum(both.values()) < sum(high.values())
    assert sum(step_hours(ARCH, Run.named("8/8", 2000), ZC706).values()) == pytest.approx(2 * sum(high.values()))


def test_work_between_products_waits_for_memory() -> None:
    slow = replace(ZC706, memory=Memory(25))
    run = Run.named("8/8", 1000)
    ratio = step_hours(ARCH, run, slow)[Work.NORMALISE_BACK] / step_hours(ARCH, run, ZC706)[Work.NORMALISE_BACK]
    assert 1.7 < ratio <= 2


def test_stops_for_the_host_take_as_long_at_any_clock() -> None:
    run = Run.named("8/8", 3600)
    for profile in (ZC706, adjusted(ZC706, 100)):
        alone, stopped = (sum(step_hours(ARCH, run, replace(profile, host_ms=ms)).values()) for ms in (0, 20))
        assert stopped - alone == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("arch", "precision", "problem"),
    [("resnet18", "8/8", "does not run as whole iterations"), (ARCH, "12/12", "forward bits = 12")],
)
def test_what_does_not_run_as_whole_steps_is_refused(arch: str, precision: str, problem: str) -> None:
    with pytest.raises(LayerError, match=problem):
        step_hours(arch, Run.named(precision), ZC706)
