"""`cpt schedule` as a user runs it."""

from __future__ import annotations

import json

import pytest

from scripts.cli import main
from tests.tools import refusal

SMALL = ("schedule", "--arch", "cifar10_resnet_8", "--batch", "16", "--steps", "6400")


def test_the_proposal_can_be_handed_to_cost(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--budget-hours", "0.01", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    best = values["choices"][0]
    assert best["hours"] <= 0.01
    assert values["hours_of"] == "whole training steps"
    assert main([*SMALL, "--budget-hours", "0.01"]) == 0
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith("proposed: ")
    run = line.removeprefix("proposed: ").split()
    cost = ["cost", "--arch", "cifar10_resnet_8", "--batch", "16", "--steps", "6400", *run, "--json"]
    assert main(cost) == 0
    assert json.loads(capsys.readouterr().out)["whole_step"]["hours"] == pytest.approx(best["hours"], rel=1e-3)


def test_where_nothing_fits_it_says_how_many_steps_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--budget-hours", "0.001"]) == 0
    text = capsys.readouterr().out
    assert "No bounds fit. As many steps do:" in text
    assert "8/8" in text
    assert "proposed" not in text


def test_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--budget-hours" in refusal(capsys, *SMALL, "--budget-hours", "0")
    assert "unknown schedule 'XX'" in refusal(capsys, *SMALL, "--budget-hours", "1", "--schedule", "XX")
    assert "no network 'resnet0'" in refusal(capsys, "schedule", "--arch", "resnet0", "--budget-hours", "1")
