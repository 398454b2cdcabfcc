"""Experiments as data: every run of every one can be made, and says what the paper's row says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cpt_model.experiments import CATALOGUE, ExperimentError, experiment, planned_runs
from cpt_model.experiments.calibration import Pace, kind
from cpt_model.training.precision_plan import backward_schedule, forward_schedule

NAMES = ["static-vs-cpt", "schedules", "late-start", "gradients", "critical-period", "quantisers"]
NAMES += [
    "authors-weights",
    "lr-vs-precision",
    "evidence",
    "integer-step",
    "integer-step-digits",
    "integer-step-resnet20",
    "integer-step-ablations",
]


def test_all_comparisons_are_there() -> None:
    assert list(CATALOGUE) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_run_has_settings_of_its_own(name: str, tmp_path: Path) -> None:
    runs = planned_runs(experiment(name), [0, 1], tmp_path)
    assert len({run.folder for run in runs}) == len(runs) == 2 * len(experiment(name).variants)
    for run in runs:
        twins = [each for each in runs if each is not run and not each.settings.differences(run.settings)]
        assert not twins
        assert run.settings.eval_every == run.steps
        assert run.settings.threads == 1
        assert run.folder.parent == tmp_path


def test_a_seed_is_finished_before_the_next_and_extras_come_last(tmp_path: Path) -> None:
    runs = planned_runs(experiment("static-vs-cpt"), [0, 1], tmp_path)
    assert [(run.variant.title, run.seed) for run in runs] == [
        ("8/8", 0),
        ("CPT 3-8/8", 0),
        ("8/8", 1),
        ("CPT 3-8/8", 1),
        ("CPT 3-8/8 x8", 0),
        ("float32", 0),
        ("CPT 3-8/8 x8", 1),
        ("float32", 1),
    ]


def test_a_deficit_moves_with_the_length_of_the_run(tmp_path: Path) -> None:
    short = experiment("critical-period").changed({"steps": 80})
    runs = {run.variant.title: run.settings for run in planned_runs(short, [0], tmp_path)}
    bits = forward_schedule(runs["3 bits from 0.125"]).bits(np.arange(80), 80)
    assert np.flatnonzero(bits == 3).tolist() == list(range(10, 30))
    assert set(bits) == {3, 8}
    assert runs["3 bits from 0.75"].deficit == (60, 20)


def test_gradients_cycle_while_the_forward_precision_stays(tmp_path: Path) -> None:
    runs = {run.variant.title: run for run in planned_runs(experiment("gradients"), [0], tmp_path)}
    run = runs["6/6-12"]
    steps = np.arange(run.steps)
    assert set(forward_schedule(run.settings).bits(steps, run.steps)) == {6}
    assert set(backward_schedule(run.settings).bits(steps, run.steps)) == {6, 7, 8, 9, 10, 11, 12}


def test_runs_of_one_kind_take_as_long(tmp_path: Path) -> None:
    kinds = [kind(run) for run in planned_runs(experiment("quantisers"), [0, 1], tmp_path)]
    assert len(set(kinds)) == 3
    assert Pace(step=0.5, rest=2).seconds(10) == 7


def test_mistakes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match=r"no experiment 'static'; there are: static-vs-cpt, schedules"):
        experiment("static")
    with pytest.raises(ExperimentError, match=r"schedules has no variant 'XX'; there are: 8/8, CPT x32, CR"):
        experiment("schedules").only(["XX"])
    with pytest.raises(ExperimentError, match=r"seeds \[1, 1\]: give each once"):
        planned_runs(experiment("schedules"), [1, 1], tmp_path)
