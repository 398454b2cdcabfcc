"""A run that is killed at twenty random moments ends with the weights of one that was not."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from host.training.checkpoint import load_checkpoint
from host.training.journal import read_metrics
from host.training.settings import Settings

KILLS, STEPS = 20, 60
LIFE = """\
import json, sys
from host.training.run import train
from host.training.settings import Settings
from sim.contract import Build
from sim.reference import Reference

settings = Settings.from_dict(json.loads(sys.argv[1]))
print("alive", flush=True)
train(settings, Reference(Build.named("tiny")), resume=True, shown=False)
"""


def begun(folder: Path) -> subprocess.Popen[str]:
    """A process that goes on with the run, and is about to read its checkpoint."""
    values = {"arch": "digits_resnet_8", "dataset": "digits", "steps": STEPS, "batch": 4, "fw_bits": [3, 8]}
    values |= {"cycles": 3, "limit": 40, "test_limit": 4, "eval_every": 5, "log_every": 3, "save_every": 1}
    run = Settings.from_dict(values | {"folder": str(folder)})
    arguments = [sys.executable, "-c", LIFE, json.dumps(run.to_dict())]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "alive\n"
    return process


@pytest.mark.slow
def test_a_run_killed_at_twenty_random_moments_ends_with_the_same_weights(tmp_path: Path) -> None:
    began = time.monotonic()
    with begun(tmp_path / "whole") as whole:
        assert whole.wait(600) == 0
    step = (time.monotonic() - began) / STEPS
    moments, lives = random.Random(7), 0
    while lives < KILLS:
        with begun(tmp_path / "killed") as process:
            time.sleep(moments.uniform(0, 4) * step)
            if process.poll() is None:
                lives += 1
                process.kill()
            else:  # it came to its end: once more
                assert process.returncode == 0
                (tmp_path / "killed" / "last.npz").unlink()
                (tmp_path / "killed" / "before.npz").unlink()
    with begun(tmp_path / "killed") as process:
        assert process.wait(600) == 0
    (ours, _), (theirs, _) = (load_checkpoint(tmp_path / name / "last.npz") for name in ("killed", "whole"))
    assert [name for name in theirs if not np.array_equal(ours[name], theirs[name])] == []
    found = [
        [(line["step"], line.get("loss"), line.get("test_loss")) for line in read_metrics(tmp_path / name)]
        for name in ("killed", "whole")
    ]
    assert found[0] == found[1]
