"""Names without spaces, for tools that take no others: GNU make, and Verilator with it."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from sim.common.ownership import own_folder
from sim.common.places import CACHE


def plain_name(path: Path) -> Path:
    """A file's or folder's name; where that has spaces, one by way of a link to the folder it is in.

    >>> plain_name(Path("/usr/bin/env"))
    PosixPath('/usr/bin/env')
    """
    if not has_space(path):
        return path
    absolute = path.absolute()
    link = _place() / f"to-{_short(absolute.parent)}"
    with suppress(FileExistsError):
        link.symlink_to(absolute.parent)
    if os.readlink(link) != str(absolute.parent):
        raise OSError(f"{link} leads to {os.readlink(link)}, not to {absolute.parent}: remove it")
    return link / plain_tail(absolute.name)


def plain_folder(path: Path) -> Path:
    """A folder to build in: this one, or where its name has spaces, one of the user's own elsewhere."""
    return own_folder(_place() / f"for-{_short(path.absolute())}") if has_space(path.absolute()) else path


def plain_tail(name: str) -> str:
    """The last part of a name cannot be linked away."""
    if has_space(Path(name)):
        raise OSError(f"'{name}': Verilator takes no name with a space")
    return name


def has_space(path: Path) -> bool:
    return any(letter.isspace() for letter in str(path))


def _short(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]


def _place() -> Path:
    """Of this user alone, and without spaces itself."""
    temporary = Path(tempfile.gettempdir()) / f"cpt-kit-{os.getuid()}"
    return own_folder(temporary if has_space(CACHE) else CACHE / "plain")
