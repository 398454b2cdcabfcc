"""Runs that are really killed, and go on bit for bit."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cpt_model.training import Settings, train
from cpt_model.training.checkpoint import load_checkpoint
from tests.cpt_model.training.run_tools import LIMIT, assert_equal, assert_same_run, tiny, wait_for_step

# Runs the settings of a file; with "write", it kills itself in the middle of writing its third checkpoint.
RUNNER = """
import json, os, signal, sys
from cpt_model.training import Settings, Stopped, checkpoint, train
settings, how = Settings.from_dict(json.load(open(sys.argv[1]))), sys.argv[2]
files, write = 0, checkpoint._Checked.write
def dying_write(self, data):
    global files
    files += self._opened.tell() == 0 and "last.pt" in self._opened.name
    done = write(self, data)
    if files == 3 and self._opened.tell() > 100_000:
        self._opened.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    return done
if how == "write":
    checkpoint._Checked.write = dying_write
try:
    train(settings, resume=True, progress=False)
except Stopped as end:
    sys.exit(end.code)
"""


def start(settings: Settings, how: str = "") -> subprocess.Popen[bytes]:
    file = Path(settings.folder).with_suffix(".json")
    file.write_text(json.dumps(settings.to_dict()))
    return subprocess.Popen([sys.executable, "-c", RUNNER, str(file), how])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    train(tiny(folder, steps=30), progress=False)
    return folder


@pytest.mark.slow
def test_killed_twice_it_ends_with_the_same_weights(whole: Path, tmp_path: Path) -> None:
    """In the middle of writing a checkpoint, and at any other moment."""
    settings = tiny(tmp_path / "run", steps=30)
    first = start(settings, "write")
    assert first.wait(LIMIT) == -signal.SIGKILL
    assert (tmp_path / "run" / ".last.pt.tmp").exists(), "it died elsewhere"
    assert load_checkpoint(tmp_path / "run" / "last.pt")["step"] == 4
    second = start(settings)
    wait_for_step(second, tmp_path / "run", 19)
    second.kill()
    second.wait(LIMIT)
    assert not (tmp_path / "run" / "summary.json").exists()
    train(settings, resume=True, progress=False)
    assert_same_run(whole, tmp_path / "run")


@pytest.mark.slow
def test_ctrl_c_ends_it_with_a_checkpoint(whole: Path, tmp_path: Path) -> None:
    settings = tiny(tmp_path / "run", steps=30, save_every=1000)
    process = start(settings)
    wait_for_step(process, tmp_path / "run", 7)
    process.send_signal(signal.SIGINT)
    assert process.wait(LIMIT) == 130
    saved = load_checkpoint(tmp_path / "run" / "last.pt")
    assert 7 <= saved["step"] < 30
    train(settings, resume=True, progress=False)
    one, other = (load_checkpoint(folder / "last.pt")["model"] for folder in (whole, tmp_path / "run"))
    assert_equal(one, other)
