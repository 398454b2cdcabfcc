"""The kit's version: pyproject.toml says it in a checkout, the package's metadata where the kit is installed."""

from __future__ import annotations

import re
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


def kit_version() -> str:
    if PROJECT.exists():
        found = re.search(r'^version = "(.+)"$', PROJECT.read_text(encoding="utf-8"), re.MULTILINE)
        return found[1] if found else "unknown"
    try:
        return version("cpt-kit")
    except PackageNotFoundError:  # folders copied to a board, without pyproject.toml
        return "unknown"


def commit() -> str:
    """The commit of the checkout the kit runs from, marked where files differ from it."""
    if not PROJECT.exists():
        return "installed"
    ask = ["git", "-C", str(PROJECT.parent), "describe", "--always", "--dirty=, with changes", "--exclude=*"]
    try:
        found = subprocess.run(ask, capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return "commit unknown"
    return f"commit {found.stdout.strip()}" if found.returncode == 0 else "commit unknown"


__version__ = kit_version()
