"""Text as word numbers: Penn Treebank, WikiText, or one's own files in the same form.

A line is words between blanks, and its end is the word <eos>; what the training text does not know is <unk>. Words are
numbered by how often they occur in the training text, the most frequent first, as adaptive inputs and softmax want.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cpt_model.data.encoded_text import encoded_folder, keep_encoded, read_encoded
from cpt_model.data.text_data import PARTS, TextData
from host.data.images import DataError
from host.data.store import data_folder

EOS, UNKNOWN = "<eos>", "<unk>"
# How the files are named, and the folders below --datadir (or the cache) they may be in.
FORMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "ptb": ("ptb.{}.txt", ("ptb", "penn", "simple-examples/data")),
    "wikitext-2": ("wiki.{}.tokens", ("wikitext-2",)),
    "wikitext-103": ("wiki.{}.tokens", ("wikitext-103",)),
    "text": ("{}.txt", ("text",)),
}
ADVICE = {
    "ptb": "it is not fetched: simple-examples.tgz of Mikolov's rnnlm has the three files in data/",
    "wikitext-2": "it is not fetched: unpack wikitext-2-v1.zip",
    "wikitext-103": "it is not fetched: unpack wikitext-103-v1.zip",
    "text": "any text with words between blanks serves",
}


def load_text(dataset: str, datadir: Path | None = None) -> TextData:
    """The text in a folder, or in the cache."""
    if dataset not in FORMS:
        raise ValueError(f"dataset '{dataset}' is not known; there are: {', '.join(FORMS)}")
    pattern, below = FORMS[dataset]
    root = data_folder(datadir)
    for folder in (*(root / name for name in below), root):
        paths = [folder / pattern.format(part) for part in PARTS]
        if not any(path.is_file() for path in paths):
            continue
        for path in paths:
            if not path.is_file():
                raise DataError(f"{path}: missing; the other parts are there; {ADVICE[dataset]}")
        kept = encoded_folder(dataset, paths)
        if kept and (found := read_encoded(dataset, kept)):
            return found
        vocabulary = read_vocabulary(paths[0])
        data = TextData(dataset, vocabulary, *(encode(path, vocabulary) for path in paths))
        if kept:
            keep_encoded(kept, data)
        return data
    expected = ", ".join(pattern.format(part) for part in PARTS)
    raise DataError(f"{dataset} is not in {root}: expected {expected} there or in {below[0]}/; {ADVICE[dataset]}")


def read_vocabulary(path: Path) -> tuple[str, ...]:
    """The words of a file by falling frequency, equally frequent ones by the alphabet."""
    counts: Counter[str] = Counter()
    for words in _lines(path):
        counts.update(words)
    counts.setdefault(UNKNOWN, 0)
    return tuple(sorted(counts, key=lambda word: (-counts[word], word)))


def encode(path: Path, vocabulary: tuple[str, ...]) -> npt.NDArray[np.int32]:
    """The words of a file as numbers."""
    numbers = {word: number for number, word in enumerate(vocabulary)}
    unknown = numbers[UNKNOWN]
    blocks: list[npt.NDArray[np.int32]] = []
    block: list[int] = []
    for words in _lines(path):
        block += [numbers.get(word, unknown) for word in words]
        if len(block) >= 1 << 20:  # a hundred million words do not fit as Python integers
            blocks.append(np.array(block, np.int32))
            block = []
    return np.concatenate([*blocks, np.array(block, np.int32)])


def _lines(path: Path) -> Iterator[list[str]]:
    """The words of each line of a file, its end included; a file without lines is refused."""
    words: list[str] = []
    with path.open(encoding="utf-8") as file:
        try:
            for line in file:
                words = [*line.split(), EOS]
                yield words
        except UnicodeDecodeError as problem:
            raise DataError(f"{path}: not UTF-8 text ({problem})") from None
    if not words:
        raise DataError(f"{path}: empty")
