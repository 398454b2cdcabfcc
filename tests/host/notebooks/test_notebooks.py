"""The notebooks run from top to bottom, hold no outputs, and pynq finds them."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from tests.tools import ROOT

BOOKS = sorted((ROOT / "host" / "notebooks").glob("*.ipynb"))
EXPECTED = {  # what the last cell prints, in part
    "one_layer": "array busy     100.0 %",
    "precision": "% fewer cycles than 8 bits throughout",
    "train_digits": "all layers",
    "waveform": "load_stall",
}
SLOW = ("waveform",)  # compiles the RTL core with waveforms


def cells(book: Path) -> list[dict[str, Any]]:
    return json.loads(book.read_text(encoding="utf-8"))["cells"]


@pytest.mark.parametrize(
    "book", [pytest.param(each, marks=[pytest.mark.slow] * (each.stem in SLOW), id=each.stem) for each in BOOKS]
)
@pytest.mark.filterwarnings("ignore")  # of Jupyter's own
def test_a_notebook_runs(book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    read = nbformat.read(book, as_version=4)
    client = NotebookClient(read, timeout=1800, kernel_name="python3", resources={"metadata": {"path": tmp_path}})
    # In a thread, with a loop of its own: Jupyter would replace this thread's, which simulated boards use, unclosed.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, client.async_execute()).result()
    printed = "".join(output.get("text", "") for output in read.cells[-1].outputs)
    assert EXPECTED[book.stem] in printed


@pytest.mark.parametrize("book", BOOKS, ids=lambda each: each.stem)
def test_a_notebook_is_stripped_and_short(book: Path) -> None:
    for cell in cells(book):
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None
    assert sum(len(cell["source"]) for cell in cells(book)) <= 60


def test_every_notebook_has_an_expectation() -> None:
    assert {book.stem for book in BOOKS} == set(EXPECTED)


def test_pynq_delivers_them() -> None:
    """`pynq get-notebooks` copies the folders of the modules that are named by this entry point."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points."pynq.notebooks"]\ncpt = "host.notebooks"' in text
    ours = [each.value for each in entry_points(group="pynq.notebooks") if each.name == "cpt"]
    assert ours in (["host.notebooks"], []), "an environment made before the entry point has none"
