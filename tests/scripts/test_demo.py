"""`cpt demo` as a user runs it, with few steps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cpt_model.training.run_folder import held
from scripts.cli import main
from tests.tools import refusal


@pytest.mark.slow
def test_both_precisions_are_trained_and_shown_side_by_side(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["demo", "--steps", "40", "--seeds", "1", "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "a step; 2 runs" in shown
    found = json.loads((tmp_path / "demo.json").read_text())
    static, cyclic = found["training"]["rows"]
    assert (static["variant"], cyclic["variant"]) == ("8/8", "CPT 3-8/8")
    assert min(static["accuracy"]["mean"], cyclic["accuracy"]["mean"]) > 50  # ten classes: it has learnt
    assert cyclic["relative_gbitops_pct"] < 70 < cyclic["relative_hours_pct"] < 85
    assert all(row["integers_agree"] and row["floats_agree"] for row in found["layer"])
    assert [group["name"] for group in found["report"]["groups"]] == ["8/8", "3-8/8 cpt x2"]
    page = (tmp_path / "demo.html").read_text()
    assert page.count("data:image/png;base64,") == 1  # the layer
    assert page.count("data:image/svg+xml;base64,") == 6  # the report
    assert f"{static['accuracy']['mean']:.2f}" in page
    assert shown.splitlines()[-1] == f"the report on all of it: {tmp_path / 'demo.html'}"


def test_a_second_demonstration_in_a_folder_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    kept = tmp_path / "runs" / "8-8-seed0" / "last.pt"
    kept.parent.mkdir(parents=True)
    kept.touch()
    with held(tmp_path):
        assert "is in use: another process has it" in refusal(capsys, "demo", "--out", str(tmp_path))
    assert kept.exists()
