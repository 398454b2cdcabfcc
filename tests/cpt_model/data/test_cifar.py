"""CIFAR's own archives, small: both formats give the same images, and damage is named."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cpt_model.data import DataError, ImageData, Images, load_images
from host.data.store import write_images
from tests.cpt_model.data.small_sets import pixels, planes, write_pickles

BATCHES = [f"data_batch_{number}" for number in range(1, 6)]


def write_cifar10(folder: Path) -> Path:
    files = {name: (pixels(2, seed=seed), [seed, 9 - seed]) for seed, name in enumerate([*BATCHES, "test_batch"])}
    write_pickles(folder, files, b"labels")
    return folder


@pytest.mark.parametrize("below", ["cifar-10-batches-py", "anything"])
def test_pickles_of_cifar10(tmp_path: Path, below: str) -> None:
    folder = write_cifar10(tmp_path / below)
    data = load_images("cifar10", tmp_path if below == "cifar-10-batches-py" else folder)
    assert isinstance(data, ImageData)
    assert np.array_equal(data.train.pixels, np.concatenate([pixels(2, seed=seed) for seed in range(5)]))
    assert data.train.labels.tolist() == [0, 9, 1, 8, 2, 7, 3, 6, 4, 5]
    assert np.array_equal(data.test.pixels, pixels(2, seed=5))
    assert (data.classes, data.padding, data.flip, data.shape) == (10, 4, True, (3, 32, 32))


def test_binary_records_of_cifar10(tmp_path: Path) -> None:
    folder = tmp_path / "cifar-10-batches-bin"
    folder.mkdir()
    for seed, name in enumerate([*BATCHES, "test_batch"]):
        labels = np.array([[seed], [9 - seed]], np.uint8)
        np.hstack([labels, planes(pixels(2, seed=seed))]).tofile(folder / f"{name}.bin")
    write_cifar10(tmp_path / "other" / "cifar-10-batches-py")
    found, expected = load_images("cifar10", tmp_path), load_images("cifar10", tmp_path / "other")
    assert isinstance(found, ImageData)
    assert isinstance(expected, ImageData)
    assert np.array_equal(found.train.pixels, expected.train.pixels)
    assert np.array_equal(found.train.labels, expected.train.labels)
    with (folder / "data_batch_3.bin").open("ab") as file:
        file.write(b"!")
    with pytest.raises(DataError, match=r"data_batch_3.bin: 6,147 bytes, expected a multiple of 3,073"):
        load_images("cifar10", tmp_path)


def test_cifar100_takes_the_fine_labels(tmp_path: Path) -> None:
    files = {"train": (pixels(4), [99, 0, 50, 1]), "test": (pixels(2, seed=1), [7, 8])}
    write_pickles(tmp_path / "cifar-100-python", files, b"fine_labels")
    data = load_images("cifar100", tmp_path)
    assert data.train_labels.tolist() == [99, 0, 50, 1]
    assert data.classes == 100
    binary = tmp_path / "own" / "cifar-100-binary"
    binary.mkdir(parents=True)
    for name, (images, labels) in files.items():
        coarse_and_fine = np.array([[3] * len(labels), labels], np.uint8).T
        np.hstack([coarse_and_fine, planes(images)]).tofile(binary / f"{name}.bin")
    again = load_images("cifar100", tmp_path / "own")
    assert again.train_labels.tolist() == [99, 0, 50, 1]
    assert np.array_equal(again.testing(np.arange(2)), data.testing(np.arange(2)))


def test_a_converted_set_is_read_from_its_folder_or_the_one_above(tmp_path: Path) -> None:
    part = Images(pixels(10), np.arange(10))
    write_images(tmp_path / "cifar10", part, part, "test")
    for folder in (tmp_path, tmp_path / "cifar10"):
        assert load_images("cifar10", folder).train_labels.tolist() == list(range(10))
    with pytest.raises(DataError, match="cifar100 is not in"):
        load_images("cifar100", tmp_path)


class Harmful:
    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, ("true",)


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"", "damaged"),
        (b"\x80\x02}q\x00(U\x05", "damaged"),
        (pickle.dumps({b"data": Harmful()}), "damaged .*which is no array"),
        (pickle.dumps({b"data": np.zeros((2, 3072), np.uint8), b"labels": [1]}, 2), "for 1 labels"),
        (pickle.dumps({b"data": np.zeros((1, 3000), np.uint8), b"labels": [1]}, 2), r"expected bytes \(n, 3072\)"),
        (pickle.dumps({b"data": np.zeros((1, 3072), np.uint8), b"labels": [10]}, 2), "label 10, expected 0 to 9"),
    ],
)
def test_a_damaged_pickle_is_named(tmp_path: Path, contents: bytes, message: str) -> None:
    folder = write_cifar10(tmp_path / "cifar-10-batches-py")
    (folder / "data_batch_2").write_bytes(contents)
    with pytest.raises(DataError, match=message):
        load_images("cifar10", tmp_path)


def test_missing_sets_and_files_are_named_with_the_way_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"expected cifar10/ or, unpacked, cifar-10-batches-py/ or .*cpt data cifar10"):
        load_images("cifar10", tmp_path)
    (write_cifar10(tmp_path / "cifar-10-batches-py") / "data_batch_4").unlink()
    with pytest.raises(DataError, match="data_batch_4: missing"):
        load_images("cifar10", tmp_path)
