"""Public faces of packages: names that are imported when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` (PEP 562) of a package, from the module that defines each of its names.

    Modules are named as in a checkout; in a wheel, some of them and the package have another one above them.
    """
    above, dot, _ = package.rpartition(".")

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        try:
            found = getattr(import_module(above + dot + homes[name]), name)
        except ModuleNotFoundError as problem:
            needed = f"{package}.{name} needs {problem.name}: pip install {problem.name}"
            raise ModuleNotFoundError(needed, name=problem.name) from problem
        setattr(sys.modules[package], name, found)
        return found

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return find, names
