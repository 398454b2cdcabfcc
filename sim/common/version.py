"""The kit's version: pyproject.toml says it in a checkout, the package's metadata where the kit is installed."""

from __future__ import annotations

import re
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


__version__ = kit_version()
