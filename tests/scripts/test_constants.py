"""`cpt constants` on copies of the generated files."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.cli import main
from sim.contract import generate


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Copies of the generated files, which `cpt constants` works on instead."""
    renderers = {}
    for path, render in generate.RENDERERS.items():
        copy = tmp_path / path.relative_to(generate.ROOT)
        copy.parent.mkdir(parents=True)
        copy.write_bytes(path.read_bytes())
        renderers[copy] = render
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setattr(generate, "RENDERERS", renderers)
    return list(renderers)


@pytest.mark.parametrize("which", range(3))
def test_a_drifted_copy_is_named_and_fails(copies: list[Path], which: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["constants"]) == 0
    copies[which].write_text(copies[which].read_text().replace("48", "47", 1))
    assert main(["constants"]) == 1
    assert copies[which].name in capsys.readouterr().err


def test_a_missing_copy_counts_as_drifted(copies: list[Path]) -> None:
    copies[0].unlink()
    assert main(["constants"]) == 1


def test_writing_restores_what_has_drifted_and_nothing_else(copies: list[Path]) -> None:
    original = [path.read_bytes() for path in copies]
    copies[1].write_text("")
    untouched = copies[0].stat().st_mtime_ns
    assert main(["constants", "--write"]) == 0
    assert [path.read_bytes() for path in copies] == original
    assert copies[0].stat().st_mtime_ns == untouched
