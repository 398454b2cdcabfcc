"""Two processes of torchrun in whole integer steps: the same masters on both after every step, killed and resumed.

What they are equal to: two copies in one process whose velocities are averaged, here by fractions.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from cpt_model.data import TrainingBatches, load_images
from cpt_model.models import build
from cpt_model.schedules import CPT
from cpt_model.step import IntegerNetwork
from cpt_model.step.draw import draw_weights
from cpt_model.training.checkpoint import load_checkpoint
from cpt_model.training.processes import noise_seed
from host.compiler.bits import Bits
from tests.cpt_model.training.torchrun import killed_and_resumed

STEPS, SEED, LR = 6, 3, 0.05
FLAGS = (
    f"train --step integer --recipe digits --steps {STEPS} --batch 8 --limit 80 --test-limit 20 --cycles 1 "
    f"--lr-schedule constant --seed {SEED} --log-every 1 --eval-every 4 --save-every 2 --threads 1 --no-tensorboard "
    "--automatic_resume"
).split()


def mean(values: list[np.ndarray]) -> np.ndarray:
    """To the nearest integer, a tie to the even one, as Python rounds fractions."""
    rows = zip(*(each.ravel().tolist() for each in values), strict=True)
    return np.array([round(Fraction(sum(row), len(row))) for row in rows]).reshape(values[0].shape)


def moved(w: np.ndarray, v: np.ndarray, rate: int) -> np.ndarray:
    pairs = zip(w.ravel().tolist(), v.ravel().tolist(), strict=True)
    return np.array([one - round(Fraction(two * rate, 1 << 24)) for one, two in pairs]).reshape(w.shape)


def in_one_process() -> dict[str, np.ndarray]:
    """The first one's state at the end."""
    data, bits = load_images("digits"), CPT(3, 8, cycles=1).bits(np.arange(STEPS), STEPS).tolist()
    model = build("digits_resnet_8", 10)
    draw_weights(model, SEED)
    copies = [IntegerNetwork(model, (1, 8, 8), 4, seed=noise_seed(SEED, rank)) for rank in range(2)]
    halves = [TrainingBatches(data, 8, SEED, True, rank, 2, 80) for rank in range(2)]
    for number in range(STEPS):
        before = copies[0].integers.state()
        for copy, half in zip(copies, halves, strict=True):
            copy.learn(*half[number], Bits(bits[number], 8), LR)
        states = [copy.integers.state() for copy in copies]
        common = {}
        for velocity in [name for name in before if name.endswith("velocity")]:
            stem = velocity.removesuffix("velocity").removesuffix("_")
            name = stem + "weight" if stem.endswith(".") else stem
            common[velocity] = mean([state[velocity] for state in states])
            fraction = 24 if name.endswith(("gamma", "beta")) else 27
            common[name] = moved(before[name], common[velocity], round(LR * (1 << fraction)))
        common["seen"] = np.maximum(*(state["seen"] for state in states))
        for copy, state in zip(copies, states, strict=True):
            copy.integers.load(state | {name: value.astype(state[name].dtype) for name, value in common.items()})
    return copies[0].integers.state()


@pytest.mark.slow
def test_two_processes_hold_the_same_masters_and_are_two_copies_with_averaged_velocities(tmp_path: Path) -> None:
    folder, lines = tmp_path / "run", tmp_path / "lines"
    program = Path(__file__).with_name("recorded_steps.py")
    killed_and_resumed([str(program), str(lines), *FLAGS, "--out", str(folder)], folder, STEPS)
    digests: dict[str, set[str]] = defaultdict(set)
    ranks: dict[str, set[str]] = defaultdict(set)
    for line in lines.read_text().splitlines():
        number, rank, digest = line.split()
        digests[number].add(digest)
        ranks[number].add(rank)
    assert ranks == {str(number): {"0", "1"} for number in range(STEPS)}
    assert [len(found) for found in digests.values()] == [1] * STEPS
    saved = load_checkpoint(folder / "last.pt")
    assert (saved["processes"], saved["step"]) == (2, STEPS)
    wanted, found = in_one_process(), saved["model"]["_extra_state"]
    assert found.keys() == wanted.keys()
    assert [name for name in wanted if not np.array_equal(found[name].numpy(), wanted[name])] == []
    assert not np.array_equal(saved["optimizer"]["nodes"][0], saved["optimizer"]["nodes"][1])
