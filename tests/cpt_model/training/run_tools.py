"""Small runs on digits, and what must be the same of two of them."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

import torch

from cpt_model.training import Settings, read_metrics
from cpt_model.training.checkpoint import load_checkpoint

LIMIT = 300  # seconds that any run in another process may take


def tiny(folder: Path, **changes: Any) -> Settings:
    """Twelve steps of eight digits, a fixed number of threads."""
    values: dict[str, Any] = {
        "arch": "digits_resnet_8",
        "dataset": "digits",
        "folder": str(folder),
        "steps": 12,
        "batch": 8,
        "limit": 80,
        "test_limit": 20,
        "fw_bits": (3, 8),
        "schedule": "CR",
        "cycles": 2,
        "threads": 1,
        "lr": 0.05,
        "log_every": 1,
        "eval_every": 5,
        "save_every": 2,
        "tensorboard": False,
    }
    return Settings(**(values | changes))


def wait_for_step(process: subprocess.Popen[bytes], folder: Path, step: int) -> None:
    """Until a run in another process has logged the step."""
    end = time.monotonic() + LIMIT
    while not any(line["step"] >= step for line in read_metrics(folder)):
        assert process.poll() is None, f"it ended before step {step}"
        assert time.monotonic() < end, f"no step {step} within {LIMIT} s"
        time.sleep(0.001)


def assert_same_run(one: Path, other: Path) -> None:
    """Weights, optimiser, precision and metrics, bit for bit; only the clock may differ."""
    states = [load_checkpoint(folder / "last.pt") for folder in (one, other)]
    for state in states:
        state.pop("seconds")
        state["settings"].pop("folder")
    assert_equal(states[0], states[1])
    lines = [[line | {"seconds": 0} for line in read_metrics(folder)] for folder in (one, other)]
    assert lines[0] == lines[1]
    bests = [load_checkpoint(folder / "best.pt") for folder in (one, other)]
    assert_equal(bests[0]["model"], bests[1]["model"])
    assert bests[0]["step"] == bests[1]["step"]


def assert_equal(one: Any, other: Any, where: str = "") -> None:
    assert type(one) is type(other), where
    if isinstance(one, torch.Tensor):
        assert torch.equal(one, other), where
    elif isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for key in one:
            assert_equal(one[key], other[key], f"{where}/{key}")
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other), where
        for index, (mine, yours) in enumerate(zip(one, other, strict=True)):
            assert_equal(mine, yours, f"{where}/{index}")
    else:
        assert one == other, where
