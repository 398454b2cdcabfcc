"""cpt iteration, cpt latency and cpt board fit, as a user runs them; the RTL is the tiny build's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cpt_model.cost.profile_file import load_profile
from host.measure.iteration import LIST_PASSES
from host.measure.model_error import step_iteration_deviations
from scripts.cli import main
from tests.tools import refusal

ITERATION = ("iteration", "--arch", "cifar10_resnet_8", "--batch", "1", "--build", "tiny", "--fw-bits", "3")


def test_an_iteration_is_simulated_pass_by_pass_and_goes_on_where_it_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "iteration.json"
    assert main([*ITERATION, "--out", str(out)]) == 0
    whole = json.loads(out.read_text())
    assert whole["complete"]
    assert len(whole["passes"]) == 9 * 3 - 1, "the images need no error"
    shapes = {(row["shape"], row["pass"]) for row in whole["passes"]}
    assert {(row["shape"], row["pass"]) for row in whole["passes"] if row["verified"]} == shapes
    total = sum(row["cycles"] for row in whole["passes"])
    assert f"{total:,}" in capsys.readouterr().out

    cut = {**whole, "complete": False, "passes": whole["passes"][:LIST_PASSES]}
    out.write_text(json.dumps(cut))
    assert main([*ITERATION, "--out", str(out)]) == 0
    again = json.loads(out.read_text())
    assert again["complete"]
    assert [row["cycles"] for row in again["passes"]] == [row["cycles"] for row in whole["passes"]]

    assert main([*ITERATION, "--bw-bits", "7", "--out", str(out)]) == 2
    assert "another bw_bits" in capsys.readouterr().err


def test_a_whole_step_is_simulated_and_its_work_added_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "step.json"
    step = ("iteration", "--arch", "digits_resnet_8", "--batch", "2", "--build", "tiny", "--whole-step")
    assert main([*step, "--bandwidth", "1.6", "--out", str(out)]) == 0
    found = json.loads(out.read_text())
    total = sum(found["lists"])
    assert sum(row[3] for row in found["work"]) == pytest.approx(total, rel=0.01)
    assert f"{total:,}" in capsys.readouterr().out
    whole, *parts = step_iteration_deviations(out)
    assert abs(whole.percent) < 10
    assert sum(part.model for part in parts) == pytest.approx(whole.model)
    assert "does not run as whole iterations" in refusal(capsys, "iteration", "--arch", "resnet18", "--whole-step")


def test_errors_of_the_model_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["latency"]) == 0
    shown = capsys.readouterr().out
    assert "fitted on: 121 passes" in shown
    assert "unseen: 40 passes" in shown
    assert main(["latency", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["grids"]["unseen"]["passes"] == 40
    assert {row["what"].split(",")[0] for row in found["iterations"]} <= {"cifar10_resnet_74"}


def test_a_profile_is_fitted_to_simulated_latencies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ("--arch", "cifar10_resnet_8", "--batch", "2", "--only", "layer3.0.*", "--build", "tiny")
    assert main(["board", "measure", *run, "--device", "rtl", "--repeat", "1", "--out", str(tmp_path)]) == 0
    profile = tmp_path / "mine.json"
    measured = str(tmp_path / "simulated-rtl-measure.csv")
    assert main(["board", "fit", measured, "--out", str(profile), "--name", "mine"]) == 0
    assert "18 latencies, simulated on rtl" in capsys.readouterr().out
    assert load_profile(profile).name == "mine"
    assert "does not name the columns" in refusal(
        capsys, "board", "fit", str(profile), "--out", str(tmp_path / "other.json")
    )
    assert not (tmp_path / "other.json").exists()
