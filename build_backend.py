"""The build backend (PEP 517): setuptools, for a wheel on a copy in which cpt_kit holds sim, host and scripts.

Those three names are too common for site-packages. A checkout and its editable install keep them.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import tempfile
from pathlib import Path

from setuptools import build_meta
from setuptools.build_meta import build_editable, build_sdist

__all__ = ["build_editable", "build_sdist", "build_wheel"]

KIT = "cpt_kit"
PACKAGES = ("sim", "host", "scripts")
HARDWARE = ("hls", "vivado")
FILES = ("pyproject.toml", "README.md", "LICENSE")
ENTRIES = ('"scripts.cli:main"', '"host.notebooks"')
INIT = f'''"""The kit's sim, host and scripts, and the hardware's sources."""

from {KIT}.sim import __version__ as __version__
'''


def build_wheel(
    wheel_directory: str, config_settings: dict | None = None, metadata_directory: str | None = None
) -> str:
    checkout = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        lay_out(checkout, Path(folder))
        os.chdir(folder)
        try:
            return build_meta.build_wheel(wheel_directory, config_settings)
        finally:
            os.chdir(checkout)


def lay_out(checkout: Path, target: Path) -> None:
    """Copies what belongs into a wheel, without what git ignores, to where it is in site-packages."""
    lines = (checkout / ".gitignore").read_text(encoding="utf-8").splitlines()
    ignored = shutil.ignore_patterns(*(line.rstrip("/") for line in lines if line and not line.startswith("#")))
    shutil.copytree(checkout / "cpt_model", target / "cpt_model", ignore=ignored)
    for name in (*PACKAGES, *HARDWARE):
        shutil.copytree(checkout / name, target / KIT / name, ignore=ignored)
    for name in FILES:
        shutil.copy(checkout / name, target)
    for path in target.rglob("*.py"):
        path.write_text(rename_imports(path.read_text(encoding="utf-8")), encoding="utf-8")
    (target / KIT / "__init__.py").write_text(INIT)
    project = target / "pyproject.toml"
    text = project.read_text(encoding="utf-8")
    for entry in ENTRIES:
        assert text.count(entry) == 1
        text = text.replace(entry, f'"{KIT}.{entry[1:]}')
    project.write_text(text, encoding="utf-8")
    for book in target.rglob("*.ipynb"):
        cells = re.sub(rf'"from ({"|".join(PACKAGES)})([. ])', rf'"from {KIT}.\1\2', book.read_text(encoding="utf-8"))
        book.write_text(cells, encoding="utf-8")


def rename_imports(source: str) -> str:
    """Imports PACKAGES from KIT; comments and strings stay as they are.

    >>> rename_imports("from sim.contract import Build  # from sim")
    'from cpt_kit.sim.contract import Build  # from sim'
    """
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import) and any(_ours(each.name) for each in node.names):
            raise ValueError(f"'{ast.unparse(node)}' cannot be renamed: write 'from package import module'")
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module and _ours(node.module):
            line = lines[node.lineno - 1]
            lines[node.lineno - 1] = line.replace(f"from {node.module}", f"from {KIT}.{node.module}", 1)
    return "\n".join(lines)


def _ours(module: str) -> bool:
    return module.split(".")[0] in PACKAGES
