"""`host/` where only numpy, pynq and what pynq requires are installed, as on a board: no PyTorch, no matplotlib."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.tools import ROOT

SCRIPT = """
import sys
sys.path[:0] = [{root!r}, {packages!r}]
import importlib, pkgutil, warnings
import host
for module in pkgutil.walk_packages(host.__path__, "host."):
    importlib.import_module(module.name)
{quick_start}
from cpt_model.schedules import named
print(named("cpt", 3, 8, 2).bits([0, 999], 2000))
from scripts.cli import main
print(main(["board", "info", "--build", "tiny"]))
print([name for name in ("torch", "matplotlib", "scipy") if name in sys.modules])
"""


def needed(name: str, found: dict[str, Distribution]) -> dict[str, Distribution]:
    """A distribution and all it requires here, extras left out."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key not in found:
        found[key] = distribution(name)
        for text in found[key].requires or []:
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                needed(requirement.name, found)
    return found


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder with links to exactly these packages."""
    found = needed("pynq", needed("numpy", {}))
    assert "torch" not in found
    for package in found.values():
        for file in package.files or []:
            first = file.parts[0]
            link = tmp_path / first
            if first not in ("..", "tests") and not link.exists():
                link.symlink_to(Path(str(package.locate_file(first))))
    return tmp_path


def test_everything_imports_and_the_quick_start_runs(packages: Path) -> None:
    page = (ROOT / "host" / "README.md").read_text(encoding="utf-8")
    quick_start = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)[0]
    script = SCRIPT.format(root=str(ROOT), packages=str(packages), quick_start=quick_start)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:2] == ["(2, 32, 8, 8) -1006693 1", "[3 8]"]
    assert "contract  2.0" in lines  # `python -m scripts.cli board`, though nothing of ours is installed
    assert lines[-2:] == ["0", "[]"]
