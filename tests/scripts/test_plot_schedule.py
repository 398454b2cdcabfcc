"""`cpt plot-schedule` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cpt_model.cost.paper_values import BETTER_SCHEDULES
from scripts.cli import main


def test_the_ten_save_what_the_paper_says(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / "new" / "ten.png"
    assert main(["plot-schedule", "--json", "--out", str(picture)]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["name"]: round(row["saving_gbitops_pct"], 1) for row in rows} == {
        name: saving for name, saving, _ in BETTER_SCHEDULES
    }
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_shares_of_a_late_start(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["--late-start", "0.25", "--steps", "1000", "--out", str(tmp_path / "a.png")]
    assert main(["plot-schedule", "static", "progressive", "static", *arguments]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith(("static", "progressive"))]
    assert [row[0] for row in rows] == ["static", "progressive"]
    # A quarter at 3 bits, the rest at 8: (9 + 48) / (64 + 128) of the operations in that quarter.
    assert rows[0][1:4] == ["3", "8", "6.75"]
    assert float(rows[0][-4]) == pytest.approx(25 * (1 - 57 / 192), abs=0.01)
