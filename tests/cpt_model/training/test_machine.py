"""A run goes on bit for bit without the kernels, and not at all on another machine unless that is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cpt_model.training import train
from cpt_model.training import training as module
from cpt_model.training.checkpoint import CheckpointError, load_checkpoint
from cpt_model.training.machine import COMPARED, machine
from scripts.cli import main
from tests.cpt_model.layer_tools import pytorch_alone
from tests.cpt_model.training.run_tools import assert_equal, tiny
from tests.cpt_model.training.test_train import stopped

FLAGS = (
    "train --recipe digits --steps 4 --batch 8 --limit 80 --test-limit 20 --cycles 1 --no-tensorboard --save-every 2 "
    "--eval-every 2 --threads 1"
)
OTHER = {"threads": 7, "capability": "AVX2", "processor": "0", "pytorch": "1.0"}


def elsewhere(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    monkeypatch.setattr(module, "machine", lambda: machine() | changes)


def test_begun_with_the_kernels_and_resumed_without_it_ends_alike(tmp_path: Path) -> None:
    """Of one input channel, memory has two names for one order: batch normalisation must see the same one."""
    train(tiny(tmp_path / "whole"), progress=False)
    stopped(tiny(tmp_path / "run"), 3)
    with pytorch_alone():
        train(tiny(tmp_path / "run"), resume=True, progress=False)
    one, other = (load_checkpoint(tmp_path / name / "last.pt") for name in ("whole", "run"))
    assert_equal(one["model"], other["model"])
    assert_equal(one["optimizer"], other["optimizer"])
    assert one["machine"]["kernels"] != "none" == other["machine"]["kernels"]


@pytest.mark.parametrize("what", COMPARED)
def test_another_machine_is_refused_unless_it_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    stopped(tiny(tmp_path), 3)
    before = (tmp_path / "last.pt").read_bytes()
    elsewhere(monkeypatch, **{what: OTHER[what]})
    with pytest.raises(CheckpointError, match=rf"{what} = .*, here it is {OTHER[what]}: .*--allow-different-machine"):
        train(tiny(tmp_path), resume=True, progress=False)
    assert (tmp_path / "last.pt").read_bytes() == before
    assert train(tiny(tmp_path), resume=True, allow_different_machine=True, progress=False).steps == 12


def test_the_integer_step_goes_on_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tiny(tmp_path, step="integer")
    stopped(run, 3)
    elsewhere(monkeypatch, **OTHER)
    assert train(run, resume=True, progress=False).steps == 12


def test_the_flag_allows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = [*FLAGS.split(), "--out", str(tmp_path)]
    assert main(flags) == 0
    (tmp_path / "summary.json").unlink()  # as if it had not come to its end
    elsewhere(monkeypatch, capability="none")
    assert main([*flags, "--automatic_resume"]) == 2
    assert "here it is none: it would not go on bit for bit" in capsys.readouterr().err
    assert main([*flags, "--automatic_resume", "--allow-different-machine"]) == 0
