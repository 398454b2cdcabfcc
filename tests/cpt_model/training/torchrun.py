"""Two processes that `torchrun` starts, kills of them, and starts again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from cpt_model.training.checkpoint import load_checkpoint
from tests.cpt_model.training.run_tools import LIMIT, wait_for_step


def killed_and_resumed(program: list[str], folder: Path, steps: int) -> None:
    """A run into the folder, killed behind its third step, and resumed to its end; it saves every second step."""
    process = start(program)
    try:
        wait_for_step(process, folder, 3)
    finally:
        kill_all(process)
    assert not (folder / "summary.json").exists(), "it was too quick to be killed"
    assert 2 <= load_checkpoint(folder / "last.pt")["step"] < steps
    again = start(program)
    try:
        assert again.wait(LIMIT) == 0
    finally:
        kill_all(again)


def start(program: list[str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *program]
    return subprocess.Popen(command, env=os.environ | {"OMP_NUM_THREADS": "1"})


def kill_all(process: subprocess.Popen[bytes]) -> None:
    """The launcher and both workers, which have sessions of their own; back when all have gone."""
    workers = children(process.pid)
    for pid in (process.pid, *workers):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait(LIMIT)
    end = time.monotonic() + LIMIT
    while any(state(pid) not in "Z-" for pid in workers):
        assert time.monotonic() < end, f"workers {workers} do not end"
        time.sleep(0.001)


def children(parent: int) -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and fields(int(name))[1:2] == [str(parent)]]


def state(pid: int) -> str:
    """A letter, "Z" when it has ended; "-" if there is no such process."""
    return fields(pid)[0]


def fields(pid: int) -> list[str]:
    """What the kernel says behind a process's name: its state, its parent, ..."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["-"]
