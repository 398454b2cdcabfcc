"""A copy of the repository for scripts that write beside themselves; a core with its vector unit."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sim.devices.hls_executor import HLS_BUILDS
from tests.tools import ROOT


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """As much of the repository as the scripts look at, and an HLS core as if exported."""
    shutil.copytree(ROOT / "vivado", tmp_path / "vivado", ignore=shutil.ignore_patterns("bench", "harness", "proofs"))
    for build in HLS_BUILDS:
        exported = tmp_path / "hls" / "build" / f"vitis_{build}" / "solution" / "impl" / "ip"
        exported.mkdir(parents=True)
        (exported / "component.xml").touch()
    return tmp_path
