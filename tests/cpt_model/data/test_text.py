"""Text: vocabularies, the usual files, and batches of windows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from cpt_model.data import DataError, TextBatches, TextData, load_text, text_test_batches

TRAIN = "the cat sat\nthe dog <unk>\n\nthe cat\n"


def write(folder: Path, pattern: str, train: str = TRAIN) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for part, text in (("train", train), ("valid", "the bird sat\n"), ("test", "dog\n")):
        (folder / pattern.format(part)).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("dataset", "below", "pattern"),
    [
        ("ptb", "simple-examples/data", "ptb.{}.txt"),
        ("ptb", ".", "ptb.{}.txt"),
        ("wikitext-2", "wikitext-2", "wiki.{}.tokens"),
        ("wikitext-103", ".", "wiki.{}.tokens"),
        ("text", ".", "{}.txt"),
    ],
)
def test_words_are_numbered_by_frequency(tmp_path: Path, dataset: str, below: str, pattern: str) -> None:
    write(tmp_path / below, pattern)
    data = load_text(dataset, tmp_path)
    assert data.vocabulary == ("<eos>", "the", "cat", "<unk>", "dog", "sat")
    assert data.train.tolist() == [1, 2, 5, 0, 1, 4, 3, 0, 0, 1, 2, 0]
    assert data.valid.tolist() == [1, 3, 5, 0]  # a bird is not known
    assert data.test.tolist() == [4, 0]


def test_unknown_is_in_every_vocabulary(tmp_path: Path) -> None:
    data = load_text("text", write(tmp_path, "{}.txt", "a b a\n"))
    assert data.vocabulary[-1] == "<unk>"
    assert data.valid.tolist() == [3, 3, 3, 1]


def test_missing_and_damaged_texts_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"ptb is not in .*expected ptb.train.txt, ptb.valid.txt, ptb.test.txt"):
        load_text("ptb", tmp_path)
    write(tmp_path, "ptb.{}.txt")
    (tmp_path / "ptb.valid.txt").unlink()
    with pytest.raises(DataError, match=r"ptb.valid.txt: missing; the other parts are there"):
        load_text("ptb", tmp_path)
    (tmp_path / "ptb.valid.txt").write_bytes(b"")
    with pytest.raises(DataError, match=r"ptb.valid.txt: empty"):
        load_text("ptb", tmp_path)
    (tmp_path / "ptb.train.txt").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(DataError, match=r"ptb.train.txt: not UTF-8"):
        load_text("ptb", tmp_path)
    with pytest.raises(ValueError, match="'bible' is not known"):
        load_text("bible", tmp_path)


def counting(words: int = 1000) -> TextData:
    """The n-th word is n."""
    text = np.arange(words, dtype=np.int32)
    return TextData("counting", ("<eos>", "<unk>"), text, text, text)


def test_windows_are_followed_by_their_next_words_and_cover_an_epoch() -> None:
    batches = TextBatches(counting(), 4, seed=1, length=10)
    assert batches.steps_per_epoch == 24
    starts = []
    for step in range(24):
        words, following = batches[step]
        assert words.shape == (4, 10)
        assert words.dtype == torch.int64
        assert torch.equal(words + 1, following)
        assert torch.equal(words - words[:, :1], torch.arange(10).expand(4, 10))
        starts += words[:, 0].tolist()
    assert len(set(starts)) == 96
    assert len({start % 10 for start in starts}) == 1  # windows of an epoch do not overlap
    assert starts != sorted(starts)
    assert len({int(batches[24 * epoch][0][0, 0]) % 10 for epoch in range(20)}) > 3  # another offset


def test_a_text_batch_depends_on_seed_and_step_alone() -> None:
    first, second = (TextBatches(counting(), 4, seed=1, length=10) for _ in range(2))
    expected = {step: first[step][0] for step in range(50)}
    assert all(torch.equal(second[step][0], expected[step]) for step in (49, 3, 30, 0))
    assert not torch.equal(TextBatches(counting(), 4, seed=2, length=10)[0][0], expected[0])
    shares = [TextBatches(counting(), 4, seed=1, length=10, rank=rank, world=2)[30][0] for rank in range(2)]
    assert torch.equal(torch.cat(shares), expected[30])


@pytest.mark.parametrize("length", [1, 7, 999, 998, 2000])
def test_every_word_but_the_first_is_predicted_once(length: int) -> None:
    found = [following for _, following in text_test_batches(counting().test, 3, length)]
    assert torch.cat([some.flatten() for some in found]).tolist() == list(range(1, 1000))


@pytest.mark.parametrize(("words", "last_word"), [(20, 19), (25, 19), (29, 19), (30, 29)])
def test_windows_fit_whatever_the_offset(words: int, last_word: int) -> None:
    batches = TextBatches(counting(words), 1, seed=0, length=10)
    assert max(int(batches[step][1].max()) for step in range(100)) == last_word


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TextBatches(counting(), 100, 0, length=10), "has only 99 windows of 10 words"),
        (lambda: TextBatches(counting(5), 1, 0, length=10), "has only 0 windows"),
        (lambda: TextBatches(counting(), 3, 0, world=2), "does not divide"),
        (lambda: TextBatches(counting(), 3, 0, length=0), "length 0"),
        (lambda: TextBatches(counting(), 3, 0, limit=1001), "limit 1001"),
        (lambda: TextBatches(counting(), 3, 0)[-2], "step -2"),
        (lambda: list(text_test_batches(counting().test, 0)), "batch 0"),
        (lambda: list(text_test_batches(counting(1).test)), "a text of 1 words"),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
