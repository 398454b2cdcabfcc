"""Modules that lie in the current folder do not reach the kit's own processes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sim.common.isolated import python, python_module


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("random", "cpt_model", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('planted')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))  # as `python -m` has it
    return tmp_path


def test_a_worker_takes_no_module_from_the_current_folder(planted: Path) -> None:
    with subprocess.Popen(
        python_module("cpt_model.experiments.worker"), stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdin is not None
        assert worker.stderr is not None
        worker.stdin.write('{"arch": 3}\n')
        worker.stdin.flush()  # and left open: a worker ends with its parent
        try:
            assert worker.wait(120) == 2
        finally:
            worker.kill()
        assert worker.stderr.read().strip().endswith("arch = 3 is not a text")


def test_code_sees_its_arguments_and_the_same_packages(planted: Path) -> None:
    command = python("import random, numpy, sys; sys.exit(sys.argv[1])", "given")
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr.strip()) == (1, "given")
