"""`cpt explore` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cpt_model.cost import Run, count_network
from cpt_model.cost.accelerator import PROFILES
from cpt_model.cost.whole_step import StepBoard
from scripts.cli import main

RUN = ("--arch", "cifar10_resnet_8", "--fw-bits", "3", "8", "--bw-bits", "8", "--steps", "320", "--batch", "8")
SMALL = ("explore", *RUN, "--lanes", "16", "48", "--slices", "3", "9", "--part", "xczu9eg", "--bandwidths", "10")


def test_it_writes_a_page_pictures_and_values(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert main([*SMALL, "--out", str(folder)]) == 0
    text = capsys.readouterr().out
    assert "Pareto front at 200 MHz, 10 GB/s" in text
    assert "estimate" in text
    for name in ("pareto.png", "roofline.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
    page = (folder / "explore.html").read_text()
    assert page.count("data:image/png;base64,") == 2
    assert "http" not in page.replace("http://www.w3.org/2000/svg", ""), "it loads nothing; SVG's name is no address"
    values = json.loads((folder / "explore.json").read_text())
    assert len(values["designs"]) == 3 * 2
    assert values["best"]["hours"] == min(each["hours"] for each in values["designs"])
    (row,) = [line for line in text.splitlines() if line.startswith("  48 x 16 x 144  ")]
    assert f"{values['best']['hours']:.4g}" in row
    assert row.endswith("as is")


def test_hours_and_layers_are_the_boards(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sizes = ("--lanes", "48", "--slices", "9", "--clocks", "200", "--bandwidths", "10", "--lut", "300000")
    assert main(["explore", *RUN, *sizes, "--json", "--out", str(tmp_path)]) == 0
    values = json.loads(capsys.readouterr().out)
    network, board = count_network("cifar10_resnet_8"), StepBoard("cifar10_resnet_8", PROFILES["zc706"])
    assert values["best"]["hours"] == pytest.approx(board.hours(network, Run.named("3-8/8", 320, 8)))
    at_low = [each for each in values["layers"] if each["bits"] == "3/8"]
    assert len(at_low) == len(values["layers"]) / 2 == 26
    assert {each["bottleneck"] for each in at_low} <= {"compute", "load", "store"}
    assert values["part"]["name"] == "xc7z045 with 300,000 LUT"


def test_a_part_can_be_filled_in_part(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    part = ["--lut", "250000", "--ff", "500000", "--dsp", "1000", "--bram", "600", "--fill", "70"]
    part += ["--clocks", "150", "--bandwidths", "10"]
    assert main(["explore", *RUN, *part, "--json", "--out", str(tmp_path)]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["part"]["lut"] == pytest.approx(175_000)
    assert values["part"]["name"].startswith("70 % of an FPGA with 250,000 LUT")
    assert max(each["lut"] for each in values["designs"]) <= 175_000
    assert max(each["dsp"] for each in values["designs"]) <= 700
    assert sum(each["count"] for each in values["skipped"]) + len(values["designs"]) == 16 * 8


def test_a_board_brings_its_part_clock_and_bandwidth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ["--arch", "cifar10_resnet_8", "--lanes", "16", "--slices", "3", "--out", str(tmp_path)]
    assert main(["explore", *small, "--board", "kv260"]) == 0
    shown = capsys.readouterr()
    assert "kv260: only counted" in shown.err
    assert "Pareto front at 200 MHz, 15 GB/s (% of xck26)" in shown.out
    assert main(["explore", *small, "--board", "pynq-z2"]) == 2
    assert "no build of these fits xc7z020" in capsys.readouterr().err
    assert main(["explore", *small, "--board", "de10"]) == 2
    assert "no board 'de10'; there are: zc706, pynq-z2, zcu104, kv260" in capsys.readouterr().err
