"""The page that ends `make -C hls csynth`: stated IIs from the sources, achieved ones from a report made by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.devices.hls_executor import HLS, hls_sources
from sim.synthesis.hls_report import main, stated_loops
from tests.hls.csynth_xml import AREA, report_of

GOOD = {each.label: each.interval for each in stated_loops()}


def page(capsys: pytest.CaptureFixture[str], path: Path, text: str) -> tuple[int, str, str]:
    path.write_text(text)
    status = main([str(path)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_every_stated_interval_has_a_labelled_loop() -> None:
    sources = [*hls_sources(), *HLS.glob("*.hpp"), *HLS.glob("vector/*.hpp")]
    pragmas = sum(len(re.findall("PIPELINE II=", path.read_text())) for path in sources)
    assert len(GOOD) == pragmas >= 29


@pytest.mark.parametrize("loop", ["for (;;) {", "same: for (;;) {"])
def test_loop_without_a_label_of_its_own_is_refused(loop: str, tmp_path: Path) -> None:
    source = tmp_path / "a.cpp"
    source.write_text(f"same: for (;;) {{\n#pragma HLS PIPELINE II=1\n}}\n{loop}\n#pragma HLS PIPELINE II=1\n}}\n")
    with pytest.raises(ValueError, match=r"a.cpp:5: a loop that states an II has"):
        stated_loops([source])


def test_met_intervals_and_resources_are_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, out, err = page(capsys, tmp_path / "csynth.xml", report_of(GOOD))
    assert (status, err) == (0, "")
    assert re.search(r"array_steps +array.cpp:\d+ +1 +1 +met", out)
    assert re.search(r"LUT +200,000 +218,600 +91.5 %", out)
    assert "clock 5.00 ns wanted, 4.321 ns estimated" in out


def test_one_slow_copy_of_a_loop_is_a_miss(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    copies = {**GOOD, "VITIS_LOOP_21_1_map_segments2": 3}
    status, out, err = page(capsys, tmp_path / "csynth.xml", report_of(copies))
    assert status == 1
    assert re.search(r"map_segments +map_take.cpp:\d+ +1 +1, 3 +missed", out)
    assert "1 loops miss their stated II" in err


def test_loop_that_the_tool_dissolved_is_no_miss(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    fewer = {label: interval for label, interval in GOOD.items() if label != "fetch_beats"}
    status, out, _ = page(capsys, tmp_path / "csynth.xml", report_of(fewer))
    assert status == 0
    assert "0 missed, 1 not in the report" in out


def test_more_than_the_part_has_is_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, out, err = page(capsys, tmp_path / "csynth.xml", report_of(GOOD, {**AREA, "LUT": (400_000, 218_600)}))
    assert status == 1
    assert "183.0 %" in out
    assert "more LUT than the part has" in err


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "no report of csynth"), ("<profile/>", "no AreaEstimates"), (report_of({"other": 1}), "none of the stated")],
)
def test_what_is_no_report_of_the_kernel_is_refused(
    text: str, message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    status, _, err = page(capsys, tmp_path / "csynth.xml", text)
    assert status == 2
    assert message in err
