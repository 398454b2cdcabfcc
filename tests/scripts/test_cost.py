"""`cpt cost` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cpt_model.cost import AS_PAPERS, Run, count_network, gbitops, paper_board, saving_pct
from cpt_model.cost.accelerator import PROFILES, AcceleratorBoard
from cpt_model.schedules import Bits, named
from scripts.cli import main
from tests.tools import refusal

SMALL = ("cost", "--arch", "cifar10_resnet_8")
CYCLIC = (*SMALL, "--fw-bits", "3", "8", "--bw-bits", "8")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    values: dict[str, Any] = json.loads(capsys.readouterr().out)
    return values


def test_costs_of_the_papers_run_on_its_board(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("cost", "--arch", "cifar100_resnet_74", "--fw-bits", "3", "8", "--bw-bits", "8", "--profile", "paper")
    values = printed(capsys, *arguments)
    assert values["gbitops"] == pytest.approx(1.68e8, rel=0.01)  # Table 2
    assert values["hours"] == pytest.approx(35.04, rel=0.02)
    assert values["saving_gbitops_pct"] == pytest.approx(36.67, abs=0.01)
    assert values["saving_hours_pct"] == pytest.approx(100 * (1 - values["hours"] / 44.6))


@pytest.mark.parametrize("profile", ["zc706", "zc706-ps"])
def test_costs_are_those_of_the_board(capsys: pytest.CaptureFixture[str], profile: str) -> None:
    run = ("--schedule", "RR", "--cycles", "8", "--steps", "1000", "--batch", "64", "--profile", profile)
    values = printed(capsys, *CYCLIC, *run)
    network, board = count_network("cifar10_resnet_8"), AcceleratorBoard(PROFILES[profile])
    cyclic, static = Run(named("RR", 3, 8, 8), 8, 1000, 64), Run.named("8/8", 1000, 64)
    assert values["profile"] == profile
    assert values["gbitops"] == pytest.approx(gbitops(network, cyclic, AS_PAPERS))
    assert values["hours"] == pytest.approx(board.hours(network, cyclic))
    assert values["saving_gbitops_pct"] == pytest.approx(saving_pct(network, cyclic, static, AS_PAPERS))
    assert values["saving_hours_pct"] == pytest.approx(100 * (1 - values["hours"] / board.hours(network, static)))
    for of in ("gbitops", "hours"):
        assert sum(each[of] for each in values["passes"].values()) == pytest.approx(values[of])


def test_gradients_may_cycle_too_and_the_baseline_has_the_highest_of_both(capsys: pytest.CaptureFixture[str]) -> None:
    values = printed(capsys, *SMALL, "--fw-bits", "6", "--bw-bits", "4", "8", "--profile", "paper")
    assert values["static_precision"] == "6/8"
    network = count_network("cifar10_resnet_8")
    assert values["static"]["all"]["hours"] == pytest.approx(paper_board().hours(network, Run.named("6/8")))
    assert 0 < values["saving_hours_pct"] < 40


def test_static_precision_saves_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    values = printed(capsys, *SMALL, "--fw-bits", "8", "8", "--steps", "10")
    assert (values["saving_gbitops_pct"], values["saving_hours_pct"]) == (0, 0)


def test_a_slower_clock_and_memory_take_longer(capsys: pytest.CaptureFixture[str]) -> None:
    hours = printed(capsys, *CYCLIC)["hours"]
    slow = printed(capsys, *CYCLIC, "--clock-mhz", "100", "--bandwidth", "5")
    assert slow["hours"] == pytest.approx(2 * hours, rel=0.03)  # the same cycles, but for the memory's latency
    assert (slow["board"]["clock_mhz"], slow["board"]["gigabytes_per_second"]) == (100, 5)


def test_a_profile_of_ones_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    values = {"name": "mine", "build": "zc706", "clock_mhz": 200, "bytes_per_cycle": 17, "latency": 60}
    path.write_text(json.dumps(values))
    mine, known = (printed(capsys, *CYCLIC, "--profile", name) for name in (str(path), "zc706-ps"))
    assert (mine["profile"], mine["hours"]) == ("mine", known["hours"])


def test_layers_are_listed_at_both_ends(capsys: pytest.CaptureFixture[str]) -> None:
    layers = printed(capsys, *CYCLIC, "--layers")["layers"]
    board = AcceleratorBoard(PROFILES["zc706"])
    for bits in (Bits(3, 8), Bits(8, 8)):
        listed = [each["cycles"] for each in layers if each["bits"] == str(bits)]
        assert listed == [each.time.cycles for each in board.passes(count_network("cifar10_resnet_8"), 128, bits)]
    assert len({each["layer"] for each in layers}) == 9
    assert main([*CYCLIC, "--layers"]) == 0
    lines = capsys.readouterr().out.splitlines()
    row = next(line.split() for line in lines if line.split()[:2] == ["layer3.0.conv2", "input-error"])
    assert row[3] in ("compute", "load", "store")
    assert float(row[2].replace(",", "")) < float(row[4].replace(",", ""))


def test_the_table_says_what_was_asked_and_that_it_is_an_estimate(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CYCLIC]) == 0
    text = capsys.readouterr().out
    assert "cifar10_resnet_8, 3-8/8 cpt x32, 64,000 iterations of 128 samples" in text
    assert "48 lanes x 16 columns x 144 bits of K, 200 MHz, 10 GB/s" in text
    assert "estimate" in text
    whole, row = [line.split() for line in text.splitlines() if line.startswith("  all ")]
    assert float(whole[1]) > float(row[5]), "a whole step takes longer than its products"
    assert row[3] == "36.67"
    assert max(map(len, text.splitlines())) <= 120


def test_whole_steps_are_added_up_or_it_says_why_there_are_none(capsys: pytest.CaptureFixture[str]) -> None:
    whole = printed(capsys, *CYCLIC)["whole_step"]
    assert sum(whole["run"].values()) == pytest.approx(whole["hours"])
    assert whole["saving_pct"] == pytest.approx(100 * (1 - whole["hours"] / whole["static_hours"]))
    assert "'resnet18' does not run as whole" in printed(capsys, "cost", "--arch", "resnet18")["whole_step"]["refused"]
    assert printed(capsys, *SMALL, "--profile", "paper")["whole_step"] is None


def test_where_the_time_goes_is_drawn(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / "new" / "step.png"
    assert main([*CYCLIC, "--plot", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert f"wrote {picture}" in capsys.readouterr().out
    for flags, problem in (
        (["--plot", "a.svg"], "--plot a.svg: the picture is a .png file"),
        (["--plot", "a.png", "--profile", "paper"], "--plot: the paper's board is known by its hours alone"),
    ):
        assert problem in refusal(capsys, *CYCLIC, *flags)
    assert "--plot: no hours of whole training steps" in refusal(
        capsys, "cost", "--arch", "resnet18", "--plot", "a.png"
    )


def test_exports_and_a_topology_that_comes_back(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main([*SMALL, "--fw-bits", "8", "--batch", "2", "--export", str(tmp_path)]) == 0
    assert f"wrote {tmp_path}: layers.csv, layers.json, lookup-forward.npy" in capsys.readouterr().out
    file = str(tmp_path / "topology.csv")
    values = printed(capsys, "cost", "--topology", file, "--fw-bits", "8", "--batch", "2")
    assert (values["arch"], values["passes"].keys()) == ("topology.csv", printed(capsys, *SMALL)["passes"].keys())
    assert "give a network: either --arch NAME or --topology FILE" in refusal(capsys, "cost")
    assert "give a network" in refusal(capsys, *SMALL, "--topology", file)
    assert "--export: the paper's board" in refusal(capsys, *SMALL, "--profile", "paper", "--export", "out")
    assert "no.csv: " in refusal(capsys, "cost", "--topology", str(tmp_path / "no.csv"))


def test_a_layer_that_cannot_run_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sizes = {"lanes": 16, "columns": 16, "slice_groups": 1, "lane_words": 64, "column_words": 512, "row_words": 256}
    path = tmp_path / "small.json"
    build = {**sizes, "bus_bytes": 8}
    path.write_text(json.dumps({"name": "small", "build": build, "clock_mhz": 100, "bytes_per_cycle": 8, "latency": 9}))
    line = refusal(capsys, *CYCLIC, "--profile", str(path))
    assert "layer 'conv1', " in line
    assert "does not fit the memories of small" in line


def test_a_network_that_begins_with_an_embedding_has_all_three_passes(capsys: pytest.CaptureFixture[str]) -> None:
    """Only images need no error of their own; words are embedded, and the embedding learns."""
    assert main(["cost", "--arch", "lstm_lm_small", "--fw-bits", "5", "8", "--bw-bits", "8", "--layers"]) == 0
    shown = capsys.readouterr().out
    assert any("lstm" in line and "input-error" in line for line in shown.splitlines())
