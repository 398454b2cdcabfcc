"""Checkpoints that are whole or not there: a temporary file takes the old one's place once it is on the disk."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO, Any

import torch

from sim.common.files import write_atomically

FORMAT = 1


class CheckpointError(ValueError):
    """A checkpoint that cannot be written or read; the message names the file."""


def save_checkpoint(file: Path, content: dict[str, Any]) -> None:
    """Writes or replaces a checkpoint. Killed at any moment, or with a full disk, the old one stays as it was."""

    def write(opened: IO[bytes]) -> None:
        stream = _Checked(opened)
        try:
            torch.save({"format": FORMAT, **content}, stream)  # type: ignore[arg-type]
        except RuntimeError as problem:
            raise (stream.problem or problem) from problem  # torch.save hides the disk's error

    try:
        write_atomically(file, write)
    except OSError as problem:
        kept = "; the one before is as it was" if file.exists() else ""
        raise CheckpointError(f"{file} cannot be written: {problem.strerror or problem}{kept}") from problem


def load_checkpoint(file: Path) -> dict[str, Any]:
    """Reads plain tensors, numbers and containers only: a file from elsewhere cannot run code."""
    try:
        content = torch.load(file, weights_only=True)
    except FileNotFoundError:
        raise CheckpointError(f"{file}: there is no such checkpoint") from None
    except Exception as problem:
        raise CheckpointError(f"{file} is not a checkpoint of cpt train, or is damaged: {_line(problem)}") from problem
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise CheckpointError(f"{file} is not a checkpoint of cpt train (format {FORMAT})")
    return content


class _Checked(io.RawIOBase):
    """A file that remembers why writing failed."""

    def __init__(self, opened: IO[bytes]) -> None:
        self._opened = opened
        self.problem: OSError | None = None

    def write(self, data: Any) -> int:
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
    return (str(problem).splitlines() or [type(problem).__name__])[0]
