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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sim", "--layer", "conv:n8"), "write conv:nBATCH"),
        (("sim", "--layer", "conv:n1,c3-4,5x5,k9"), "smaller than the kernel"),
        (("sim", "--layer", "linear:n1,c30000-4"), "1,160 too few"),
        (("sim", "--layer", "linear:n1,c4-4,q"), "unknown field 'q'"),
        (("sim", "--layer", "linear:n1,c4-4,k3"), "a linear layer has no k"),
        (("sim", "--layer", "linear:n1,n2,c4-4"), "duplicate field 'n2'"),
        (("sim", "--layer", "conv:n60000,c512-16,32x32,k1"), "bytes beyond the largest region"),
        (("sim", "--bits", "0", "8"), "--bits: must be in 1..16, not 0"),
        (("sim", "--bits", "8", "17"), "--bits: must be in 1..16, not 17"),
        (("sim", "--seed", "-1"), "--seed: must be 0 or more, not -1"),
        (("bench", "everything"), "no benchmark 'everything'"),
        (("bench", "reference", "--repeat", "0"), "--repeat: must be 1 or more, not 0"),
        (("bench", "reference", "--repeat", "two"), "--repeat: 'two' is not a whole number"),
        (("cosim", "--only", "nothing"), "no vector matches 'nothing'"),
        (("cosim", "--pause", "1"), "pause 1.0"),
        (("cosim", "--max-latency", "-1"), "--max-latency: must be 0 or more, not -1"),
        (("cycles", "--bandwidth", "0"), "--bandwidth: must be above 0, not 0"),
        (("cycles", "--latency", "1.5"), "--latency: '1.5' is not a whole number"),
        (("cycles", "--only", "nothing"), "no point of the grid matches '*nothing*'"),
        (("iteration", "--arch", "resnet50"), "no shapes of network 'resnet50' here"),
        (("iteration", "--clock-mhz", "0"), "--clock-mhz: must be above 0, not 0"),
        (("nonsense",), "COMMAND: invalid choice: 'nonsense' (choose from 'demo', 'layer', "),
        (("cost",), "the following arguments are required: --arch"),
        (("sim", "--nothing"), "unrecognized arguments: --nothing"),
    ],
)
def test_a_mistake_is_one_line(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str) -> None:
    assert message in refusal(capsys, *arguments)


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
