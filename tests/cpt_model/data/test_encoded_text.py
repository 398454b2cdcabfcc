"""Numbers of a large text are kept, and used only for the very files they were made of."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from cpt_model.data import encoded_text, load_text, text
from cpt_model.data.text_data import PARTS


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(encoded_text, "LARGE", 1)
    monkeypatch.setenv("CPT_DATA", str(tmp_path / "cache"))
    for part in PARTS:
        (tmp_path / f"{part}.txt").write_text("the naïve cat\n", encoding="utf-8")
    return tmp_path


def test_the_second_reading_needs_no_words(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load_text("text", folder)
    with monkeypatch.context() as patch:
        patch.setattr(text, "encode", None)  # would fail if called
        second = load_text("text", folder)
    assert second.vocabulary == first.vocabulary
    assert all(np.array_equal(getattr(second, part), getattr(first, part)) for part in PARTS)
    assert isinstance(second.train, np.memmap)


def test_a_changed_file_is_read_anew(folder: Path) -> None:
    load_text("text", folder)
    before = (folder / "train.txt").stat()
    (folder / "train.txt").write_text("the naive cats\n", encoding="utf-8")  # as many bytes
    os.utime(folder / "train.txt", ns=(before.st_atime_ns, before.st_mtime_ns + 1_000_000_000))
    assert "cats" in load_text("text", folder).vocabulary


def test_damaged_or_unwritable_numbers_only_cost_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = load_text("text", folder).train.tolist()
    (kept,) = (folder / "cache" / "encoded").iterdir()
    (kept / "train.npy").write_bytes(b"")
    assert load_text("text", folder).train.tolist() == expected
    assert (kept / "train.npy").stat().st_size > 0
    (folder / "file").write_text("")
    monkeypatch.setenv("CPT_DATA", str(folder / "file"))
    assert load_text("text", folder).train.tolist() == expected


def test_a_small_text_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoded_text, "LARGE", 1000)
    load_text("text", folder)
    assert not (folder / "cache").exists()
