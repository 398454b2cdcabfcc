"""Files that are complete or absent, and locks with a bounded wait."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from sim.common.ownership import check_link, no_link


def write_atomically(path: Path, content: str | bytes | Callable[[IO[bytes]], object]) -> None:
    """Writes or replaces a file, from text, bytes or a function of a stream; only one process at a time may write it.

    A kill, a full disk or a loss of power leaves the old file or the new one.
    """
    if path.exists() and not path.is_file():  # a pipe or a device, such as /dev/stdout
        with path.open("wb") as stream:
            _fill(stream, content)
        return
    check_link(path)
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.tmp")
    try:
        temporary.unlink(missing_ok=True)  # of a process that was killed, or planted
        with open(temporary, "xb", opener=no_link) as stream:
            _fill(stream, content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
        _sync_folder(target.parent)
    except BaseException as problem:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(problem, OSError) and problem.errno is not None:
            raise OSError(problem.errno, problem.strerror, str(path)) from problem
        raise


def _fill(stream: IO[bytes], content: str | bytes | Callable[[IO[bytes]], object]) -> None:
    if callable(content):
        content(stream)
    else:
        stream.write(content.encode() if isinstance(content, str) else content)


def _sync_folder(folder: Path) -> None:
    """So that the new name survives a loss of power as well."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def locked(path: Path, seconds: float) -> Iterator[None]:
    """Holds the lock file for the block, or as long as the process lives; raises TimeoutError if others have it."""
    end = time.monotonic() + seconds
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        while not _taken(handle):
            if time.monotonic() >= end:
                raise TimeoutError(f"another process has held {path} for {seconds:g} s")
            time.sleep(0.05)
        yield
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
