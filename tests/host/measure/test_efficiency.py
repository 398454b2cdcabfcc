"""The table of cycle efficiency, from points made up and from the measured ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from host.measure.cycle_grid import BODY
from host.measure.efficiency import PLAIN, Row, efficiency, per_bit, read_rows
from scripts.cli import main
from tests.tools import ROOT

MEASURED = ROOT / "vivado" / "cycles.json"


def point(bits: int, cycles: int, array: float, memory: float = 0.0) -> Row:
    shape = {"layer": "one", "pass": "forward", "a_bits": bits, "b_bits": bits, "stored": PLAIN}
    bound = max(array, memory)
    return {**shape, "cycles": cycles, "array_bound": array, "memory_bound": memory, "ratio": cycles / bound}


def test_points_are_judged_against_the_widest() -> None:
    rows = [point(8, 6400, 6400), point(4, 1664, 1600), point(2, 440, 400), point(1, 500, 100, memory=490)]
    assert [per_bit(row, rows) for row in rows] == [None, pytest.approx(1.04), pytest.approx(1.1), None]
    lines = efficiency(rows).splitlines()
    assert lines[-2] == "0 of 4 points need more than 1.1 times their bound"
    assert lines[-1].startswith("1 of 2 points where the array rules are more than 5% from")


def test_a_point_above_its_bound_is_counted() -> None:
    assert "1 of 1 points need more than 1.1" in efficiency([point(8, 7100, 6400)])


def test_the_measured_points_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    rows = read_rows(MEASURED, layers=BODY)
    assert len(rows) == 45
    assert main(["cycles", "--body", "--show", str(MEASURED)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(rows) + 2
    assert main(["cycles", "--body", "--bits", "3", "8", "--show", str(MEASURED)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 9 + 2


@pytest.mark.parametrize("text", ["no JSON", "[]", "{}", json.dumps({"points": []})])
def test_other_files_are_refused(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text(text)
    assert main(["cycles", "--show", str(tmp_path / "file")]) == 2
    assert "file" in capsys.readouterr().err
