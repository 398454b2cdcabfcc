"""`cpt vectors --device`: vectors replayed on a device."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.cli import main
from sim.contract import Memory, Outcome
from sim.reference import Reference


def test_vectors_are_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vectors", "--device", "reference", "--build", "tiny", "--only", "width-1x*"]) == 0
    assert "8 of 8 vectors agree on reference (tiny)" in capsys.readouterr().out


def test_those_that_differ_are_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Spoils(Reference):
        def run(self, memory: Memory, *arguments: Any, **named: Any) -> Outcome:
            outcome = super().run(memory, *arguments, **named)
            memory[0] ^= 1
            return outcome

    monkeypatch.setattr("scripts.vectors.open_executor", lambda _name, build: Spoils(build))
    assert main(["vectors", "--device", "reference", "--build", "tiny", "--only", "width-1x1"]) == 1
    assert "width-1x1 differs on reference (tiny)" in capsys.readouterr().out
