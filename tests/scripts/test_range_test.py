"""`cpt range-test` as a user runs it, on digits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.cli import main


def test_bounds_are_found_and_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["--widths", "3", "6", "--steps", "12", "--window", "4", "--batch", "32", "--threads", "1"]
    assert main(["range-test", *arguments, "--out", str(tmp_path / "new")]) == 0
    found = json.loads((tmp_path / "new" / "range-test.json").read_text())
    assert found["widths"] == [3, 4, 5, 6]
    assert 3 <= found["lower"] <= found["upper"] <= 6
    assert len(found["loss"]) == 48
    assert (tmp_path / "new" / "range-test.png").read_bytes().startswith(b"\x89PNG")
    shown = capsys.readouterr().out
    assert f"cpt train --fw-bits {found['lower']} {found['upper']}" in shown
