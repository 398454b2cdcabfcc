"""cpt board as a user runs it: the same command and output on every device, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from host.measure.report import read_csv
from scripts.board import chosen_iterations
from scripts.cli import main

SMALL = ("--arch", "cifar10_resnet_8", "--batch", "1", "--only", "layer3.0.*", "--build", "tiny")


@pytest.mark.parametrize(("device", "kind"), [("reference", "counted"), ("hls", "counted"), ("rtl", "simulated")])
def test_measure_checks_repeats_and_labels(
    device: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layers = "layer3.0.shortcut"
    arguments = (*SMALL, "--only", layers, "--iterations", "0,1999", "--repeat", "3", "--out", str(tmp_path))
    assert main(["board", "measure", *arguments, "--device", device]) == 0
    shown = capsys.readouterr()
    assert f"latencies are {kind} on {device}" in shown.out
    assert "region: needs" in shown.err
    rows = read_csv(tmp_path / f"{kind}-{device}-measure.csv")
    assert [(row.which, row.fw_bits) for row in rows] == [
        (which, bits) for bits in (3, 8) for which in ("forward", "weight-gradient", "input-error")
    ]
    assert {(row.source, row.device, row.runs, row.golden) for row in rows} == {(kind, device, 3, "equal")}
    assert all(row.latency_us_min <= row.latency_us <= row.latency_us_max for row in rows)
    assert all(row.latency_us == pytest.approx(row.cycles / 200) for row in rows)
    assert (tmp_path / f"{kind}-{device}-measure.png").stat().st_size > 0
    assert "measured" not in shown.out


def test_stream_runs_a_slice_of_the_schedule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (*SMALL, "--schedule", "CR", "--cycles", "2", "--steps", "40", "--iterations", "0:20:4")
    assert main(["board", "stream", *arguments, "--results", "exact", "--out", str(tmp_path)]) == 0
    rows = read_csv(tmp_path / "counted-reference-stream.csv")
    assert len({(row.fw_bits, row.bw_bits) for row in rows}) == 4, "3 3 5 7 8 bits"
    assert {row.runs for row in rows if row.fw_bits == 3} == {2}
    assert "45 passes of 5 iterations" in capsys.readouterr().out


def test_golden_data_replaces_pytorch_and_catches_a_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "golden.json"
    assert main(["board", "export", *SMALL[:-2], "--iterations", "0", "--out", str(file)]) == 0
    assert "9 passes of cifar10_resnet_8, batch 1" in capsys.readouterr().out
    monkeypatch.setattr("scripts.board.pytorch_product", lambda: pytest.fail("PyTorch was asked"))
    given = ["board", "measure", "--golden", str(file), "--build", "tiny", "--repeat", "1"]
    assert main(given) == 0
    named = [*given, "--arch", "cifar10_resnet_8", "--batch", "1"]
    assert main([*named, "--only", "layer3.0.conv2", "--iterations", "1"]) == 0
    assert main([*named, "--iterations", "1999"]) == 2
    assert "the golden data has no such pass" in capsys.readouterr().err
    document = json.loads(file.read_text())
    key = next(key for key in document["digests"] if "weight-gradient" in key)
    document["digests"][key] = "0" * 64
    file.write_text(json.dumps(document))
    assert main(given) == 2
    assert "weight-gradient pass at 3/8 bits: the results differ from the golden data" in capsys.readouterr().err


def test_info_says_what_a_device_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "info", "--build", "tiny"]) == 0
    shown = capsys.readouterr().out
    assert "(simulated, reference)" in shown
    assert "contract  2.0" in shown
    assert "'lanes': 16" in shown
    assert "interrupt" in shown


def test_iterations_are_read_as_written() -> None:
    assert chosen_iterations("0:64000:32000", 64000) == [0, 32000]
    assert chosen_iterations("-2:", 10) == [8, 9]
    assert chosen_iterations("5", 10) == [5]


def test_every_repeat_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    from host.compiler.jobs import Job
    from host.measure.golden import Codes, Golden

    checked: list[str] = []
    check = Golden.check

    def watched(self: Golden, job: Job, result: Codes, sums: Codes | None) -> None:
        checked.append(str(job))
        check(self, job, result, sums)

    monkeypatch.setattr(Golden, "check", watched)
    assert main(["board", "measure", *SMALL, "--iterations", "0", "--only", "layer3.0.conv2", "--repeat", "4"]) == 0
    assert len(checked) == 4 * len(set(checked)) == 12
