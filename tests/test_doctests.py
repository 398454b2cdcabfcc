"""Every example in a docstring runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

PACKAGES = ("sim", "host", "cpt_model", "scripts")
MODULES = sorted(
    module.name
    for package in PACKAGES
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")
)


def test_modules_are_found() -> None:
    assert {"sim.reference", "host.compiler.lower", "scripts.cli"} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0
