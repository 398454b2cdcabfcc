"""`cpt report` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.cli import main
from tests.cpt_model.reports.report_tools import leave_run
from tests.tools import refusal


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    leave_run(tmp_path / "runs" / "cyclic")
    leave_run(tmp_path / "runs" / "static", fw_bits=(8,))
    return tmp_path / "runs"


def test_page_and_numbers_are_written_and_the_table_is_printed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, runs: Path
) -> None:
    page = tmp_path / "new" / "page.html"
    with open(runs / "cyclic" / "metrics.jsonl", "a") as file:
        file.write('{"step": 44,')
    assert main(["report", str(runs), "--out", str(page)]) == 0
    shown = capsys.readouterr().out
    assert "3-8/8 cpt x2" in shown
    assert "estimate (zc706)" in shown
    assert shown.splitlines()[-1] == f"wrote {page}, {page.with_suffix('.json')}"
    assert page.read_text().startswith("<!doctype html>")
    for said in (shown, page.read_text()):
        assert "half-written and left out" in said
    assert len(json.loads(page.with_suffix(".json").read_text())["runs"]) == 2
    assert sorted(file.name for file in page.parent.iterdir()) == ["page.html", "page.json"]


def test_another_profile_and_another_file(tmp_path: Path, runs: Path) -> None:
    numbers = {name: tmp_path / f"{name}.json" for name in ("zc706", "zc706-ps")}
    for name, file in numbers.items():
        arguments = ["--profile", name, "--json-out", str(file), "--out", str(tmp_path / "page.html")]
        assert main(["report", str(runs / "cyclic"), *arguments]) == 0
    fast, slow = (json.loads(file.read_text())["runs"][0]["estimated_hours"] for file in numbers.values())
    assert fast < slow
    assert not (tmp_path / "page.json").exists()


def test_json_is_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path, runs: Path) -> None:
    assert main(["report", "--json", str(runs), "--out", str(tmp_path / "page.html")]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads((tmp_path / "page.json").read_text())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("{runs}/nowhere",), "nowhere: there is no such folder"),
        (("{runs}/..", "--profile", "zc7"), "no profile 'zc7'; there are: zc706, zc706_train, zc706-rows, zc706-ps"),
        (("{runs}", "--out", "{new}/page.pdf"), "page.pdf: the page is an .html file"),
        (("{runs}", "--json-out", "{new}/page.txt"), "page.txt: the numbers are a .json file"),
        (("{runs}", "--out", "{runs}/cyclic/summary.html"), "summary.json: a run's own file has that name"),
        (("{runs}", "--json-out", "{runs}/cyclic/settings.json"), "settings.json: a run's own file has that name"),
        (("{runs}/..",), "is not a run of cpt train: settings.json is neither there nor one folder below"),
        (("{runs}/cyclic/metrics.jsonl",), "metrics.jsonl is a file; give the folder of a run"),
        (("{runs}", "--out", "{runs}/static/metrics.jsonl/page.html"), "metrics.jsonl"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, runs: Path, arguments: tuple[str, ...], message: str
) -> None:
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")}
    given = [each.format(runs=runs, new=tmp_path / "new") for each in arguments]
    given += [] if "--out" in given else ["--out", str(tmp_path / "new" / "page.html")]
    assert message in refusal(capsys, "report", *given)
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")} == before


def test_a_file_that_cannot_be_replaced_stays_as_it_was(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, runs: Path
) -> None:
    page = tmp_path / "page.html"
    page.mkdir()
    assert "page.html is a folder, not a file" in refusal(capsys, "report", str(runs), "--out", str(page))
    assert list(page.iterdir()) == []
