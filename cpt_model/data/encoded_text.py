"""Large texts are numbered once: WikiText-103 takes minutes to read as words, and no time as numbers."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import numpy as np

from cpt_model.data.text_data import PARTS, TextData
from host.data.store import data_folder, is_store, read_arrays, write_arrays

LARGE = 50_000_000  # bytes of the training text


def encoded_folder(dataset: str, paths: list[Path]) -> Path | None:
    """Where the numbers of these very files are kept in the cache; None for small ones."""
    if paths[0].stat().st_size < LARGE:
        return None
    known = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
    return data_folder() / "encoded" / f"{dataset}-{hashlib.sha256(repr(known).encode()).hexdigest()[:16]}"


def read_encoded(dataset: str, folder: Path) -> TextData | None:
    """The kept numbers, memory-mapped; None where there are none or they are damaged: the words are still there."""
    if not is_store(folder):
        return None
    try:
        arrays = read_arrays(folder)
        vocabulary = tuple(arrays["vocabulary"].tobytes().decode().split("\n"))
        return TextData(dataset, vocabulary, *(arrays[part] for part in PARTS))
    except (ValueError, KeyError, OSError):  # also while another process renews them
        return None


def keep_encoded(folder: Path, data: TextData) -> None:
    """A cache that cannot be written costs time at the next start, nothing else."""
    words = np.frombuffer("\n".join(data.vocabulary).encode(), np.uint8)
    with contextlib.suppress(OSError):
        arrays = {part: getattr(data, part) for part in PARTS}
        write_arrays(folder, {"vocabulary": words, **arrays}, f"text {data.name}")
