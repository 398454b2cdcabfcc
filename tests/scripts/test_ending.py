"""Signals and full disks: one line, the exit status of the signal or 2, and nothing that was saved is lost."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cpt_model.training.checkpoint import load_checkpoint
from tests.tools import ROOT

CPT = [sys.executable, "-m", "scripts.cli"]
LAYER = "conv:n16,c64-64,16x16,k3,p1"
SIM = ["sim", "--device", "hls", "--build", "tiny", "--layer", LAYER]
TRAIN = ["train", "--recipe", "digits", "--steps", "100000", "--no-tensorboard", "--log-every", "1"]
EXPLORE = ["explore", "--arch", "cifar10_resnet_74", "--fw-bits", "3", "8"]
# Interrupts itself in the middle of being imported, and goes on where it is not ended.
PLANTED = "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(20)\n"
# Python looks for the command's module behind its package: an interrupt before that is the interpreter's, not ours.
STARTED = """import pathlib, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "scripts.cli":
            pathlib.Path(__file__).with_name("started").touch()
sys.meta_path.insert(0, Finder())
"""


def heeding() -> None:
    """A shell's background job ignores SIGINT, and what nohup starts SIGHUP."""
    for each in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(each, signal.SIG_DFL)


def started(folder: Path, *arguments: str, path: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*CPT, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": f"{path}:{ROOT}"},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        preexec_fn=heeding,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, list[str]]:
    try:
        _, said = process.communicate(timeout=120)
    finally:
        process.kill()
    return process.returncode, said.splitlines()


@pytest.mark.parametrize("module", ["cpt tables figure5", "host.compiler.step --arch digits_resnet_8 --batch 2"])
def test_a_reader_that_has_gone(module: str) -> None:
    """As `head` does."""
    reader, writer = os.pipe()
    os.close(reader)
    first, *flags = module.split()
    command = [*CPT, *flags] if first == "cpt" else [sys.executable, "-m", first, *flags]
    done = subprocess.run(command, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("module", ["matplotlib", "cpt_model", "numpy"])
def test_an_interrupt_in_the_middle_of_an_import(module: str, tmp_path: Path) -> None:
    (tmp_path / f"{module}.py").write_text(PLANTED)
    process = started(tmp_path, "plot-schedule", "--out", "x.png", path=str(tmp_path))
    assert ended(process) == (130, ["cpt: stopped"])


@pytest.mark.parametrize("seconds", [0.2, 0.6, 1.5])
def test_an_interrupt_while_the_kernel_runs_in_its_thread(seconds: float, tmp_path: Path) -> None:
    process = started(tmp_path, *SIM)
    assert process.stderr is not None
    while not (line := process.stderr.readline()).startswith("region:"):
        assert line, "the simulation ended before it began"
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    code, said = ended(process)
    said = [line for line in said if not line.startswith("region:")]  # of the next pass
    assert (code, said) in [(130, ["cpt: stopped"]), (0, [])]  # a fast machine may be done


@pytest.mark.parametrize("seconds", [1.0, 3.0])
def test_an_interrupt_while_builds_are_compared(seconds: float, tmp_path: Path) -> None:
    process = started(tmp_path, *EXPLORE, "--out", "out")
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    assert ended(process) == (130, ["cpt: stopped"])


@pytest.mark.slow
@pytest.mark.parametrize("tenths", range(1, 21))
@pytest.mark.parametrize("line", [SIM, [*EXPLORE, "--out", "out"], [*TRAIN, "--out", "run"]], ids=lambda line: line[0])
def test_an_interrupt_at_twenty_moments(line: list[str], tenths: int, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(STARTED)
    process = started(tmp_path, *line, path=str(tmp_path))
    limit = time.monotonic() + 60
    while not (tmp_path / "started").exists():
        assert time.monotonic() < limit, "Python did not start within 60 s"
        time.sleep(0.01)
    time.sleep(tenths / 10)
    process.send_signal(signal.SIGINT)
    code, said = ended(process)
    assert code in (130, 0)  # a fast machine may be done
    assert not any(word in said_line for said_line in said for word in ("Traceback", "Fatal", "free()", "corruption"))
    if code:
        assert said[-1].startswith("cpt: stopped")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"])
def test_a_signal_saves_the_step_that_is_running(name: str, tmp_path: Path) -> None:
    number = signal.Signals[name]
    process = started(tmp_path, *TRAIN, "--out", "run")
    metrics = tmp_path / "run" / "metrics.jsonl"
    deadline = time.monotonic() + 120
    while not metrics.exists() or metrics.read_text().count("\n") < 5:
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    code, said = ended(process)
    assert code == 128 + number
    assert "continues it" in said[-1]
    assert not any("Traceback" in line for line in said)
    last = json.loads(metrics.read_text().splitlines()[-1])["step"]
    assert load_checkpoint(tmp_path / "run" / "last.pt")["step"] == last


def test_a_hangup_that_nohup_ignores_stays_ignored(tmp_path: Path) -> None:
    code = "import os, signal; from host.training.signals import watch_signals\n"
    code += "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    code += "with watch_signals() as watch: os.kill(os.getpid(), signal.SIGHUP); print(watch.number)\n"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "0\n"


def on_a_small_disk(size: int, folder: Path, *arguments: str) -> tuple[int, list[str]]:
    """No file may be longer than that, as on a disk that is full."""
    done = subprocess.run(
        [*CPT, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, [line for line in done.stderr.splitlines() if line.startswith(("cpt: ", "Traceback"))]


FULL = [
    (0, "train --recipe digits --steps 8 --out run", "settings.json: File too large"),
    (
        1500,
        "train --recipe digits --steps 60 --log-every 1 --out run",
        "metrics.jsonl cannot be written: File too large",
    ),
    (5000, "train --recipe digits --steps 8 --out run", "best.pt cannot be written: File too large"),
    (9, "board export --batch 1 --only layer1.0.conv1 --out golden.json", "golden.json: File too large"),
    (9, "plot-schedule --out x.png", "x.png: File too large"),
]


def test_a_full_disk_under_a_landscape(tmp_path: Path) -> None:
    recipe = "train --recipe digits --steps 8 --no-tensorboard --test-limit 20 --out run"
    assert on_a_small_disk(resource.RLIM_INFINITY, tmp_path, *recipe.split()) == (0, [])
    drawing = "landscape run --points 3 --images 20 --out out"
    code, said = on_a_small_disk(200, tmp_path, *drawing.split())
    assert code == 2
    assert len(said) == 1
    assert said[0].endswith("landscape.npz: File too large")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(("size", "line", "message"), FULL, ids=[line for _, line, _ in FULL])
def test_a_full_disk_is_one_line(size: int, line: str, message: str, tmp_path: Path) -> None:
    code, said = on_a_small_disk(size, tmp_path, *line.split())
    assert code == 2
    assert len(said) == 1
    assert said[0].endswith(message)
    assert not list(tmp_path.rglob("*.tmp"))
