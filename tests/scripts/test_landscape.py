"""`cpt landscape` as a user runs it: two small runs on digits, compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cpt_model.methods.landscape import Landscape
from cpt_model.training import Settings, train
from scripts.cli import main
from tests.tools import refusal


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs: static, cyclic and plain."""
    place = tmp_path_factory.mktemp("runs")
    for name, bits in {"static": (8,), "cyclic": (3, 8), "plain": (0,), "narrow": (4,)}.items():
        small: dict[str, Any] = {
            "arch": "digits_resnet_8",
            "dataset": "digits",
            "steps": 10,
            "batch": 16,
            "cycles": 2,
            "threads": 1,
            "test_limit": 50,
            "tensorboard": False,
        }
        run = Settings(folder=str(place / name), fw_bits=bits, **small)
        train(run, progress=False)
    return place


SMALL = ["--points", "3", "--images", "20", "--threads", "1"]


def test_runs_are_compared_in_one_grid(capsys: pytest.CaptureFixture[str], runs: Path, tmp_path: Path) -> None:
    stated = [f"8/8={runs / 'static'}", str(runs / "cyclic" / "last.pt")]
    assert main(["landscape", *stated, *SMALL, "--out", str(tmp_path)]) == 0
    found = Landscape.load(tmp_path / "landscape.npz")
    assert list(found.losses) == ["8/8", "cyclic"]
    assert found.settings["bits"] == 8
    shown = capsys.readouterr().out
    for name, losses in found.losses.items():
        assert [f"{losses[1, 1]:.4f}", f"{losses.max():.4f}"] == next(
            line.split()[1:3] for line in shown.splitlines() if line.startswith(name)
        )
    assert (tmp_path / "landscape.png").read_bytes().startswith(b"\x89PNG")


def test_float32_runs_are_compared_in_float32(runs: Path, tmp_path: Path) -> None:
    stated = [str(runs / "plain"), str(runs / "static"), "--eval-bits", "0"]
    assert main(["landscape", *stated, *SMALL, "--out", str(tmp_path)]) == 0
    assert Landscape.load(tmp_path / "landscape.npz").settings["bits"] == 0


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        (("plain", "--eval-bits", "8"), "'plain' is a float32 run"),
        (("static", "narrow"), "choose one width with --eval-bits"),
        (("static", "static"), "two runs would be called 'static'; write NAME="),
        (("nothing",), "there is no such checkpoint"),
        (("static", "--points", "4"), "points = 4 is not an odd number"),
        (("static", "--images", "0"), "--images: must be 1 or more, not 0"),
        (("static", "--eval-bits", "17"), "--eval-bits: must be in 0..16, not 17"),
    ],
)
def test_a_mistake_is_one_line(
    capsys: pytest.CaptureFixture[str],
    runs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stated: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(runs)
    assert message in refusal(capsys, "landscape", *stated, "--out", str(tmp_path / "new"))
