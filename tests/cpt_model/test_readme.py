"""The package's page: its loop runs as printed, and what it links to is there."""

from __future__ import annotations

import re

import pytest
import torch

from cpt_model import get_precision, quantisation_state
from tests.tools import ROOT

PAGE = (ROOT / "cpt_model" / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_loops_on_the_page_run(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(str(tmp_path))
    torch.manual_seed(0)
    loop, saving, range_test = BLOCKS[:3]
    (cost,) = [block for block in BLOCKS if "cpt_model.cost" in block]
    names: dict[str, object] = {"quantisation_state": quantisation_state}
    exec(loop, names)
    assert 0 <= float(names["accuracy"]) <= 1  # type: ignore[arg-type]
    exec(saving, names)
    assert set(names["saved"]) == {"model", "bits", "quantisation"}  # type: ignore[call-overload]
    assert get_precision(names["model"]) == (8, 8)  # type: ignore[arg-type]
    short = range_test.replace("steps=100", "steps=4, window=2, progress=False").replace("range(2, 9)", "(2, 8)")
    assert short != range_test
    exec(short, names)
    exec(cost, names)


def test_links_of_the_page_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", PAGE)
    assert links
    assert [link for link in links if not (ROOT / "cpt_model" / link).exists()] == []
