"""`cpt demo` as a user runs it, with few steps."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest

from cpt_model.training.run_folder import held
from scripts import demo
from scripts.cli import main
from tests.tools import refusal

SHORT = ("--dataset", "digits", "--steps", "12", "--no-rtl")


@pytest.mark.slow
def test_it_answers_its_questions_and_a_second_call_reuses_the_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["demo", *SHORT, "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert [line[:2] for line in shown.splitlines() if line[1:2] == "."] == ["1.", "2.", "3."]
    found = json.loads((tmp_path / "demo.json").read_text())
    assert set(found["accuracy"]) == {"8/8", "CPT 3-8/8"}
    assert found["hours"]["saved_pct"] > 10
    assert found["found"] in shown
    page = (tmp_path / "demo.html").read_text()
    assert page.count('<figure data-chart="') == 4
    assert "http-equiv" not in page  # it grows no more
    assert html.escape(found["found"]) in page
    weights = list((tmp_path / "runs").rglob("last.pt"))
    before = [file.stat().st_mtime_ns for file in weights]

    assert main(["demo", *SHORT, "--out", str(tmp_path)]) == 0
    assert "2 of 2 runs finished before" in capsys.readouterr().out
    assert [file.stat().st_mtime_ns for file in weights] == before
    assert json.loads((tmp_path / "demo.json").read_text()) == found


@pytest.mark.slow
def test_a_whole_iteration_on_the_core_is_equal(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["demo", "--dataset", "digits", "--steps", "4", "--out", str(tmp_path)]) == 0
    high, low = json.loads((tmp_path / "demo.json").read_text())["iterations"]
    assert (high["bits"], low["bits"]) == ("8/8", "3/8")
    assert high["equal"]
    assert low["equal"]
    assert low["cycles"] < high["cycles"]
    assert "equal to PyTorch's in every integer" in capsys.readouterr().out


def test_without_the_data_it_falls_back_to_digits(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with demo.in_background("nothing.of.that.name", tmp_path / "log") as process:
        assert demo.had(process) == "digits"
    assert "the digits of scikit-learn instead" in capsys.readouterr().out
    assert demo.had(None) == "fashion-mnist"
    monkeypatch.setattr(demo, "LINE_SECONDS", 0)
    with demo.in_background("http.server", tmp_path / "log", "0", "--bind", "127.0.0.1") as endless:
        assert not demo.ended(endless, 0.5, "waiting")
    assert "waiting: 0 s so far" in capsys.readouterr().out
    assert endless.returncode is not None  # it ends with its block


def test_a_second_demonstration_in_a_folder_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with held(tmp_path):
        assert "is in use: another process has it" in refusal(capsys, "demo", "--out", str(tmp_path))


def test_a_data_set_without_a_network_is_refused_before_anything_begins(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert "no data set 'ptb'" in refusal(capsys, "demo", "--dataset", "ptb", "--out", str(tmp_path / "new"))
    assert not (tmp_path / "new").exists()
