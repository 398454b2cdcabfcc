"""Mistakes in the RTL, for tests that must notice them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.devices.rtl_sources import rtl_sources
from sim.synthesis import yosys


def plant(monkeypatch: pytest.MonkeyPatch, folder: Path, file: str, right: str, wrong: str) -> None:
    """From now on Yosys reads the core with one file changed."""

    def sources() -> list[Path]:
        return [folder / path.name if path.name == file else path for path in rtl_sources()]

    text = next(path for path in rtl_sources() if path.name == file).read_text()
    assert right in text
    (folder / file).write_text(text.replace(right, wrong))
    monkeypatch.setattr(yosys, "rtl_sources", sources)
