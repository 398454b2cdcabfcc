"""Two processes of torchrun: what they are equal to, and that they go on bit for bit after being killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from cpt_model import Bits, Config, prepare_, scheduler
from cpt_model.data import TrainingBatches, load_images
from cpt_model.models import build
from cpt_model.schedules import CPT
from cpt_model.training.checkpoint import load_checkpoint
from cpt_model.training.processes import noise_seed
from tests.cpt_model.training.run_tools import LIMIT, assert_equal
from tests.cpt_model.training.torchrun import killed_and_resumed

STEPS = 6
# The model, and with it a reducer that owns the group, is let go of right behind a collective operation, 300 times.
LET_GO = """
import os, sys, torch
from torch import distributed, nn
from cpt_model.training.processes import ENDED, processes
sys.setswitchinterval(1000)  # a thread that waits for the lock is not handed it
real = distributed.init_process_group
alone = dict(rank=0, world_size=1)
distributed.init_process_group = lambda *name, **_: real(*name, store=distributed.HashStore(), **alone)
os.environ["WORLD_SIZE"] = "2"

def run():
    with processes():
        model = nn.parallel.DistributedDataParallel(nn.Linear(2, 2))
        model(torch.ones(1, 2)).sum().backward()
        seen = torch.ones(1)
        distributed.all_reduce(seen)

for _ in range(300):
    run()
assert len(set(ENDED)) == 300
"""
FLAGS = (
    f"--recipe digits --steps {STEPS} --batch 8 --limit 80 --test-limit 20 --cycles 1 --lr-schedule constant --seed 3 "
    "--log-every 1 --eval-every 4 --save-every 2 --threads 1 --no-tensorboard --automatic_resume"
).split()


def in_one_process() -> dict[str, Tensor]:
    """Two copies, each with its half of every batch and its own noise; both take the mean of the gradients."""
    data, models, halves = load_images("digits"), [], []
    for rank in range(2):
        torch.manual_seed(3)
        model = build("digits_resnet_8", 10).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        models.append(prepare_(model, Config(bits=Bits(8, 8), seed=noise_seed(3, rank))))
        halves.append(TrainingBatches(data, 8, 3, True, rank, 2, 80))
    bits = [scheduler(model, CPT(3, 8, cycles=1), 8, STEPS) for model in models]
    optimisers = [torch.optim.SGD(model.parameters(), 0.05, 0.9, weight_decay=1e-4) for model in models]
    for step in range(STEPS):
        for model, half in zip(models, halves, strict=True):
            x, target = half[step]
            model.zero_grad()
            nn.functional.cross_entropy(model(x), target).backward()
        for one, other in zip(models[0].parameters(), models[1].parameters(), strict=True):
            assert one.grad is not None
            assert other.grad is not None
            mean = (one.grad + other.grad) / 2
            one.grad.copy_(mean)
            other.grad.copy_(mean)
        for optimiser, precision in zip(optimisers, bits, strict=True):
            optimiser.step()
            precision.step()
    assert all(map(torch.equal, models[0].parameters(), models[1].parameters()))
    return dict(models[0].state_dict())


def test_a_group_ends_while_its_threads_still_let_go_of_tensors() -> None:
    """Without the reference that is kept, they hang in about half of the tries."""
    subprocess.run([sys.executable, "-c", LET_GO], check=True, timeout=LIMIT)


@pytest.mark.slow
def test_two_processes_killed_and_resumed_are_two_copies_with_averaged_gradients(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    killed_and_resumed(["-m", "scripts.cli", "train", *FLAGS, "--out", str(folder)], folder, STEPS)
    saved = load_checkpoint(folder / "last.pt")
    assert (saved["processes"], saved["step"]) == (2, STEPS)
    assert_equal(dict(saved["model"]), in_one_process())
