"""The cpt command as a user runs it: what it prints, what it writes, how it refuses."""

from __future__ import annotations

import errno
import json
import re
from pathlib import Path

import pytest

from host.compiler.layer_spec import parse_layer
from scripts.cli import main
from sim.vectors import Vector
from tests.tools import refusal


def test_without_a_command_it_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "start here" in capsys.readouterr().out


@pytest.mark.parametrize("device", ["reference", "bit-serial", "hls"])
def test_sim_verifies_a_layer_on_every_device(capsys: pytest.CaptureFixture[str], device: str) -> None:
    layer = "conv:n2,c5-6,6x5,k3,s2,p1"
    assert main(["sim", "--device", device, "--layer", layer, "--bits", "3", "5", "--verify", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["pass"] for row in rows] == ["forward", "input-error", "weight-gradient"]
    assert [row["bits"] for row in rows] == ["3x3", "5x3", "3x5"]
    assert all(row["reference differs"] == row["PyTorch differs"] == 0 for row in rows)


def test_layer_agrees_and_leaves_its_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["layer", "--out", str(tmp_path)]) == 0
    rows = json.loads((tmp_path / "layer.json").read_text())
    assert len(rows) == 18
    assert all(row["integers_agree"] and row["floats_agree"] for row in rows)
    assert (tmp_path / "layer.png").read_bytes().startswith(b"\x89PNG")
    assert "data:image/png;base64," in (tmp_path / "layer.html").read_text()
    assert "DIFFER" not in capsys.readouterr().out


def test_vectors_are_written_as_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["vectors", "--build", "tiny", "--out", str(tmp_path)]) == 0
    files = list(tmp_path.glob("*.vec"))
    assert f"{len(files)} vectors" in capsys.readouterr().out
    assert Vector.load(tmp_path / "empty-list.vec").commands_done == 0


def test_constants_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["constants"]) == 0
    assert "agree" in capsys.readouterr().out


def test_a_folder_that_cannot_be_written_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    assert "file" in refusal(capsys, "vectors", "--build", "tiny", "--out", str(tmp_path / "file" / "vectors"))


def test_a_full_disk_is_named_and_leaves_no_half_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fills_up(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("sim.common.files.os.fsync", fills_up)
    assert main(["vectors", "--build", "tiny", "--out", str(tmp_path)]) == 2
    assert re.search(rf"cpt: {tmp_path}/\S+: No space left on device", capsys.readouterr().err)
    assert not list(tmp_path.iterdir())


def test_a_layer_is_read_as_written() -> None:
    layer = parse_layer("conv:n8,c16-32,30x20,k3x5,s2x1,p1x2,g4")
    assert (layer.batch, layer.in_channels, layer.out_channels) == (8, 16, 32)
    assert (layer.height, layer.width, layer.groups) == (30, 20, 4)
    assert (layer.kernel, layer.stride, layer.padding) == ((3, 5), (2, 1), (1, 2))
