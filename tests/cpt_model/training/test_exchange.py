"""A run begun on a device goes on in PyTorch, and the other way round, bit for bit; weights go both ways as floats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from cpt_model.models import CifarResNet
from cpt_model.training import Settings as FullSettings
from cpt_model.training import exchange
from cpt_model.training import train as train_in_pytorch
from cpt_model.training.checkpoint import CheckpointError
from host.compiler.step.networks import named
from host.training.checkpoint import load_checkpoint
from host.training.run import Run, train
from host.training.settings import Settings
from host.training.signals import Stopped
from host.training.weights import WeightsError, read_weights
from scripts.cli import main
from sim.contract import Build
from sim.reference import Reference

TINY = Build.named("tiny")


def settings(folder: Path, **changes) -> Settings:
    values = {"arch": "digits_resnet_8", "dataset": "digits", "steps": 4, "batch": 4, "fw_bits": [3, 8], "seed": 1}
    values |= {"cycles": 2, "limit": 32, "test_limit": 4, "log_every": 1, "save_every": 2, "folder": str(folder)}
    return Settings.from_dict(values | changes)


def full(run: Settings) -> FullSettings:
    return FullSettings.from_dict(run.to_dict() | {"tensorboard": False, "threads": 1})


def integers(folder: Path) -> dict[str, np.ndarray]:
    if (folder / "last.pt").exists():
        saved = torch.load(folder / "last.pt", weights_only=True)["model"]["_extra_state"]
        return {name: value.numpy() for name, value in saved.items()}
    return load_checkpoint(folder / "last.npz")[0]


def equal(some: dict[str, np.ndarray], others: dict[str, np.ndarray]) -> bool:
    return some.keys() == others.keys() and all(np.array_equal(some[name], others[name]) for name in some)


class Stops:
    """A signal after two steps, wherever the run is."""

    asked = 0

    @property
    def number(self) -> int:
        self.asked += 1
        return 15 if self.asked > 2 else 0


@pytest.fixture
def half(tmp_path: Path) -> Path:
    """A run that a device stopped after two of four steps."""
    folder = tmp_path / "half"
    folder.mkdir()
    made = Run(settings(folder), Reference(TINY))
    with pytest.raises(Stopped, match="after step 2"):
        made.go(Stops(), False)  # type: ignore[arg-type]
    return folder


@pytest.fixture
def whole(tmp_path: Path) -> dict[str, np.ndarray]:
    train_in_pytorch(full(settings(tmp_path / "whole")), progress=False)
    return integers(tmp_path / "whole")


def test_a_board_run_goes_on_in_pytorch_and_back_on_the_board(half, whole, tmp_path) -> None:
    there, back = tmp_path / "pytorch", tmp_path / "back"
    assert main(["board", "convert", str(half / "last.npz"), str(there / "last.pt")]) == 0
    assert main(["board", "convert", str(there / "last.pt"), str(back / "last.npz")]) == 0
    assert equal(integers(back), integers(half))
    train_in_pytorch(full(settings(there)), resume=True, progress=False)
    assert equal(integers(there), whole)
    train(settings(back), Reference(TINY), resume=True, shown=False)
    assert equal(integers(back), whole)


def test_weights_as_floats_begin_another_run(half, tmp_path) -> None:
    state_dict, floats = tmp_path / "weights.pt", tmp_path / "weights.npz"
    assert main(["board", "convert", str(half / "last.npz"), str(state_dict), "--floats"]) == 0
    model = CifarResNet(8, channels=1)
    model.load_state_dict({**model.state_dict(), **torch.load(state_dict)})
    torch.save(model.state_dict(), state_dict)
    assert main(["board", "convert", str(state_dict), str(floats), "--floats"]) == 0
    saved, again = integers(half), tmp_path / "again.npz"
    assert main(["board", "convert", str(half / "last.npz"), str(again), "--floats"]) == 0
    weights = [name for name in saved if name.endswith((".weight", ".bias", ".gamma", ".beta", ".mean", ".variance"))]
    for file, error in ((floats, 2.0**-24), (again, 0.0)):  # float32 rounds, NPZ keeps all bits
        begun = Run(settings(tmp_path / "new"), Reference(TINY), file).step.state()
        for name in weights:
            assert (abs(begun[name].astype(float) - saved[name]) <= error * abs(saved[name]) + (error > 0)).all(), name


def test_a_run_from_given_weights_is_another_run_and_goes_on_without_the_file(half, tmp_path) -> None:
    floats = tmp_path / "weights.npz"
    assert main(["board", "convert", str(half / "last.npz"), str(floats), "--floats"]) == 0
    runs = [tmp_path / "once", tmp_path / "twice"]
    train(settings(runs[0]), Reference(TINY), shown=False, weights=floats)
    made = Run(settings(runs[1]), Reference(TINY), floats)
    runs[1].mkdir()
    made.save()
    train(settings(runs[1]), Reference(TINY), resume=True, shown=False)
    assert equal(integers(runs[0]), integers(runs[1]))


def test_what_cannot_be_converted_is_refused(half, tmp_path, capsys) -> None:
    assert main(["board", "convert", str(half / "last.npz"), str(tmp_path / "x.npz")]) == 2
    assert "both .npz with --floats" in capsys.readouterr().err
    torch.save({"a": torch.zeros(1)}, tmp_path / "odd.pt")
    exchange.floats_to_board(tmp_path / "odd.pt", tmp_path / "odd.npz")
    with pytest.raises(WeightsError, match=r"'conv1.weight' must be finite numbers of shape \(16, 1, 3, 3\)"):
        read_weights(tmp_path / "odd.npz", named("digits_resnet_8"))
    with pytest.raises(CheckpointError, match=r"not a checkpoint of cpt train"):
        exchange.to_board(tmp_path / "odd.pt", tmp_path / "odd.npz")
    (tmp_path / "no.npz").write_bytes(b"PK")
    with pytest.raises(WeightsError, match="holds no weights"):
        read_weights(tmp_path / "no.npz", named("digits_resnet_8"))
