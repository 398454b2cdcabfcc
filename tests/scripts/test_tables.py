"""`cpt tables` as a user runs it."""

from __future__ import annotations

import json

import pytest

from scripts.cli import main


def test_json_is_a_list_of_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "--json", "figure5", "schedules"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 12
    assert all(set(row) == {"table", "row", "column", "paper", "ours", "deviation_pct", "note"} for row in rows)


def test_tables_are_rendered_with_their_notes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (row, _) = [line for line in lines if line.split()[:3] == ["ResNet-34", "4-8/8", "GBitOPs"]]
    assert row.split()[3:7] == ["4.030e+07", "4.036e+09", "+9914", "%"]
    number = row.split()[-1]
    assert any(line.startswith(f"  {number} misprint of 4.03e9") for line in lines)
    assert max(map(len, lines)) <= 140
