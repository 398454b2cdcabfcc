"""`cpt experiment` as a user runs it, small: real runs on digits in real processes, stopped and continued."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cpt_model.training import read_metrics
from cpt_model.training.checkpoint import load_checkpoint
from scripts.cli import main
from tests.tools import refusal

SMALL = ["--dataset", "digits", "--batch", "32", "--test-limit", "100"]
WAIT = 600  # a bound for a machine that is busy with other things


def test_without_a_name_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("static-vs-cpt", "schedules", "late-start", "gradients", "critical-period"))


@pytest.mark.slow
def test_it_declares_its_time_runs_and_continues(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["experiment", "static-vs-cpt", *SMALL, "--steps", "40", "--seeds", "1", "--out", str(tmp_path)]
    chosen = ["--variants", "8/8", "CPT 3-8/8"]
    assert main([*arguments, *chosen, "--save", str(tmp_path / "kept")]) == 0
    shown = capsys.readouterr().out
    assert shown.index("about ") < shown.index("test accuracy (%)")
    assert (tmp_path / "kept" / "static-vs-cpt.md").exists()
    before = json.loads((tmp_path / "report.json").read_text())
    assert [row["variant"] for row in before["rows"]] == ["8/8", "CPT 3-8/8"]

    assert main([*arguments, *chosen]) == 0  # all is there: nothing is run, the same is reported
    assert "2 runs, 2 of them finished before" in capsys.readouterr().out
    assert json.loads((tmp_path / "report.json").read_text()) == before

    assert main([*arguments, "--report-only"]) == 0
    assert "Not run yet, and not in the table: CPT 3-8/8 x8 seed 0, float32 seed 0." in capsys.readouterr().out

    assert "holds a run with steps = 40, this one has 41" in refusal(capsys, *arguments, *chosen, "--steps", "41")


@pytest.mark.slow
def test_killed_it_leaves_no_run_behind_and_continues(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["experiment", "static-vs-cpt", *SMALL, "--steps", "1500", "--seeds", "1", "--jobs", "1"]
    arguments += ["--variants", "8/8", "--out", str(tmp_path)]
    folder = tmp_path / "8-8-seed0"
    parent = subprocess.Popen([sys.executable, "-m", "scripts.cli", *arguments], stdout=subprocess.DEVNULL)
    try:
        wait_for(lambda: len(read_metrics(folder)) >= 1)
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    # The run notices that its parent is gone, and stops with a checkpoint of wherever it was.
    wait_for(lambda: (folder / "last.pt").exists() and not holds(folder))
    reached = load_checkpoint(folder / "last.pt")["step"]
    assert 0 < reached < 1500
    assert not (folder / "summary.json").exists()
    assert main([*arguments, "--minutes", "0.0001"]) == 2  # measured, then not begun: there is no time
    said = capsys.readouterr()
    assert "8/8 seed 0 and later runs are not begun" in said.out
    assert "nothing to report" in said.err
    assert load_checkpoint(folder / "last.pt")["step"] == reached


def holds(folder: Path) -> bool:
    """Whether a process has a file of the folder open."""
    for handles in Path("/proc").glob("[0-9]*/fd"):
        try:
            if any(os.readlink(handle).startswith(str(folder)) for handle in handles.iterdir()):
                return True
        except OSError:
            continue
    return False


def wait_for(condition: object) -> None:
    assert callable(condition)
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end, f"nothing came of it in {WAIT} s"
        time.sleep(0.1)


def test_a_run_that_fails_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    arguments = ["--dataset", "fashion-mnist", "--datadir", str(tmp_path / "empty"), "--out", str(tmp_path / "out")]
    line = refusal(capsys, "experiment", "static-vs-cpt", "--variants", "8/8", "--jobs", "1", *arguments)
    assert line.startswith("cpt: 8/8: DataError: ")
    assert str(tmp_path / "empty") in line


def test_without_ray_the_line_says_what_to_install(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    said = refusal(capsys, "experiment", "schedules", "--on", "ray", "--out", str(tmp_path / "out"))
    assert "--on ray needs the package 'ray': pip install " in said
    assert not list(tmp_path.iterdir())
