"""Checkpoints of a run on a device: an NPZ file of integers with a checksum of all its bytes, and the one before it.

The arrays are an `IntegerStep`'s state; `about` is JSON with the rest. Behind the archive is the SHA-256 of it, which
NPZ readers skip. A file takes its place once it is on the disk; should an SD card lose it all the same, the one before
is there.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sim.common.files import write_atomically

FORMAT = 1
ABOUT = "about"
BEFORE = "before.npz"
DIGEST = hashlib.sha256().digest_size
State = Mapping[str, npt.NDArray[Any]]
Loaded = tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]


class CheckpointError(ValueError):
    """A checkpoint that cannot be written or read; the message names the file."""


def save_checkpoint(file: Path, state: State, about: dict[str, Any], keep: bool = False) -> None:
    """Writes or replaces one. Killed at any moment, or with a full disk, the old one stays as it was.

    With `keep` the old one stays in any case, as BEFORE.
    """
    content = io.BytesIO()
    text = json.dumps({"format": FORMAT, **about})
    np.savez(content, **{ABOUT: np.array(text)}, **dict(state))
    data = content.getvalue()
    try:
        if keep and file.exists():
            before, link = file.with_name(BEFORE), file.with_name(f".{BEFORE}.link")
            link.unlink(missing_ok=True)
            with suppress(OSError):  # a file system without links has no second one
                os.link(file, link)
                link.replace(before)
        write_atomically(file, data + hashlib.sha256(data).digest())
    except OSError as problem:
        kept = "; the one before is as it was" if file.exists() else ""
        raise CheckpointError(f"{file} cannot be written: {problem.strerror or problem}{kept}") from problem


def load_checkpoint(file: Path) -> Loaded:
    """The state, and the rest; a file that is no whole checkpoint is refused."""
    try:
        data = file.read_bytes()
    except OSError as problem:
        raise CheckpointError(f"{file} cannot be read: {problem.strerror}") from None
    if len(data) <= DIGEST or hashlib.sha256(data[:-DIGEST]).digest() != data[-DIGEST:]:
        raise CheckpointError(f"{file} is damaged, or no checkpoint of cpt board train: its checksum does not agree")
    with np.load(io.BytesIO(data[:-DIGEST])) as arrays:
        about = json.loads(str(arrays[ABOUT]))
        state = {name: arrays[name] for name in arrays.files if name != ABOUT}
    if about.get("format") != FORMAT:
        raise CheckpointError(f"{file} has format {about.get('format')}, this version reads {FORMAT}")
    return state, about


def load_newest(file: Path) -> tuple[Loaded, Path, str]:
    """The checkpoint, or the one before it if that is damaged; which file it was, and what to say of it."""
    try:
        return load_checkpoint(file), file, ""
    except CheckpointError as problem:
        before = file.with_name(BEFORE)
        if not before.exists():
            raise
        return load_checkpoint(before), before, f"{problem}; going on from {before}"
