"""Reading run folders: what is found, what is left out with a word, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cpt_model.reports.runs import ReportError, read_run, read_runs
from tests.cpt_model.reports.report_tools import leave_run


def test_a_folder_of_runs_is_expanded_and_a_run_is_read_once(tmp_path: Path) -> None:
    for name in ("b", "a"):
        leave_run(tmp_path / "all" / name)
    (tmp_path / "all" / "plots").mkdir()
    runs, notes = read_runs([tmp_path / "all" / "b", tmp_path / "all"])
    assert [run.name for run in runs] == ["b", "a"]
    assert notes == []


def test_lines_and_evaluations_are_kept_apart(tmp_path: Path) -> None:
    run = read_run(leave_run(tmp_path / "run", reached=71.5))
    assert [line["step"] for line in run.lines] == list(range(4, 41, 4))
    assert [line["test_accuracy"] for line in run.evaluations] == [71.5]
    assert (run.done, run.total, run.reached, run.best) == (40, 40, 71.5, 71.5)


def test_a_run_under_way_has_its_last_evaluation_and_a_note(tmp_path: Path) -> None:
    folder = leave_run(tmp_path / "run", done=20)
    with open(folder / "metrics.jsonl", "a") as file:
        for accuracy in (60.0, 58.0):
            file.write(json.dumps({"step": 20, "test_accuracy": accuracy, "eval_fw_bits": 8}) + "\n")
    (run,), notes = read_runs([folder])
    assert (run.reached, run.best) == (58.0, 60.0)
    assert notes == ["Not finished yet; costs are those up to here: run (20 of 40 steps)."]


def test_steps_of_a_run_over_epochs_come_from_its_lines(tmp_path: Path) -> None:
    folder = leave_run(tmp_path / "run", done=20)
    settings = json.loads((folder / "settings.json").read_text())
    (folder / "settings.json").write_text(json.dumps(settings | {"steps": None, "epochs": 3}))
    assert read_run(folder).total == 60  # 20 steps an epoch


def test_a_half_written_last_line_is_left_out_and_said(tmp_path: Path) -> None:
    folder = leave_run(tmp_path / "run", done=20)
    with open(folder / "metrics.jsonl", "a") as file:
        file.write('{"step": 24, "lo')
    (run,), notes = read_runs([folder])
    assert run.done == 20
    assert "half-written and left out" in notes[0]
    assert notes[0].endswith(": run.")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"step": 4, "lo', "line 3 is damaged: not JSON: Unterminated string"),
        ("[4]", "line 3 is damaged: it is no object of metrics"),
        ('{"loss": 1.0}', "line 3 is damaged: 'step' is no whole number of 1 or more"),
        ('{"step": 4, "loss": NaN, "gbitops": 1, "accuracy": 1}', "line 3 is damaged: 'loss' is missing or no number"),
        ('{"step": 4, "loss": 1, "gbitops": 1}', "line 3 is damaged: 'accuracy' is missing or no number"),
        ('{"step": 4, "eval_fw_bits": 8}', "line 3 is damaged: 'test_accuracy' is missing or no number"),
        ("", "line 3 is damaged: not JSON: Expecting value"),
    ],
)
def test_a_damaged_line_is_refused_with_its_number(tmp_path: Path, line: str, problem: str) -> None:
    file = leave_run(tmp_path / "run") / "metrics.jsonl"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:2], line, *lines[3:]]) + "\n")
    with pytest.raises(ReportError, match=r"metrics\.jsonl, line 3 is damaged") as refused:
        read_runs([tmp_path / "run"])
    assert problem in str(refused.value)


def test_folders_that_hold_no_run_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    for name, problem in {
        "nowhere": "nowhere: there is no such folder",
        "file": "file is a file; give the folder of a run",
        "empty": "empty is not a run of cpt train: settings.json is neither there nor one folder below",
    }.items():
        with pytest.raises(ReportError, match=problem):
            read_runs([tmp_path / name])
    with pytest.raises(ReportError, match="at least one folder"):
        read_runs([])


@pytest.mark.parametrize("content", [None, "", '{"step": 4, "lo'])
def test_a_run_without_metrics_is_refused_by_name_and_left_out_of_a_folder(tmp_path: Path, content: str | None) -> None:
    young = leave_run(tmp_path / "young", done=0)
    (young / "metrics.jsonl").unlink()
    if content is not None:
        (young / "metrics.jsonl").write_text(content)
    with pytest.raises(ReportError, match="young: the run has no metrics yet"):
        read_runs([young])
    with pytest.raises(ReportError, match=r"no run in .* has metrics yet"):
        read_runs([tmp_path])
    leave_run(tmp_path / "old")
    runs, notes = read_runs([tmp_path])
    assert [run.name for run in runs] == ["old"]
    assert notes == ["young has no metrics yet and is left out."]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "settings.json: not JSON"),
        ('{"colour": 1}', "settings.json: 'colour' is unknown; there are: arch, "),
        ('{"batch": 0}', "settings.json: batch = 0 is not 1 or more"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_their_file(tmp_path: Path, content: str, problem: str) -> None:
    folder = leave_run(tmp_path / "run")
    (folder / "settings.json").write_text(content)
    with pytest.raises(ValueError, match=problem):
        read_runs([folder])


def test_a_run_outlives_the_file_of_its_board(tmp_path: Path) -> None:
    folder = leave_run(tmp_path / "run")
    settings = json.loads((folder / "settings.json").read_text())
    (folder / "settings.json").write_text(json.dumps(settings | {"latency": "gone.json"}))
    run = read_run(folder)
    assert run.board == "gone.json"
    assert run.settings.fw_bits == (3, 8)


def test_a_damaged_summary_is_refused(tmp_path: Path) -> None:
    folder = leave_run(tmp_path / "run")
    (folder / "summary.json").write_text('{"arch": 1')
    with pytest.raises(ValueError, match=r"summary\.json: not JSON: "):
        read_runs([folder])
