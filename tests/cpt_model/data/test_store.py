"""The converted set on disk: whole or not there, and every damage is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cpt_model.data import DataError, Images
from host.data import store as stores
from tests.cpt_model.data.small_sets import pixels


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    stores.write_images(
        tmp_path / "set", Images(pixels(6), np.arange(6)), Images(pixels(3, seed=1), np.arange(3)), "test"
    )
    return tmp_path / "set"


def test_what_is_read_is_what_was_written(folder: Path) -> None:
    train, test = stores.read_images(folder, checksums=True)
    assert np.array_equal(train.pixels, pixels(6))
    assert np.array_equal(test.pixels, pixels(3, seed=1))
    assert isinstance(train.pixels, np.memmap)
    assert test.labels.tolist() == [0, 1, 2]
    assert [path.name for path in folder.parent.iterdir()] == ["set"]


def damage_size(folder: Path) -> None:
    path = folder / "train-pixels.npy"
    path.write_bytes(path.read_bytes()[:-1])


def damage_content(folder: Path) -> None:
    path = folder / "train-pixels.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"!")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "test-labels.npy").unlink(), "test-labels.npy: missing"),
        (damage_size, r"train-pixels.npy: 18,559 bytes, expected 18,560"),
        (damage_content, "train-pixels.npy: checksum is not"),
        (lambda folder: (folder / "about.json").write_text("{"), "about.json: damaged"),
        (
            lambda folder: (folder / "about.json").write_text('{"source": "", "files": {"train-pixels.npy": {}}}'),
            "about.json: damaged",
        ),
        (lambda folder: (folder / "about.json").write_text('{"source": "", "files": 3}'), "about.json: damaged"),
        (
            lambda folder: (folder / "about.json").write_text('{"source": "", "files": {}}'),
            "does not name train-pixels",
        ),
    ],
)
def test_damage_is_named(folder: Path, damage: Callable[[Path], object], message: str) -> None:
    damage(folder)
    with pytest.raises(DataError, match=message):
        stores.read_images(folder, checksums=True)


def test_a_damaged_head_is_named_without_checksums(folder: Path) -> None:
    path = folder / "train-pixels.npy"
    contents = bytearray(path.read_bytes())
    contents[10] = ord("(")  # NumPy's parser fails with an error of its own
    path.write_bytes(contents)
    with pytest.raises(DataError, match=r"train-pixels\.npy: not an array"):
        stores.read_images(folder)


def test_a_failed_write_leaves_the_old_set_and_no_litter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(file: object, array: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", fails)
    with pytest.raises(OSError, match="No space"):
        stores.write_images(folder, Images(pixels(2), np.arange(2)), Images(pixels(2), np.arange(2)), "again")
    monkeypatch.undo()
    assert len(stores.read_images(folder, checksums=True)[0].labels) == 6
    assert [path.name for path in folder.parent.iterdir()] == ["set"]


def test_other_peoples_files_are_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "thesis.txt").write_text("mine")
    with pytest.raises(DataError, match="something else of that name"):
        stores.write_arrays(tmp_path / "set", {"a": np.zeros(1)}, "test")
    assert (tmp_path / "set" / "thesis.txt").read_text() == "mine"


def test_where_data_is_looked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CPT_DATA", raising=False)
    assert stores.data_folder() == Path.home() / ".cache" / "cpt-kit"
    monkeypatch.setenv("CPT_DATA", str(tmp_path))
    assert stores.data_folder() == tmp_path
    assert stores.data_folder(tmp_path / "other") == tmp_path / "other"
