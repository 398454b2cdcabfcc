"""Whatever breaks in the middle of `cpt board train`: one line, nothing lost, and the next start goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from host.driver import devices
from host.driver.accelerator import Accelerator
from host.training import checkpoint, journal
from host.training.checkpoint import load_checkpoint
from scripts.cli import main
from sim.contract import Error, Memory, Outcome
from sim.devices.pynq_device import SimulatedDevice
from sim.devices.pynq_registers import Faults
from sim.reference import Reference
from tests.host.driver.driving import silent
from tests.tools import TINY

RUN = ["--arch", "digits_resnet_8", "--steps", "4", "--batch", "4", "--fw-bits", "3", "8", "--cycles", "2", "--limit"]
RUN += ["16", "--test-limit", "4", "--save-every", "1", "--log-every", "100"]
FAILING_LIST = 7  # with the empty one that opens the device: the backward list of the third step


class Breaks(Reference):
    """Something happens before one of the lists."""

    def __init__(self, event: Callable[[], Any] | None = None) -> None:
        super().__init__(TINY)
        self.event, self.lists = event, 0

    def run(
        self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
    ) -> Outcome:
        self.lists += 1
        if self.lists == FAILING_LIST and self.event is not None:
            found = self.event()
            if found is not None:
                return Outcome(found, 5, 5, 0)
        return super().run(memory, list_offset, list_bytes, mem_base, mem_bytes)


class Bench:
    """`cpt board train` on a simulated device, and what it left."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._monkeypatch, self._capsys = folder, monkeypatch, capsys

    def train(self, executor: Reference | None = None, *flags: str, **options: Any) -> tuple[int, list[str]]:
        """The exit code, and the lines on standard error that are errors."""

        def opened(*_: Any, **__: Any) -> Accelerator:
            device = SimulatedDevice(executor or Breaks(), "reference", **options)
            try:
                self.accelerator = Accelerator.open(device.bitfile, device, None, 60.0, silent)
            except BaseException:
                device.release()
                raise
            self.accelerator.on_close(device.release)
            return self.accelerator

        self._monkeypatch.setattr(devices, "open_device", opened)
        code = main(["board", "train", *RUN, "--out", str(self.folder), "--automatic_resume", *flags])
        return code, [line for line in self._capsys.readouterr().err.splitlines() if line.startswith("cpt:")]

    def state(self) -> dict[str, np.ndarray]:
        return load_checkpoint(self.folder / "last.npz")[0]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """What an undisturbed run ends with."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            devices, "open_device", lambda *_, **__: devices.open_simulated(Breaks(), "reference", None, silent)
        )
        assert main(["board", "train", *RUN, "--out", str(folder), "--overwrite"]) == 0
    return load_checkpoint(folder / "last.npz")[0]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bench:
    return Bench(tmp_path / "run", monkeypatch, capsys)


def goes_on(bench: Bench, whole: dict[str, np.ndarray]) -> bool:
    code, problems = bench.train()
    return (code, problems) == (0, []) and all(np.array_equal(bench.state()[name], whole[name]) for name in whole)


def test_a_bus_error_in_the_middle_of_an_iteration(bench, whole) -> None:
    code, (problem,) = bench.train(Breaks(lambda: Error.READ_BUS))
    assert code == 2
    assert "backward list at " in problem
    assert "READ_BUS at command 5 of the list" in problem
    assert int(bench.state()["iteration"]) == 2
    assert goes_on(bench, whole)


def test_a_list_that_never_ends(bench, whole) -> None:
    faults = Faults()

    def hang() -> None:
        """From the list after this one on."""
        faults.hang, bench.accelerator.seconds = True, 8.0  # this list may take long on a loaded machine

    code, (problem,) = bench.train(Breaks(hang), faults=faults)
    assert code == 2
    assert "did not end within 8 s; the device was reset and can be used again" in problem
    assert int(bench.state()["iteration"]) == 3
    assert goes_on(bench, whole)


def test_an_overlay_of_another_version_before_anything_is_written(bench, whole) -> None:
    code, (problem,) = bench.train(faults=Faults(version=1 << 16))
    assert code == 2
    assert "the accelerator has contract version 1.0, this driver knows 2.0" in problem
    assert not bench.folder.exists()
    assert goes_on(bench, whole)


def test_less_contiguous_memory_than_planned_before_anything_is_written(bench, whole) -> None:
    code, (problem,) = bench.train(memory_bytes=1 << 19)
    assert code == 2
    assert "contiguous bytes, 524,288 are free:" in problem
    assert not bench.folder.exists()
    assert goes_on(bench, whole)


def test_data_cut_short_before_anything_is_written(bench, tmp_path: Path, whole) -> None:
    assert main(["data", "digits", "--npz", str(tmp_path / "digits.npz")]) == 0
    file = tmp_path / "digits.npz"
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    code, (problem,) = bench.train(None, "--datadir", str(tmp_path))
    assert code == 2
    assert f"{file}: damaged" in problem
    assert not bench.folder.exists()
    file.write_bytes(content)
    assert bench.train(None, "--datadir", str(tmp_path)) == (0, [])
    assert all(np.array_equal(bench.state()[name], whole[name]) for name in whole)


@pytest.mark.parametrize("where", ["checkpoint", "metrics"])
def test_a_full_disk(where: str, bench, whole, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        if where == "checkpoint":
            event = Breaks(lambda: patch.setattr(checkpoint, "write_atomically", full))
            code, (problem,) = bench.train(event)
            assert "last.npz cannot be written: No space left on device; the one before is as it was" in problem
        else:
            patch.setattr(journal, "open", lambda *_, **__: open("/dev/full", "a"), raising=False)  # noqa: SIM115
            code, (problem,) = bench.train()
            assert "metrics.jsonl cannot be written: No space left on device" in problem
    assert code == 2
    assert goes_on(bench, whole)


def test_a_power_cut_in_a_checkpoint(bench, whole, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the new file is on the disk, under its temporary name, or (an SD card that lies) in its place."""
    assert bench.train(Breaks(lambda: Error.WRITE_BUS))[0] == 2
    good = (bench.folder / "last.npz").read_bytes()
    (bench.folder / ".last.npz.tmp").write_bytes(good[: len(good) // 2])
    (bench.folder / "last.npz").write_bytes(good[: len(good) // 2])
    code, (note,) = bench.train()
    assert code == 0
    assert "its checksum does not agree; going on from" in note
    assert all(np.array_equal(bench.state()[name], whole[name]) for name in whole)
