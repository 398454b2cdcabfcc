"""Nothing that lasts is silent where there is no terminal."""

from __future__ import annotations

import pytest

from sim.common import progress
from sim.common.progress import Progress, watched


def test_a_line_says_how_far_and_how_long(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = iter([100.0, 110.0, 131.0, 140.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with Progress(1_010, "passes", "steps", done=10) as shown:
        shown.update(50)  # after 10 s: too soon
        shown.update(50)
        shown.update(50)  # 9 s after the line
    assert capsys.readouterr().err == "  passes: 110 of 1,010 steps, 31 s so far, 4.65 min left\n"


def test_items_come_through_and_short_work_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(watched([3, 1, 2], "counting", "numbers")) == [3, 1, 2]
    assert capsys.readouterr().err == ""
