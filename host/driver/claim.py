"""One process at a time has the device: a lock on a file, which the system releases when a process dies.

By fcntl, not by filelock as elsewhere: a board has NumPy and pynq alone, and the file names the owner's process.
"""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
from pathlib import Path

from host.driver.errors import DeviceBusyError


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
        self.path = Path(tempfile.gettempdir()) / f"cpt-{re.sub('[^A-Za-z0-9_.-]', '_', name)}.lock"
        self._file: int | None = None
        while self._file is None:
            self._file = self._lock(name)

    def _lock(self, name: str) -> int | None:
        """The locked file, or None if its last owner has removed it meanwhile."""
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except PermissionError:  # Linux denies even root another user's file in /tmp
            raise DeviceBusyError(
                f"device '{name}' belongs to another user: close it there, or remove {self.path} if no process has it"
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
            self.path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = None
