"""What can be wrong with a device or with what it is given: one clear error, in bounded time, and on it goes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from host.compiler.layer import Pass
from host.driver.accelerator import Accelerator, board_device
from host.driver.claim import Claim
from host.driver.devices import open_device
from host.driver.errors import (
    ContiguousMemoryError,
    DeviceBusyError,
    DeviceError,
    DeviceTimeoutError,
    ExecutionError,
    OverlayError,
    VersionError,
)
from host.driver.execute import run_pass
from sim.contract import COMMAND_BYTES, Outcome
from sim.devices.pynq_device import SimulatedDevice
from sim.devices.pynq_registers import Faults
from sim.reference import Reference
from tests.host.driver.driving import BITS, DEVICES, LAYER, compiled, driven, opened, runs, silent
from tests.tools import TINY, ZC706, Memory, operands


def own(name: str) -> str:
    """A device's name that no test of another process uses."""
    return f"{name}-{os.getpid()}"


def test_an_overlay_with_another_ip_is_refused() -> None:
    with (
        pytest.raises(OverlayError, match=r"no IP of type cpt-kit:kernel:cpt_kernel:1\.0.*it has: cpt_kernel \(other:"),
        driven(vlnv="other:ip:dma:1.0"),
    ):
        pass


def test_a_missing_bitstream_is_named(tmp_path: Path) -> None:
    device = SimulatedDevice(Reference(TINY), "reference")
    with pytest.raises(OverlayError, match=r"nowhere\.bit.*make -C vivado bitstream"):
        Accelerator.open(str(tmp_path / "nowhere.bit"), device)
    with Accelerator.open(device.bitfile, device, log=silent) as accelerator:
        assert runs(accelerator)
    device.release()


def test_an_overlay_whose_description_cannot_be_read_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(*_: object) -> None:
        raise RuntimeError("Unable to parse metadata")

    with monkeypatch.context() as broken:
        broken.setattr(SimulatedDevice, "get_bitfile_metadata", unreadable)
        with (
            pytest.raises(OverlayError, match=r"RuntimeError: Unable to parse metadata.*\.hwh"),
            driven(tag=own("unread")),
        ):
            pass
    with driven(tag=own("unread")) as accelerator:
        assert runs(accelerator)


@pytest.mark.parametrize(
    ("faults", "error", "message"),
    [
        (Faults(magic=0), OverlayError, "MAGIC reads 0x00000000, expected 0x43505431"),
        (Faults(version=1 << 16), VersionError, r"version 1\.0, this driver knows 2\.0"),
    ],
)
def test_a_device_of_another_kind_is_refused_and_left_free(
    faults: Faults, error: type[DeviceError], message: str
) -> None:
    with pytest.raises(error, match=message), driven(tag=own("other-kind"), faults=faults):
        pass
    with driven(tag=own("other-kind")) as accelerator:
        assert runs(accelerator)


def test_another_build_than_the_wanted_one_is_refused() -> None:
    device = SimulatedDevice(Reference(TINY), "reference")
    with pytest.raises(VersionError, match=r"build 'tiny', not 'zc706' \(lanes = 16, not 48"):
        Accelerator.open(device.bitfile, device, ZC706)
    device.release()


def test_a_build_may_be_given_by_name_and_a_wrong_name_is_refused_at_once() -> None:
    with open_device("reference", "tiny", log=silent) as accelerator:
        assert accelerator.build == TINY
    with pytest.raises(ValueError, match=r"'small'.*tiny"):
        open_device("reference", "small", log=silent)


def test_off_the_board_there_is_no_pynq_device() -> None:
    with pytest.raises(DeviceError, match="no PYNQ device on this machine: run this on the board"):
        open_device("pynq")


def test_too_little_memory_is_told_in_bytes() -> None:
    with driven(memory_bytes=1 << 16) as accelerator:
        _, _, plan = compiled((LAYER, Pass.FORWARD))
        plan.add("more", 1 << 16)
        missing = plan.bytes - (1 << 16)
        with pytest.raises(ContiguousMemoryError, match=f"65,536 are free: {missing:,} too few.*cma="):
            accelerator.allocate(plan)
        assert runs(accelerator)


def test_a_pool_in_pieces_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on the board, where only the sum of the free pages is known."""
    with driven(memory_bytes=1 << 16) as accelerator:
        monkeypatch.setattr(accelerator.device, "free_bytes", lambda: 1 << 20)
        _, _, plan = compiled((LAYER, Pass.FORWARD))
        plan.add("more", 1 << 16)
        with pytest.raises(ContiguousMemoryError, match=r"were refused .*1,048,576 bytes are free"):
            accelerator.allocate(plan)
        assert runs(accelerator)


def test_a_device_that_is_never_done_is_given_up() -> None:
    faults = Faults()
    with driven(faults=faults) as accelerator:
        faults.hang = True
        a, b = operands(LAYER, Pass.FORWARD, BITS)
        accelerator.seconds = 0.1
        with pytest.raises(DeviceTimeoutError, match=r"forward pass: the list did not end within 0\.1 s.*was reset"):
            run_pass(accelerator, LAYER, Pass.FORWARD, BITS, a, b)
        faults.hang, accelerator.seconds = False, 30.0
        assert runs(accelerator)


def test_a_device_that_hangs_from_the_start_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("host.driver.accelerator.OPENING_SECONDS", 0.1)
    with (
        pytest.raises(DeviceTimeoutError, match=r"opening 'never-\d+': .* is the overlay the right one"),
        driven(tag=own("never"), faults=Faults(hang=True)),
    ):
        pass
    with driven(tag=own("never")) as accelerator:
        assert runs(accelerator)


@pytest.mark.parametrize("name", DEVICES)
def test_an_error_status_names_the_command(name: str) -> None:
    with opened(name) as accelerator:
        programs, commands, plan = compiled(*((LAYER, which) for which in Pass))
        with accelerator.allocate(plan) as region:
            for program, which in zip(programs, Pass, strict=True):
                region.upload(program, *operands(LAYER, which, BITS))
            region.upload_list(commands)
            region.memory[commands.offset + COMMAND_BYTES] = 0
            region.flush(commands.offset, commands.bytes)
            with pytest.raises(ExecutionError, match="step: OPCODE at command 1 of the list, 1 completed before it"):
                accelerator.run(region, commands, "step")
        assert runs(accelerator)


@pytest.mark.parametrize("name", DEVICES)
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda a: a[:1], r"tensor 'a' has shape \(1, 16, 5, 6\), expected \(2, 16, 5, 6\)"),
        (lambda a: a + 8, "tensor 'a': codes .* do not fit 3 unsigned bits"),
        (lambda a: a - 1, "tensor 'a': codes .* do not fit 3 unsigned bits"),
        (lambda a: a.astype(np.float32), "tensor 'a' holds float32, expected integers"),
    ],
)
def test_tensors_that_do_not_fit_are_named(name: str, spoil: Callable, message: str) -> None:
    with opened(name) as accelerator:
        a, b = operands(LAYER, Pass.FORWARD, BITS)
        with pytest.raises(ValueError, match=message):
            run_pass(accelerator, LAYER, Pass.FORWARD, BITS, spoil(a), b)
        assert runs(accelerator)


def test_a_simulation_that_breaks_down_says_so_at_once() -> None:
    class Breaking(Reference):
        broken = False

        def run(
            self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
        ) -> Outcome:
            if self.broken:
                raise TimeoutError("the list does not end in 7 cycles")
            return super().run(memory, list_offset, list_bytes, mem_base, mem_bytes)

    executor = Breaking(TINY)
    with driven(executor) as accelerator:
        executor.broken = True
        with pytest.raises(TimeoutError, match="7 cycles"):
            runs(accelerator)
        executor.broken = False
        assert runs(accelerator)


OTHER_PROCESS = """
import signal
import time
import numpy as np
from host.driver.accelerator import Accelerator
from host.driver.execute import run_pass
from host.compiler.layer import Conv, Pass
from host.compiler.precision import Precision
from sim.contract import Build
from sim.devices.pynq_device import SimulatedDevice
from sim.reference import Reference

class Slow(Reference):
    delay = 0.0

    def run(self, *arguments):
        time.sleep(self.delay)
        return super().run(*arguments)

signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it
layer = Conv.linear(2, 16, 16)
x, w = np.ones(layer.input_shape, int), np.ones(layer.weight_shape, int)
device = SimulatedDevice(Slow(Build.named("tiny")), "reference", tag={tag!r})
with Accelerator.open(device.bitfile, device, seconds=120.0) as accelerator:
    free = accelerator.device.free_bytes()
    Slow.delay = 60.0
    print("open", flush=True)
    try:
        run_pass(accelerator, layer, Pass.FORWARD, Precision(1, 1), x, w)
    except KeyboardInterrupt:
        print(accelerator.core.running, accelerator.device.free_bytes() == free, accelerator.core.read(0) >> 2 & 1)
print("closed", flush=True)
"""


def other_process(tag: str) -> subprocess.Popen[str]:
    """A process that has opened the device and runs a list of a minute on it."""
    process = subprocess.Popen(
        [sys.executable, "-c", OTHER_PROCESS.format(tag=tag)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    return process


def test_two_processes_do_not_get_one_device_and_a_killed_one_leaves_it() -> None:
    tag = own("shared")
    with other_process(tag) as process:
        try:
            with pytest.raises(DeviceBusyError, match=f"'{tag}' is in use by process {process.pid}"), driven(tag=tag):
                pass
        finally:
            process.kill()
        process.wait(timeout=30)
    with driven(tag=tag) as accelerator:
        assert runs(accelerator)


def test_ctrl_c_leaves_the_device_stopped_and_its_memory_free() -> None:
    with other_process(own("interrupted")) as process:
        try:
            time.sleep(0.5)  # into the list
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=30)
        finally:
            process.kill()
    assert output.splitlines() == ["False True 1", "closed"], "not running, memory free, idle"
    assert process.returncode == 0


def test_one_process_does_not_get_a_device_twice() -> None:
    with driven(tag=own("twice")) as first:
        with pytest.raises(DeviceBusyError, match=f"in use by process {os.getpid()}"), driven(tag=own("twice")):
            pass
        assert runs(first)


def test_a_claim_leaves_no_file_behind() -> None:
    claim = Claim(own("left behind"))
    assert claim.path.exists()
    claim.release()
    claim.release()
    assert not claim.path.exists()


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    claim = Claim(own("planted"))
    claim.release()
    victim = tmp_path / "victim"
    victim.write_text("precious")
    claim.path.symlink_to(victim)
    try:
        with pytest.raises(DeviceBusyError, match=r"its lock .*planted.*\.lock cannot be taken .*remove it"):
            Claim(own("planted"))
    finally:
        claim.path.unlink()
    assert victim.read_text() == "precious"


def test_the_boards_device_is_not_a_simulated_one() -> None:
    with driven(), pytest.raises(DeviceError, match="no PYNQ device"):
        board_device()
