"""`import host`: what users import, and how little it loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import cpt_model
import host
from tests.tools import ROOT

LOADED = "import sys; {line}; print(*sorted({{'.'.join(name.split('.')[:2]) for name in sys.modules}}))"


def loaded_by(line: str) -> set[str]:
    """Packages in a fresh interpreter after this line, two levels of names."""
    command = [sys.executable, "-c", LOADED.format(line=line)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    return set(done.stdout.split())


def of_the_kit(loaded: set[str]) -> set[str]:
    return {name for name in loaded if name.split(".")[0] in ("host", "sim", "cpt_model", "scripts")}


def test_importing_host_loads_only_its_version() -> None:
    loaded = loaded_by("import host")
    assert of_the_kit(loaded) == {"host", "sim", "sim.common"}
    assert not loaded & {"numpy", "pynq", "torch"}


def test_opening_a_device_loads_the_driver_and_what_is_below_it() -> None:
    loaded = loaded_by("from host import open_device")
    below = {"sim", "sim.common", "sim.contract", "sim.devices", "sim.reference"}
    assert of_the_kit(loaded) == {"host", "host.compiler", "host.driver"} | below
    assert "torch" not in loaded


@pytest.mark.parametrize("package", [host, cpt_model])
def test_each_name_is_there_for_type_checkers_too(package: ModuleType) -> None:
    assert package.__file__
    tree = ast.parse(Path(package.__file__).read_text(encoding="utf-8"))
    (typed,) = (node for node in tree.body if isinstance(node, ast.If))
    homes = {node.names[0].asname: node.module for node in typed.body if isinstance(node, ast.ImportFrom)}
    assert homes == package.HOMES
    assert all(getattr(package, name).__name__ == name for name in package.HOMES)
    assert set(package.HOMES) <= set(package.__all__) <= set(dir(package))


def test_another_name_is_refused_as_any_module_does() -> None:
    with pytest.raises(AttributeError, match="module 'host' has no attribute 'Config'"):
        host.Config  # noqa: B018
