"""Python processes of the kit's own: modules are looked for as here, but not in the folder one happens to be in."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = str(Path(__file__).resolve().parents[__name__.count(".")])  # of the packages, also in a wheel


def python(code: str, *arguments: str) -> list[str]:
    """A command that runs code. -I stands for -P too, which Python 3.10 does not have."""
    places = [ROOT, *(place for place in sys.path if place and os.path.realpath(place) not in (ROOT, os.getcwd()))]
    return [sys.executable, "-I", "-u", "-c", f"import sys; sys.path[:] = {places!r}\n{code}", *arguments]


def python_module(name: str) -> list[str]:
    """A command that runs a module by its whole name."""
    return python(f"import runpy; runpy.run_module({name!r}, run_name='__main__', alter_sys=True)")
