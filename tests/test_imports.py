"""The walls between the rooms: imports go one way, and nothing goes in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

import pytest

from tests.tools import ROOT

# A room and those right below it: it may import these, and what is below them.
BELOW: dict[str, list[str]] = {
    "sim.common": [],
    "sim": ["sim.common"],  # its version alone: `import sim`
    "sim.contract": ["sim.common"],
    "sim.reference": ["sim.contract"],
    "sim.devices": ["sim.reference"],
    "sim.latency": ["sim.reference"],
    "sim.synthesis": ["sim.devices"],
    "sim.vectors": ["host.compiler", "sim.reference"],
    "sim.bench": ["sim.vectors", "sim.synthesis"],
    "host.compiler": ["sim.contract"],
    "host.schedules": ["host.compiler"],
    "host.data": ["sim.common"],
    "host.native": ["sim.common"],
    "host.driver": ["host.compiler", "host.native", "sim.devices"],
    "host.training": ["host.driver", "host.schedules", "host.data"],
    "host": ["host.driver"],  # the public face alone: `import host`
    "host.measure": ["host.driver", "sim.latency"],
    "cpt_model": ["host", "host.measure", "host.training"],
    "scripts": ["cpt_model", "sim.bench"],
}
PACKAGES = ("sim", "host", "cpt_model", "scripts")


def modules(root: Path) -> dict[str, Path]:
    files = [file for package in PACKAGES for file in sorted((root / package).rglob("*.py"))]
    return {".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): file for file in files}


def imports(name: str, file: Path, known: dict[str, Path]) -> Iterator[str]:
    """Modules of the kit that a file imports, anywhere in it: in functions and for types too."""
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package)
            named = [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        for found in named:
            while found and found not in known:
                found = found.rpartition(".")[0]
            if found:
                yield found


def room(module: str) -> str:
    """The room of a module: the longest name in the table that it begins with."""
    parts = module.split(".")
    return next(name for name in (".".join(parts[:2]), parts[0]) if name in BELOW)


def reachable(name: str) -> set[str]:
    return {name}.union(*(reachable(below) for below in BELOW[name]))


def wrong_edges(root: Path) -> list[str]:
    known = modules(root)
    return [
        f"{name} imports {other}"
        for name, file in known.items()
        for other in sorted(set(imports(name, file, known)))
        if room(other) not in reachable(room(name))
    ]


def cycle(root: Path) -> list[str]:
    """Packages in a circle; modules right inside cpt_model count as packages, those of scripts do not."""
    known = modules(root)
    graph: dict[str, set[str]] = {}
    for name, file in known.items():
        here, *others = (
            "scripts" if module.startswith("scripts") else ".".join(module.split(".")[:2])
            for module in (name, *imports(name, file, known))
        )
        graph.setdefault(here, set()).update(other for other in others if other != here)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as problem:
        return list(problem.args[1])
    return []


def test_imports_go_one_way() -> None:
    assert wrong_edges(ROOT) == []


def test_no_packages_import_each_other() -> None:
    assert cycle(ROOT) == []


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small kit without a wrong edge."""
    for name, text in {
        "sim/__init__.py": "",
        "sim/contract/__init__.py": "import numpy",
        "sim/reference/__init__.py": "from . import affine",
        "sim/reference/affine.py": "from ..contract import Build",
        "sim/devices/__init__.py": "from sim.reference.affine import quantise",
        "host/__init__.py": "from host.compiler import lower",
        "host/compiler/__init__.py": "import sim.contract",
        "host/compiler/lower.py": "from sim.contract import Build",
        "cpt_model/__init__.py": "import host, cpt_model.layers",
        "cpt_model/layers.py": "from sim import contract",
        "scripts/__init__.py": "import cpt_model",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert wrong_edges(tmp_path) == cycle(tmp_path) == []
    return tmp_path


@pytest.mark.parametrize(
    ("file", "line", "found"),
    [
        ("sim/reference/affine.py", "from sim.devices import open", "sim.reference.affine imports sim.devices"),
        ("sim/reference/affine.py", "from .. import devices", "sim.reference.affine imports sim.devices"),
        ("sim/contract/__init__.py", "from ..reference import affine", "sim.contract imports sim.reference.affine"),
        ("host/compiler/lower.py", "def f():\n    import sim.reference.affine", "sim.reference.affine"),
        ("host/compiler/lower.py", "if TYPE_CHECKING:\n    from host import Conv", "host.compiler.lower imports host"),
        ("host/compiler/__init__.py", "import cpt_model.layers as l", "host.compiler imports cpt_model.layers"),
        ("cpt_model/layers.py", "from scripts import cli", "cpt_model.layers imports scripts"),
        ("sim/new_room.py", "import sim.contract", "sim.new_room imports sim.contract"),
    ],
)
def test_a_planted_wrong_edge_is_found(tree: Path, file: str, line: str, found: str) -> None:
    place = tree / file
    place.write_text(f"{place.read_text() if place.exists() else ''}\n{line}\n")
    (problem,) = wrong_edges(tree)
    assert found in problem


def test_a_planted_circle_is_found(tree: Path) -> None:
    (tree / "cpt_model" / "layers.py").write_text("from cpt_model import prepare_")
    assert wrong_edges(tree) == []
    assert set(cycle(tree)) == {"cpt_model", "cpt_model.layers"}
