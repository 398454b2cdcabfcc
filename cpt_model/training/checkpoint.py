"""Checkpoints that are whole or not there: a temporary file takes the old one's place once it is on the disk.

A checkpoint is PyTorch's ZIP archive, with the SHA-256 of all its bytes as the archive's comment: a bit that flips is
seen, and `torch.load` reads the file as ever.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Any, ClassVar

import torch
from pydantic import ConfigDict, Field

from sim.common.checked import Checked, Count, Listed, Whole
from sim.common.files import write_atomically

FORMAT = 2
UNSIGNED = 1  # the format before there was a checksum
DIGEST = hashlib.sha256().digest_size
LENGTH = DIGEST.to_bytes(2, "little")  # of the comment, as ZIP has it


class CheckpointError(ValueError):
    """A checkpoint that cannot be written or read; the message names the file."""


class Saved(Checked):
    """What every checkpoint holds; others may be added."""

    model_config = ConfigDict(extra="allow", allow_inf_nan=True)
    error: ClassVar[type[ValueError]] = CheckpointError

    settings: dict[str, Any]
    step: Whole
    model: dict[str, Any]
    precision: dict[str, Any] | None
    result: Annotated[tuple[float, float], Listed] | None


class SavedRun(Saved):
    """What a run goes on from: `last.pt`."""

    optimizer: dict[str, Any]
    averaging: dict[str, Any] | None
    evaluated: Whole
    best: float | None
    window: Annotated[list[float], Field(min_length=4, max_length=4)]
    seconds: float
    total: Count
    batch: Count
    threads: Count
    processes: Count
    machine: dict[str, int | str] = {}  # noqa: RUF012  (pydantic copies it); older checkpoints have none


def save_checkpoint(file: Path, content: dict[str, Any]) -> None:
    """Writes or replaces a checkpoint. Killed at any moment, or with a full disk, the old one stays as it was."""

    def write(opened: IO[bytes]) -> None:
        stream = _Checked(opened)
        try:
            torch.save({"format": FORMAT, **content}, stream)  # type: ignore[arg-type]
        except RuntimeError as problem:
            raise (stream.problem or problem) from problem  # torch.save hides the disk's error
        opened.seek(-len(LENGTH), io.SEEK_END)
        opened.write(LENGTH + stream.hash.digest())

    try:
        write_atomically(file, write)
    except OSError as problem:
        kept = "; the one before is as it was" if file.exists() else ""
        raise CheckpointError(f"{file} cannot be written: {problem.strerror or problem}{kept}") from problem


def load_checkpoint(file: Path) -> dict[str, Any]:
    """Reads plain tensors, numbers and containers only: a file from elsewhere cannot run code."""
    try:
        data = file.read_bytes()
        content = torch.load(io.BytesIO(data), weights_only=True)
    except FileNotFoundError:
        raise CheckpointError(f"{file}: there is no such checkpoint") from None
    except Exception as problem:
        raise CheckpointError(f"{file} is not a checkpoint of cpt train, or is damaged: {_line(problem)}") from problem
    if not isinstance(content, dict) or str(content.get("format")) not in (str(UNSIGNED), str(FORMAT)):
        raise CheckpointError(f"{file} is not a checkpoint of cpt train (format {FORMAT})")
    if content["format"] == FORMAT and _digest(data) != data[-DIGEST:]:
        raise CheckpointError(f"{file} is damaged: its checksum does not agree; take another checkpoint of the run")
    Saved.of(content, file)
    return content


@contextmanager
def taken_from(file: Path) -> Iterator[None]:
    """Weights and states that are no such things, or another network's, are the file's fault."""
    try:
        yield
    except (RuntimeError, ValueError, TypeError, LookupError, AttributeError) as problem:
        raise CheckpointError(f"{file} does not fit this run: {_line(problem)}") from problem


class _Checked(io.RawIOBase):
    """A file that remembers why writing failed, and the checksum of what was written."""

    def __init__(self, opened: IO[bytes]) -> None:
        self._opened = opened
        self.hash = hashlib.sha256()
        self.problem: OSError | None = None

    def write(self, data: Any) -> int:
        self.hash.update(data)
        try:
            return self._opened.write(data)
        except OSError as problem:
            self.problem = problem
            raise

    def flush(self) -> None:
        self._opened.flush()

    def writable(self) -> bool:
        return True


def _line(problem: Exception) -> str:
    return f"{type(problem).__name__}: {' '.join(str(problem).split())[:200]}"


def _digest(data: bytes) -> bytes:
    """Of the archive as PyTorch wrote it, without a comment."""
    hashed = hashlib.sha256(memoryview(data)[: -len(LENGTH) - DIGEST])
    hashed.update(bytes(len(LENGTH)))
    return hashed.digest()
