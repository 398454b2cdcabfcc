"""One process at a time has the device: a lock on a file, which the system releases when a process dies.

The file names its process.
"""

from __future__ import annotations

import fcntl
import os
import re
from pathlib import Path

from host.driver.errors import DeviceBusyError
from sim.common.ownership import no_link, runtime_folder

HELD: set[Path] = set()  # by this process, which must not end before it has stopped those devices


class Claim:
    """Holds the device of this name until it is released.

    >>> name = f"doctest-{os.getpid()}"
    >>> claim = Claim(name)
    >>> try:
    ...     Claim(name)
    ... except DeviceBusyError:
    ...     print("in use")
    in use
    >>> claim.release()
    """

    def __init__(self, name: str) -> None:
        self.path = runtime_folder() / f"{re.sub('[^A-Za-z0-9_.-]', '_', name)}.lock"
        self._file: int | None = None
        while self._file is None:
            self._file = self._lock(name)
        HELD.add(self.path)

    def _lock(self, name: str) -> int | None:
        """The locked file, or None if its last owner has removed it meanwhile."""
        try:
            file = no_link(str(self.path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        except OSError as problem:
            raise DeviceBusyError(
                f"device '{name}': its lock {self.path} cannot be taken ({problem.strerror}):"
                " remove it if no process has it"
            ) from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(file, 32).decode(errors="replace").strip() or "unknown"
            os.close(file)
            raise DeviceBusyError(
                f"device '{name}' is in use by process {owner}: close it there, or end that process, and try again"
            ) from None
        try:
            named = os.path.samestat(self.path.stat(), os.fstat(file))
        except FileNotFoundError:
            named = False
        if not named:
            os.close(file)
            return None
        os.ftruncate(file, 0)
        os.write(file, f"{os.getpid()}\n".encode())
        return file

    def release(self) -> None:
        if self._file is not None:
            HELD.discard(self.path)
            self.path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = None
