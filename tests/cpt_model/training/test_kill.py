"""Runs that are really killed, and go on bit for bit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from cpt_model.training import Settings, read_metrics, train
from tests.cpt_model.training.run_tools import assert_same_run, tiny

LIMIT = 180  # seconds any of them may take

# Runs the settings of a file; with "write", it kills itself in the middle of writing its third checkpoint; with
# "replace", just after a checkpoint took its place.
RUNNER = """
import json, os, signal, sys
from cpt_model.training import Settings, Stopped, checkpoint, train
settings, how = Settings.from_dict(json.load(open(sys.argv[1]))), sys.argv[2]
files = 0
def die():
    os.kill(os.getpid(), signal.SIGKILL)
if how == "write":
    write = checkpoint._Checked.write
    def dying_write(self, data):
        global files
        files += self._opened.tell() == 0 and "last.pt" in self._opened.name
        done = write(self, data)
        if files == 3 and self._opened.tell() > 100_000:
            self._opened.flush()
            die()
        return done
    checkpoint._Checked.write = dying_write
if how == "replace":
    checkpoint._sync_folder = lambda folder: die() if os.path.getsize(folder / "last.pt") and next_file() else None
    def next_file():
        global files
        files += 1
        return files == 4
try:
    train(settings, resume=True, progress=False)
except Stopped as end:
    sys.exit(end.code)
"""


def start(settings: Settings, how: str = "") -> subprocess.Popen[bytes]:
    file = Path(settings.folder).with_suffix(".json")
    file.write_text(json.dumps(settings.to_dict()))
    return subprocess.Popen([sys.executable, "-c", RUNNER, str(file), how])


def wait_for_step(process: subprocess.Popen[bytes], folder: Path, step: int) -> None:
    end = time.monotonic() + LIMIT
    while not any(line["step"] >= step for line in read_metrics(folder)):
        assert process.poll() is None, f"it ended before step {step}"
        assert time.monotonic() < end, f"no step {step} within {LIMIT} s"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    train(tiny(folder, steps=30), progress=False)
    return folder


@pytest.mark.slow
def test_killed_three_times_it_ends_with_the_same_weights(whole: Path, tmp_path: Path) -> None:
    settings = tiny(tmp_path / "run", steps=30)
    first = start(settings, "write")
    assert first.wait(LIMIT) == -signal.SIGKILL
    assert (tmp_path / "run" / ".last.pt.tmp").exists(), "it died elsewhere"
    torch.load(tmp_path / "run" / "last.pt", weights_only=True)
    second = start(settings, "replace")
    assert second.wait(LIMIT) == -signal.SIGKILL
    third = start(settings)
    wait_for_step(third, tmp_path / "run", 19)
    third.kill()
    third.wait(LIMIT)
    assert not (tmp_path / "run" / "summary.json").exists()
    train(settings, resume=True, progress=False)
    assert_same_run(whole, tmp_path / "run")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_a_checkpoint(whole: Path, tmp_path: Path, number: signal.Signals) -> None:
    settings = tiny(tmp_path / "run", steps=30, save_every=1000)
    process = start(settings)
    wait_for_step(process, tmp_path / "run", 7)
    os.kill(process.pid, number)
    assert process.wait(LIMIT) == 128 + number
    saved = torch.load(tmp_path / "run" / "last.pt", weights_only=True)
    assert 7 <= saved["step"] < 30
    assert read_metrics(tmp_path / "run")[-1]["step"] <= saved["step"]
    train(settings, resume=True, progress=False)
    one, other = (torch.load(folder / "last.pt", weights_only=True)["model"] for folder in (whole, tmp_path / "run"))
    assert all(torch.equal(one[name], other[name]) for name in one)
