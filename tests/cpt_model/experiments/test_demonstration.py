"""The demonstration fits its data sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpt_model.experiments import planned_runs
from cpt_model.experiments.demonstration import SEEDS, demonstration


@pytest.mark.parametrize("dataset", SEEDS)
def test_every_data_set_has_a_network_that_fits(dataset: str, tmp_path: Path) -> None:
    (run, *_) = planned_runs(demonstration(dataset, {"steps": 40}), [0], tmp_path)
    assert (run.settings.dataset, run.settings.steps, run.settings.batch) == (dataset, 40, 64)
