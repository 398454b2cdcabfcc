"""The driver on simulated pynq devices: the same calls on the reference, the C-simulated kernel, the Verilated core."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from host.compiler.layer import Conv, Pass
from host.compiler.phases import phases
from host.compiler.plan import Plan
from host.compiler.precision import Output, Precision
from host.driver.accelerator import Accelerator
from host.driver.devices import open_device
from host.driver.errors import DeviceError, ExecutionError
from host.driver.execute import run_pass
from host.driver.interrupts import thread_loop
from host.driver.pynq_core import PynqCore
from host.driver.region import Region
from sim.contract import VERSION_MAGIC
from sim.devices.pynq_registers import Faults
from tests.host.driver.driving import BITS, DEVICES, LAYER, Slow, compiled, driven, expected, opened, runs, silent
from tests.tools import TINY, operands


@pytest.fixture(scope="module", params=DEVICES)
def accelerator(request: pytest.FixtureRequest) -> Iterator[Accelerator]:
    with opened(request.param) as device:
        yield device


def test_an_opened_device_says_what_it_is(accelerator: Accelerator) -> None:
    assert accelerator.version == (2, 0)
    assert accelerator.build == TINY
    assert accelerator.simulates in DEVICES
    assert accelerator.core.by_interrupt


def test_pynq_itself_finds_the_driver_and_the_registers(accelerator: Accelerator) -> None:
    assert type(accelerator.overlay.cpt_kernel) is PynqCore
    assert int(accelerator.overlay.cpt_kernel.register_map.MAGIC) == VERSION_MAGIC


@pytest.mark.parametrize("which", list(Pass))
def test_every_pass_is_exact(accelerator: Accelerator, which: Pass) -> None:
    a, b = operands(LAYER, which, BITS)
    done = run_pass(accelerator, LAYER, which, BITS, a, b)
    assert np.array_equal(done.result, expected(LAYER, which, a, b))
    assert type(done.result) is np.ndarray, "results outlive the device's buffer"
    assert done.outcome.commands_done == (len(phases(LAYER)) if which is Pass.INPUT_ERROR else 1)
    assert done.outcome.counters.total >= done.outcome.counters.busy > 0
    assert done.outcome.seconds > 0


def test_row_sums_come_back_too(accelerator: Accelerator) -> None:
    a, b = operands(LAYER, Pass.FORWARD, BITS)
    done = run_pass(accelerator, LAYER, Pass.FORWARD, BITS, a, b, Output(row_sums=True))
    sums = expected(LAYER, Pass.FORWARD, a, np.ones_like(b))
    assert done.row_sums is not None
    assert np.array_equal(np.broadcast_to(done.row_sums, sums.shape), sums)


def test_a_list_may_hold_several_passes(accelerator: Accelerator) -> None:
    passes = [(LAYER, which) for which in Pass]
    programs, commands, plan = compiled(*passes)
    with accelerator.allocate(plan) as region:
        given = [operands(LAYER, which, BITS, seed) for seed, which in enumerate(Pass)]
        for program, (a, b) in zip(programs, given, strict=True):
            region.upload(program, a, b)
        region.upload_list(commands)
        assert accelerator.run(region, commands).commands_done == len(commands.commands) == 2 + len(phases(LAYER))
        for program, which, (a, b) in zip(programs, Pass, given, strict=True):
            assert np.array_equal(region.result(program), expected(LAYER, which, a, b))


def accesses(accelerator: Accelerator, layer: Conv) -> int:
    (program,), commands, plan = compiled((layer, Pass.FORWARD))
    with accelerator.allocate(plan) as region:
        region.upload(program, *operands(layer, Pass.FORWARD, BITS))
        region.upload_list(commands)
        accelerator.run(region, commands)
        before = accelerator.device.accesses
        accelerator.run(region, commands)
        return int(accelerator.device.accesses - before)


def test_register_accesses_do_not_grow_with_the_list() -> None:
    small, depthwise = Conv.linear(1, 16, 16), Conv(1, 80, 80, 3, 3, (3, 3), padding=(1, 1), groups=80)
    assert len(compiled((depthwise, Pass.FORWARD))[1].commands) == 5
    with driven(Slow(TINY)) as accelerator:
        assert accesses(accelerator, small) == accesses(accelerator, depthwise) == 17


def test_without_an_interrupt_the_driver_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("host.driver.core.HEARD_WITHIN", 0.05)
    with driven(Slow(TINY), faults=Faults(deaf=True)) as accelerator:
        assert runs(accelerator)
        assert not accelerator.core.by_interrupt, "found out by this list and the one that opened the device"
        assert runs(accelerator)


def test_inside_a_coroutine_the_driver_polls() -> None:
    with driven() as accelerator:

        async def notebook() -> bool:
            return runs(accelerator)

        loop = asyncio.new_event_loop()
        assert loop.run_until_complete(notebook())
        loop.close()
        assert runs(accelerator)


def test_a_thread_of_ones_own_has_interrupts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from pynq.interrupt import _InterruptController

    found = _InterruptController.get_parent

    def as_on_the_board(entry: Any) -> Any:
        asyncio.get_event_loop()  # where pynq attaches the UIO file; only a main thread has one by itself
        return found(entry)

    monkeypatch.setattr(_InterruptController, "get_parent", staticmethod(as_on_the_board))
    seen: list[tuple[bool, bool]] = []

    def work() -> None:
        with driven() as accelerator:
            seen.append((accelerator.core.by_interrupt, runs(accelerator)))
        thread_loop().close()  # a thread has to close its own

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(timeout=60)
    assert seen == [(True, True)]


@pytest.mark.parametrize("forgotten", ["flush", "invalidate"])
def test_the_simulated_cache_catches_a_forgotten(forgotten: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Region, forgotten, lambda *_: None)
    with driven() as accelerator:
        try:
            right = runs(accelerator)
        except ExecutionError:
            right = False
        assert not right


def test_need_and_free_are_told_before_memory_is_taken() -> None:
    lines: list[str] = []
    with open_device("reference", TINY, log=lines.append) as accelerator:
        plan = Plan()
        plan.add("x", 5000)
        free = accelerator.device.free_bytes()
        accelerator.allocate(plan)
        assert lines == [f"region: needs 5,056 bytes in one piece, {free:,} bytes free"]
        assert accelerator.device.free_bytes() < free


def test_leaving_the_block_stops_the_device_and_frees_its_memory() -> None:
    with driven(Slow(TINY)) as accelerator:
        device, free = accelerator.device, accelerator.device.free_bytes()
        _, commands, plan = compiled((LAYER, Pass.FORWARD))
        region = accelerator.allocate(plan)
        region.upload_list(commands)
        accelerator.start(region, commands)
    assert device.free_bytes() == free
    assert device._registers.read(0) == 1 << 2, "idle"
    with pytest.raises(DeviceError, match="was closed"):
        accelerator.allocate(plan)
    with pytest.raises(ValueError, match="was freed"):
        _ = region.memory


def test_a_second_list_waits_its_turn() -> None:
    with driven(Slow(TINY)) as accelerator:
        _, commands, plan = compiled((LAYER, Pass.FORWARD))
        with accelerator.allocate(plan) as region:
            region.upload_list(commands)
            accelerator.start(region, commands)
            with pytest.raises(DeviceError, match="a list is running"):
                accelerator.start(region, commands)
            accelerator.finish()


def test_waiting_for_nothing_is_refused_at_once() -> None:
    with driven() as accelerator:
        with pytest.raises(DeviceError, match="no list is running"):
            accelerator.finish()
        assert runs(accelerator)


def test_a_done_that_outlives_a_reset_does_not_end_the_next_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """A core may keep its ISR: the list ended just before it was given up."""
    with driven() as accelerator:
        registers = accelerator.device._registers
        whole = registers.reset

        def keeps_done() -> None:
            whole()
            registers._isr = 1

        monkeypatch.setattr(registers, "reset", keeps_done)
        accelerator.core.reset()
        assert registers._isr == 0


def test_a_region_under_a_running_list_is_not_freed_before_it_is_stopped() -> None:
    with driven(Slow(TINY)) as accelerator:
        _, commands, plan = compiled((LAYER, Pass.FORWARD))
        with accelerator.allocate(plan) as region:
            region.upload_list(commands)
            accelerator.start(region, commands)
        assert not accelerator.core.running
        assert runs(accelerator), "and the next list runs beside what is left of the old one"


def test_a_pass_by_its_name_and_operands_as_lists() -> None:
    layer = Conv.linear(1, 2, 1)
    with driven() as accelerator:
        done = run_pass(accelerator, layer, "forward", Precision(3, 3), [[[[3]], [[2]]]], [[[[1]], [[4]]]])  # type: ignore[arg-type]
    assert done.result.tolist() == [[[[11]]]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"device": "reference"}, "'reference' is neither an opened device nor an executor: take open_device"),
        ({"which": "backward"}, "unknown pass 'backward'; there are: forward"),
        ({"layer": (1, 2, 1)}, r"\(1, 2, 1\) is not of type Conv"),
        ({"precision": (3, 3)}, r"\(3, 3\) is not of type Precision"),
        ({"output": "exact"}, "'exact' is not of type Output"),
        ({"a": np.zeros((1, 2, 1, 1))}, "tensor 'a' holds float64, expected integers"),
        ({"a": np.zeros((1, 2), np.int8)}, r"tensor 'a' has shape \(1, 2\), expected \(1, 2, 1, 1\)"),
    ],
)
def test_a_pass_of_wrong_types_is_refused_in_a_line(changes: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"layer": Conv.linear(1, 2, 1), "which": Pass.FORWARD, "precision": Precision(3, 3)}
    given |= {"a": np.zeros((1, 2, 1, 1), np.int8), "b": np.zeros((1, 2, 1, 1), np.int8)}
    with driven() as accelerator, pytest.raises((TypeError, ValueError), match=message) as raised:
        run_pass(**{"device": accelerator, **given, **changes})
    assert "\n" not in str(raised.value)


def test_unknown_builds_are_refused_with_those_there_are() -> None:
    for build in ("zc702", 48):
        with pytest.raises(ValueError, match=f"unknown build '{build}'; there are: tiny, zc706"):
            open_device("reference", build, log=silent)  # type: ignore[arg-type]


def test_unknown_devices_are_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="unknown device 'fpga'; there are: reference, bit-serial, hls, rtl, pynq"):
        open_device("fpga", log=silent)
