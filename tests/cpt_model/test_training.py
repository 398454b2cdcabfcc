"""A small network on real digits: every width learns, and precision that cycles ends as float32 does."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from cpt_model import Config
from cpt_model.benchmarks.accuracy import bit_exact_run, fake_run, float_run
from cpt_model.schedules import CPT, Static


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.mark.parametrize("width", range(3, 17))
def test_the_loss_falls_at_every_width(width: int) -> None:
    run = bit_exact_run(Static(width), 8, seed=0, steps=60)
    assert run.last_loss < 0.6 * run.first_loss


@pytest.mark.parametrize("quantiser", ["dorefa", "wageubn"])
def test_the_loss_falls_with_the_other_quantisers(quantiser: str) -> None:
    run = bit_exact_run(Static(6), 8, seed=0, steps=60, config=Config(quantiser))
    assert run.last_loss < 0.6 * run.first_loss


@pytest.mark.parametrize("width", [3, 8])
def test_the_loss_falls_with_rounded_results(width: int) -> None:
    rounded = bit_exact_run(Static(width), 8, seed=0, steps=60, config=Config(results="rounded"))
    exact = bit_exact_run(Static(width), 8, seed=0, steps=60, config=Config(results="exact"))
    assert rounded.last_loss < 0.6 * rounded.first_loss
    assert rounded.last_loss != exact.last_loss


@pytest.mark.slow
def test_cycling_precision_reaches_float_accuracy_and_that_of_fake_quantisation() -> None:
    """Within two points, on the mean of two seeds: the spread of one run is about one (`cpt bench accuracy`)."""
    runs = {
        "float": [float_run(seed, steps=150) for seed in (0, 1)],
        "fake": [fake_run(CPT(3, 8, cycles=4), 8, seed, steps=150) for seed in (0, 1)],
        "ours": [bit_exact_run(CPT(3, 8, cycles=4), 8, seed, steps=150) for seed in (0, 1)],
    }
    mean = {name: np.mean([run.accuracy for run in each]) for name, each in runs.items()}
    assert mean["float"] > 95
    assert mean["ours"] > mean["float"] - 2
    assert mean["ours"] > mean["fake"] - 2
