"""The package's page: its loop runs as printed, and what it links to is there."""

from __future__ import annotations

import re

import pytest
import torch

from cpt_model import Bits
from tests.tools import ROOT

PAGE = (ROOT / "cpt_model" / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_loops_on_the_page_run(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(str(tmp_path))
    torch.manual_seed(0)
    names: dict[str, object] = {}
    for block in BLOCKS:
        short = block.replace("steps=100", "steps=4, window=2, progress=False").replace("range(2, 9)", "(2, 8)")
        if "LightningPrecision" in block:
            short = re.sub(r"(?m)^.*(Lightning|HuggingFace).*$", "from cpt_model.callbacks import Plan", short)
        exec(short, names)
    assert 0 <= float(names["accuracy"]) <= 1  # type: ignore[arg-type]
    assert set(names["saved"]) == {"model", "optimizer", "bits", "quantisation"}  # type: ignore[call-overload]
    assert names["plan"].cost(Bits(3, 8)) == names["network"].operations * 32 * 57  # type: ignore[attr-defined]
    assert len(names["report"].checks) == 3  # type: ignore[attr-defined]


def test_links_of_the_page_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", PAGE)
    assert links
    assert [link for link in links if not (ROOT / "cpt_model" / link).exists()] == []
