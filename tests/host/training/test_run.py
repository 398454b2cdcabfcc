"""Runs on a device: equal to PyTorch's bit for bit, whatever stops them on the way."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import numpy as np
import pytest
import torch

from cpt_model.reports.runs import read_run
from cpt_model.training import Settings as FullSettings
from cpt_model.training import train as train_in_pytorch
from host.compiler.step.networks import named
from host.driver.devices import open_simulated
from host.driver.errors import DeviceError
from host.training import run as runs
from host.training.checkpoint import CheckpointError, load_checkpoint
from host.training.folder import FolderError
from host.training.run import Run, train
from host.training.settings import Settings, SettingsError
from host.training.signals import Stopped, Watch
from sim.contract import Build
from sim.devices import open_executor
from sim.reference import Reference

TINY = Build.named("tiny")
STEPS = 6


def settings(folder: Path, **changes) -> Settings:
    values = {"arch": "digits_resnet_8", "dataset": "digits", "steps": STEPS, "batch": 8, "fw_bits": [3, 8]}
    values |= {"cycles": 2, "lr": 0.05, "lr_schedule": "cosine", "limit": 64, "test_limit": 10, "folder": str(folder)}
    return Settings.from_dict(values | {"eval_every": 4, "log_every": 2, "seed": 3} | changes)


def state(folder: Path) -> dict[str, np.ndarray]:
    return load_checkpoint(folder / "last.npz")[0]


def different(some: dict[str, np.ndarray], others: dict[str, np.ndarray]) -> list[str]:
    assert some.keys() == others.keys()
    return [name for name in some if not np.array_equal(some[name], others[name])]


@pytest.fixture(scope="module")
def pytorch(tmp_path_factory) -> tuple[Path, dict[str, np.ndarray]]:
    """What `cpt train --step integer` ends with."""
    folder = tmp_path_factory.mktemp("pytorch")
    values = settings(folder).to_dict() | {"tensorboard": False, "threads": 1}
    train_in_pytorch(FullSettings.from_dict(values), progress=False)
    saved = torch.load(folder / "last.pt", weights_only=True)["model"]["_extra_state"]
    return folder, {name: value.numpy() for name, value in saved.items()}


@pytest.mark.parametrize("device", ["reference", pytest.param("hls", marks=pytest.mark.slow)])
def test_weights_momenta_and_statistics_are_those_of_pytorch(device: str, pytorch, tmp_path: Path) -> None:
    with open_simulated(open_executor(device, TINY), device, log=lambda line: None) as accelerator:
        summary = train(settings(tmp_path), accelerator, shown=False)
    assert different(state(tmp_path), pytorch[1]) == []
    ours, theirs = read_run(tmp_path), read_run(pytorch[0])  # as `cpt report` reads them
    assert ours.summary is not None
    assert ours.summary.test_accuracy == summary["test_accuracy"] == theirs.summary.test_accuracy  # type: ignore[union-attr]
    assert ours.summary.gbitops == pytest.approx(theirs.summary.gbitops)  # type: ignore[union-attr]
    assert ours.summary.board_hours == pytest.approx(theirs.summary.board_hours)  # type: ignore[union-attr]
    for line, other in zip(ours.lines, theirs.lines, strict=True):
        same = ("step", "loss", "accuracy", "lr", "fw_bits", "bw_bits")
        assert [line[name] for name in same] == [other[name] for name in same]
        assert line["device_seconds"] > 0
        assert line["conv_seconds"] > 0
        assert line["map_seconds"] > 0
    parts = json.loads((tmp_path / "seconds.json").read_text())["seconds"]
    assert parts.keys() == {unit.name for unit in named("digits_resnet_8").units} | {"fc"}
    assert parts["layer2.0.shortcut.0"].keys() == {"WEIGHTS", "CONV", "NORM", "MAP", "ERROR", "WGRAD", "UPDATE"}
    scores = [[line["test_accuracy"] for line in each.evaluations] for each in (ours, theirs)]
    assert scores[0] == scores[1]


def test_a_planted_change_is_noticed(pytorch, tmp_path: Path, monkeypatch) -> None:
    """One image code of one step, by one."""
    pack, steps = runs.PixelPacker.training, []

    def planted(packer, rows, chances):
        planes = pack(packer, rows, chances)
        steps.append(planes)
        if len(steps) == 2:
            planes[0, 0, 0, 0, 0] ^= 1
        return planes

    monkeypatch.setattr(runs.PixelPacker, "training", planted)
    train(settings(tmp_path), Reference(TINY), shown=False)
    assert "conv1.weight" in different(state(tmp_path), pytorch[1])


@pytest.mark.parametrize("after", [1, 4])
def test_a_stopped_run_goes_on_bit_for_bit(after: int, pytorch, tmp_path: Path) -> None:
    watch, run = Watch(), settings(tmp_path)
    made = Run(run, Reference(TINY))
    step = made.step.train

    def stopping(*arguments):
        found = step(*arguments)
        if made.step.iteration == after:
            watch.number = signal.SIGTERM
        return found

    made.step.train = stopping  # type: ignore[method-assign]
    tmp_path.mkdir(exist_ok=True)
    runs.folders.prepare(run, False, False)
    with pytest.raises(Stopped, match=f"stopped after step {after}"):
        made.go(watch, False)
    train(run, Reference(TINY), resume=True, shown=False)
    assert different(state(tmp_path), pytorch[1]) == []
    assert [line["step"] for line in read_run(tmp_path).lines] == [2, 4, 6]


class Fails(Reference):
    """A bus error in the middle of an iteration."""

    lists = 0

    def run(self, *arguments, **more):
        self.lists += 1
        if self.lists == 9:
            raise OSError("bus error")
        return super().run(*arguments, **more)


def test_a_failing_device_loses_nothing_but_the_steps_since_the_checkpoint(pytorch, tmp_path: Path) -> None:
    run = settings(tmp_path, save_every=2, log_every=STEPS)
    with pytest.raises(OSError, match="bus error"):
        train(run, Fails(TINY), shown=False)
    assert load_checkpoint(tmp_path / "last.npz")[1]["step"] == 4
    train(run, Reference(TINY), resume=True, shown=False)
    assert different(state(tmp_path), pytorch[1]) == []


def test_a_core_without_the_vector_unit_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    core = open_simulated(Reference(TINY, features=0), "rtl", log=lambda line: None)
    with core as accelerator, pytest.raises(DeviceError, match=r"'rtl' has no vector unit \(register FEATURES is 0\)"):
        train(settings(tmp_path / "run"), accelerator, shown=False)
    assert not (tmp_path / "run").exists()


def test_a_folder_that_holds_a_run_or_one_of_other_settings_is_refused(tmp_path: Path) -> None:
    run = settings(tmp_path, steps=1, cycles=1)
    train(run, Reference(TINY), shown=False)
    with pytest.raises(FolderError, match="holds a run already"):
        train(run, Reference(TINY), shown=False)
    other = settings(tmp_path, steps=1, cycles=1, seed=4)
    with pytest.raises(SettingsError, match="seed = 3, this one has 4"):
        train(other, Reference(TINY), resume=True, shown=False)


def test_where_a_power_cut_took_the_checkpoint_the_one_before_goes_on(pytorch, tmp_path: Path, capsys) -> None:
    run = settings(tmp_path, save_every=2, log_every=STEPS)
    with pytest.raises(OSError, match="bus error"):
        train(run, Fails(TINY), shown=False)
    file = tmp_path / "last.npz"
    file.write_bytes(file.read_bytes()[:-100])
    train(run, Reference(TINY), resume=True, shown=False)
    assert f"its checksum does not agree; going on from {tmp_path / 'before.npz'}" in capsys.readouterr().err
    assert different(state(tmp_path), pytorch[1]) == []
    for name in ("last.npz", "before.npz"):
        (tmp_path / name).write_bytes(b"nothing")
    with pytest.raises(CheckpointError, match="checksum does not agree"):
        train(run, Reference(TINY), resume=True, shown=False)


def test_with_a_full_disk_the_checkpoint_before_stays(tmp_path: Path, monkeypatch) -> None:
    run, made = settings(tmp_path, save_every=2), 0
    write = runs.save_checkpoint.__globals__["write_atomically"]

    def full(*arguments):
        nonlocal made
        made += 1
        if made == 2:
            raise OSError(28, "No space left on device")
        write(*arguments)

    monkeypatch.setitem(runs.save_checkpoint.__globals__, "write_atomically", full)
    with pytest.raises(CheckpointError, match="No space left on device; the one before is as it was"):
        train(run, Reference(TINY), shown=False)
    assert load_checkpoint(tmp_path / "last.npz")[1]["step"] == 2


def test_settings_are_written_as_cpt_train_reads_them(tmp_path: Path) -> None:
    run = settings(tmp_path)
    full = FullSettings.saved(json.loads(json.dumps(run.to_dict())), "settings.json")
    assert full.step == "integer"
    ours, theirs = run.to_dict(), full.to_dict()
    assert {name: theirs[name] for name in ours} == ours
