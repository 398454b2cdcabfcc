"""The table of cycle efficiency, from points made up and from the measured ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from host.measure.cycle_grid import BODY
from host.measure.efficiency import PLAIN, Row, efficiency, per_bit, read_rows, savings, why
from scripts.cli import main
from tests.tools import ROOT, refusal

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


def test_savings_are_sorted_and_say_what_is_in_their_way() -> None:
    counters = {"busy": 1000, "load_stall": 0, "store_stall": 0}
    stuck = {**counters, "layer": "two", "busy": 150, "store_stall": 700}
    rows: list[Row] = [
        point(8, 1000, 1000) | stuck,
        point(3, 900, 140) | stuck,
        point(8, 1000, 1000) | counters,
        point(4, 300, 250) | counters,
        point(3, 150, 140) | counters | {"busy": 145},
    ]
    head, first, second, last = savings(rows).splitlines()
    assert head.split()[-3:] == ["rest", "at", "3x3"]
    assert first.split() == ["one", "forward", "1,000", "150", "0.15", "93", "%", "little"]
    assert second.split()[:7] == ["two", "forward", "1,000", "900", "0.90", "16", "%"]
    assert second.endswith("waiting for stores")
    assert last.startswith("By bits alone 0.14 would be left")
    with pytest.raises(ValueError, match="no pass among these was simulated at 8x8 and at 3x3 bits"):
        savings(rows[3:4])


def test_reasons_add_up_to_the_cycles() -> None:
    row = {"cycles": 1000, "busy": 400, "load_stall": 250, "store_stall": 0, "array_bound": 100}
    assert why(row) == "start-up, zeros in the array"  # 350 of the cycles, 300 of the cycles


def test_savings_without_a_file_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--savings: give --show" in refusal(capsys, "cycles", "--savings")


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
