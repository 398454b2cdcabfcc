"""Fashion-MNIST's idx files, small."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cpt_model.data import DataError, ImageData, load_images
from tests.cpt_model.data.small_sets import pixels, write_idx


def write_set(folder: Path, ending: str) -> None:
    folder.mkdir(exist_ok=True)
    for seed, (part, count) in enumerate((("train", 5), ("t10k", 3))):
        write_idx(folder / f"{part}-images-idx3-ubyte{ending}", pixels(count, 28, 28, 1, seed)[..., 0])
        write_idx(folder / f"{part}-labels-idx1-ubyte{ending}", np.arange(count, dtype=np.uint8))


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("below", ["", "fashion-mnist"])
def test_idx_files_are_read(tmp_path: Path, ending: str, below: str) -> None:
    write_set(tmp_path / below, ending)
    data = load_images("fashion-mnist", tmp_path)
    assert isinstance(data, ImageData)
    assert np.array_equal(data.train.pixels, pixels(5, 28, 28, 1, 0))
    assert np.array_equal(data.test.pixels, pixels(3, 28, 28, 1, 1))
    assert data.test.labels.tolist() == [0, 1, 2]
    assert (data.classes, data.shape, data.padding, data.flip) == (10, (1, 28, 28), 2, True)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.unlink(), r"t10k-images-idx3-ubyte\(.gz\): missing; 'cpt data fashion-mnist'"),
        (lambda path: path.write_bytes(path.read_bytes()[:-20]), "t10k-images-idx3-ubyte.gz: damaged"),
        (lambda path: path.write_bytes(gzip.compress(b"PNG")), "not an idx file of bytes with 3 dimensions"),
        (
            lambda path: path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes())[:-1])),
            r"2,351 bytes of data, expected \(3, 28, 28\)",
        ),
        (lambda path: write_idx(path, pixels(3, 27, 28, 1)[..., 0]), r"expected \(n, 28, 28, 1\)"),
        (lambda path: write_idx(path, pixels(4, 28, 28, 1)[..., 0]), "3 labels for 4 images"),
    ],
)
def test_damage_is_named(tmp_path: Path, damage: Callable[[Path], object], message: str) -> None:
    write_set(tmp_path, ".gz")
    damage(tmp_path / "t10k-images-idx3-ubyte.gz")
    with pytest.raises(DataError, match=message):
        load_images("fashion-mnist", tmp_path)


def test_a_missing_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"is not in .*expected fashion-mnist/.*dataset-fashion-mnist"):
        load_images("fashion-mnist", tmp_path)
