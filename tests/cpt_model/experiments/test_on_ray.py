"""An experiment's runs as tasks of a Ray cluster of two nodes on this machine: run, stopped, continued."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cpt_model.training import read_metrics
from cpt_model.training.checkpoint import load_checkpoint

pytest.importorskip("ray", reason="pip install -e '.[ray]'")
pytestmark = pytest.mark.slow
WAIT = 900  # seconds: a machine with other work on it takes its time
LONG = 60_000  # steps that no machine takes before it is interrupted
SMALL = "experiment static-vs-cpt --dataset digits --batch 32 --test-limit 100 --seeds 1 --on ray"

# In a process of its own, whose open files are its own.
CLUSTER = """
import sys
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
cluster.add_node(num_cpus=1)
print("address", cluster.address, flush=True)
sys.stdin.read()
cluster.shutdown()
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", CLUSTER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout
    assert process.stdin
    try:
        yield next(line.split()[1] for line in process.stdout if line.startswith("address "))
    finally:
        process.stdin.close()
        process.wait(WAIT)
        process.stdout.close()


Start = Callable[[str], "subprocess.Popen[str]"]


@pytest.fixture
def start(address: str, tmp_path: Path) -> Iterator[Start]:
    """Starts `cpt` in the test's folder; nothing that a failed test began goes on."""
    running: list[subprocess.Popen[str]] = []

    def started(line: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "scripts.cli", *line.split()],
            cwd=tmp_path,
            env=os.environ | {"RAY_ADDRESS": address},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores it
        )
        running.append(process)
        return process

    yield started
    for process in running:
        with process:
            process.kill()


def test_runs_of_two_nodes(start: Start, tmp_path: Path) -> None:
    line = f"{SMALL} --steps 40 --variants 8/8 float32 --out runs"
    process = start(line)
    said, _ = process.communicate(timeout=WAIT)
    assert process.returncode == 0, said
    assert "with --jobs 2" in said  # as many as there are CPUs in both nodes
    report = json.loads((tmp_path / "runs" / "report.json").read_text())
    assert [row["variant"] for row in report["rows"]] == ["8/8", "float32"]
    again = start(line)
    said, _ = again.communicate(timeout=WAIT)
    assert "2 runs, 2 of them finished before" in said


def test_interrupted_it_leaves_a_checkpoint_and_continues(start: Start, tmp_path: Path) -> None:
    line = f"{SMALL} --steps {LONG} --variants 8/8 --out runs"
    folder = tmp_path / "runs" / "8-8-seed0"
    interrupted_behind(0, start(line), folder)
    reached = load_checkpoint(folder / "last.pt")["step"]
    assert 0 < reached < LONG
    assert not (folder / "summary.json").exists()
    interrupted_behind(reached, start(line), folder)
    assert load_checkpoint(folder / "last.pt")["step"] > reached


def interrupted_behind(step: int, process: subprocess.Popen[str], folder: Path) -> None:
    """Ends it by Ctrl-C once it has logged a later step."""
    end = time.monotonic() + WAIT
    while not any(metric["step"] > step for metric in read_metrics(folder)):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=WAIT)
    assert process.returncode == 130, said
    assert "Traceback" not in said


def test_a_run_that_fails_is_named(start: Start, tmp_path: Path) -> None:
    (tmp_path / "runs" / "8-8-seed0").mkdir(parents=True)
    (tmp_path / "runs" / "8-8-seed0" / "last.pt").write_bytes(b"no checkpoint")
    process = start(f"{SMALL} --steps 40 --variants 8/8 --out runs")
    said, _ = process.communicate(timeout=WAIT)
    assert process.returncode == 2
    assert "8/8 seed 0 failed: " in said
    assert "last.pt" in said
