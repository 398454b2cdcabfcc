"""Pages in Chromium, wide and narrow, light and dark: nothing overflows, everything can be read; screenshots are kept.

CPT_SCREENSHOTS=FOLDER keeps the screenshots there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest

from cpt_model.cost.accelerator import PROFILES
from cpt_model.drawing.html import page, paragraph
from cpt_model.reports.page import html
from cpt_model.reports.report import make_report
from tests.cpt_model.reports.report_tools import leave_run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SECONDS = 120
# What is looked at: text against what lies behind it, marks of charts against the page, and widths.
LOOK = """
const seen = () => {
  const page = frame.contentDocument, view = frame.contentWindow;
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b]
    .map((c) => (c /= 255) <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  const contrast = (one, other) => {
    const [a, b] = [light(one), light(other)].sort((x, y) => y - x);
    return (a + .05) / (b + .05);
  };
  const behind = (element) => { for (let at = element; at; at = at.parentElement) {
    const colour = numbers(view.getComputedStyle(at).backgroundColor);
    if (colour.length < 4 || colour[3] > 0) return colour; }
    return [255, 255, 255]; };
  const found = { width: page.documentElement.scrollWidth, dim: [], out: [], texts: 0, marks: 0 };
  for (const element of page.querySelectorAll("body *")) {
    const style = view.getComputedStyle(element), box = element.getBoundingClientRect();
    if (!box.width || !element.checkVisibility()) continue;
    const svg = element instanceof view.SVGElement, name = element.tagName + " " + element.textContent.slice(0, 30);
    if (!element.closest(".wide") && box.right > frame.clientWidth + 1) found.out.push(name);
    const says = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (says && element.tagName !== "SCRIPT") {
      found.texts++;
      const ratio = contrast(numbers(svg ? style.fill : style.color), behind(element));
      if (ratio < 4.5) found.dim.push(name + " " + ratio.toFixed(1));
    } else if (["circle", "rect", "path"].includes(element.tagName) && !element.closest("defs")) {
      found.marks++;
      const colour = numbers(element.tagName === "path" ? style.stroke : style.fill);
      const ratio = contrast(element.tagName === "circle" ? numbers(style.stroke) : colour, behind(element));
      if (ratio < 3) found.dim.push(name + " " + ratio.toFixed(1));
    }
  }
  return found;
};
const frame = document.querySelector("iframe");
const answer = () => { document.querySelector("pre").textContent = JSON.stringify(seen()); };
frame.addEventListener("load", () => setTimeout(answer, 300));
"""


def chromium(*arguments: str) -> str:
    assert CHROMIUM
    always = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=4000")
    done = subprocess.run([CHROMIUM, *always, *arguments], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def look(text: str, folder: Path, width: int, scheme: str) -> dict[str, Any]:
    """What a browser makes of a page."""
    frame = (
        f'<iframe srcdoc="{escape(text)}" style="border:0;width:{width}px;height:900px;color-scheme:{scheme}"></iframe>'
    )
    file = folder / f"{width}-{scheme}.html"
    file.write_text(
        f"<!doctype html><meta charset=utf-8><body style=margin:0>{frame}<pre></pre><script>{LOOK}</script>"
    )
    dumped = chromium("--dump-dom", f"--window-size={max(width, 500)},900", file.as_uri())
    answer = re.search(r"<pre>(.*?)</pre>", dumped, re.DOTALL)
    assert answer
    assert answer[1], dumped[:500]
    found: dict[str, Any] = json.loads(unescape(answer[1]))
    if kept := os.environ.get("CPT_SCREENSHOTS"):
        file.write_text(file.read_text().replace("height:900px", "height:3600px"))
        shot = Path(kept, f"{folder.name}-{width}-{scheme}.png")
        chromium(f"--screenshot={shot}", f"--window-size={max(width, 500)},3600", file.as_uri())
    return found


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("runs")
    for seed, reached in ((0, 74.0), (1, 76.0)):
        leave_run(folder / f"static-{seed}", seed=seed, fw_bits=(8,), reached=reached)
    leave_run(folder / "cyclic", reached=73.25)
    leave_run(folder / "low", fw_bits=(3,), reached=70.0)
    return html(make_report([folder], PROFILES["zc706"]), origin="2026-01-01, commit 0123456, cpt report out/train")


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here (apt-get install chromium)")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 390])
def test_the_report_fits_and_can_be_read(report: str, tmp_path: Path, width: int, scheme: str) -> None:
    found = look(report, tmp_path, width, scheme)
    assert found["width"] <= width
    assert found["out"] == []
    assert found["dim"] == []
    assert found["texts"] > 150
    assert found["marks"] > 100


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here (apt-get install chromium)")
def test_what_cannot_be_read_or_does_not_fit_is_noticed(tmp_path: Path) -> None:
    planted = page(
        "planted", [paragraph("words"), '<p style="color:#999">faint</p><div style="width:600px">wide</div>']
    )
    found = look(planted, tmp_path, 390, "light")
    assert found["width"] > 390
    assert [each.split()[0] for each in found["out"]] == ["DIV"]
    assert [each.split()[:2] for each in found["dim"]] == [["P", "faint"]]
    assert [each.split()[0] for each in look(planted, tmp_path, 390, "dark")["dim"]] == []
