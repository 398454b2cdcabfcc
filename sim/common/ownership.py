"""Nobody else's files: whose folders and libraries are used, and names that are opened without following a link."""

from __future__ import annotations

import ctypes
import os
import stat
import tempfile
from pathlib import Path

OTHERS = stat.S_IWGRP | stat.S_IWOTH
# Whoever owns the kit's code runs as us anyway.
TRUSTED = frozenset({os.getuid(), 0, os.stat(__file__).st_uid})


class ForeignFileError(OSError):
    """A file or folder that another user has made, or could change."""


def check_ours(path: Path) -> None:
    """Refuses links, files of other users, and those that other users may write to."""
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise ForeignFileError(f"{path} is a link: remove it")
    if found.st_uid not in TRUSTED:
        raise ForeignFileError(f"{path} belongs to another user (number {found.st_uid}): remove it, or give another")
    own_group = found.st_gid == found.st_uid  # a group of this user alone, as many systems make it
    if found.st_mode & (stat.S_IWOTH if own_group else OTHERS):
        raise ForeignFileError(f"{path} may be written to by other users: 'chmod go-w' it, if its files are yours")


def check_link(path: Path) -> None:
    """Refuses to follow a link that another user has made; our own are followed."""
    if path.is_symlink() and path.lstat().st_uid not in TRUSTED:
        raise ForeignFileError(f"{path} is a link that another user has made: remove it, or give another name")


def own_folder(path: Path) -> Path:
    """The folder, made for this user alone if need be."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    check_ours(path)
    return path


def runtime_folder() -> Path:
    """The user's folder of locks: the same for all processes of a user, whatever their environment."""
    user = os.getuid()
    for parent in (Path("/run"), Path("/run/user", str(user))):  # the first is root's
        if parent.is_dir() and parent.stat().st_uid == user and os.access(parent, os.W_OK):
            return own_folder(parent / f"cpt-kit-{user}")
    return own_folder(Path(tempfile.gettempdir()) / f"cpt-kit-{user}")


def load_checked(library: Path) -> ctypes.CDLL:
    """A library of C++ code, if no other user can have put it there."""
    check_ours(library.parent)
    check_ours(library)
    return ctypes.CDLL(str(library))


def no_link(path: str, flags: int) -> int:
    """An `opener` of `open`: a link in the last place of the name is refused, not followed."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)
