"""The page and its JSON: what they hold for runs of every kind, and that they need nothing from elsewhere."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from cpt_model.cost.accelerator import PROFILES
from cpt_model.reports.page import as_json, html
from cpt_model.reports.report import Report, make_report
from cpt_model.training import train
from tests.cpt_model.reports.report_tools import leave_run
from tests.cpt_model.training.run_tools import tiny

ZC706 = PROFILES["zc706"]
WHOLE_PAGE = 10  # reached, schedules, score, loss, operations, hours, work, whole steps, latency bars, roofline


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    tmp_path = tmp_path_factory.mktemp("runs")
    for seed, reached in ((0, 74.0), (1, 76.0)):
        leave_run(tmp_path / f"static-{seed}", seed=seed, fw_bits=(8,), reached=reached)
    leave_run(tmp_path / "cyclic", reached=73.25)
    return make_report([tmp_path], ZC706)


@pytest.fixture(scope="module")
def text(report: Report) -> str:
    return html(report)


class Page(HTMLParser):
    """Cells of its tables, sources of its pictures, and whether every tag is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.charts: list[dict[str, Any]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert tag != "img"
        if tag == "figure":
            self.charts.append(json.loads(dict(attrs)["data-chart"]))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.cells.append(data)


def test_the_page_has_every_plot_and_the_numbers_in_tables(report: Report, text: str) -> None:
    page = Page(text)
    assert len(page.charts) == WHOLE_PAGE
    reached = page.charts[0]["series"]
    assert {one["name"]: [point[1] for point in one["points"]] for one in reached} == {
        "3-8/8 cpt x2": [73.25],
        "8/8": [74.0, 76.0],
    }
    assert {one["name"]: one["colour"] for one in reached} == {"3-8/8 cpt x2": "cycle", "8/8": "b8"}
    assert "static-0: 74.00 after 40 steps" in reached[1]["points"][0][2]
    latency, roofline = page.charts[-2:]
    assert [frame["name"] for frame in latency["frames"]] == [f"{bits}/8 bits" for bits in range(3, 9)]
    work = page.charts[-4]["series"]
    assert [one["colour"] for one in work] == ["b3", "b8"]
    assert all(low[1] <= high[1] for low, high in zip(work[0]["points"], work[1]["points"], strict=True))
    assert len(roofline["frames"][0]["series"][1]["points"]) == 26
    assert "3-8/8 cpt x2 reached 73.25 % with" in text
    assert "8/8 reached 75.00 % (mean of 2 seeds);" in text or "8/8 reached 75.00 % (mean of 2 seeds)." in text
    assert "75.00 ± 1.41" in page.cells  # both seeds
    assert "73.25" in page.cells
    cost = report.cost(report.groups[0].first)  # 'cyclic' comes first by name
    assert f"{cost.saving_gbitops_pct:.1f} %" in page.cells
    assert f"{cost.saving_hours_pct:.1f} %" in page.cells
    assert "layer3.0.shortcut.0" in page.cells
    assert "layer1.0.conv1 weight-gradient" in page.cells  # a dot of the roofline
    assert "estimate (zc706)" in text
    assert "nothing was measured on a board" in text


def test_the_page_loads_nothing(text: str) -> None:
    outside = [found for found in re.findall(r'(?:src|href)="([^"]*)"|url\(([^)]*)\)', text) if "data:" not in found[0]]
    assert outside == []
    assert re.findall(r"<script[^>]*>", text) == ["<script>"]
    assert "fetch(" not in text


def test_the_same_runs_give_the_same_page(report: Report, text: str) -> None:
    assert html(report) == text


def test_json_has_what_the_page_shows(report: Report) -> None:
    found = json.loads(json.dumps(as_json(report), allow_nan=False))
    assert found["profile"]["name"] == "zc706"
    assert [(group["name"], len(group["runs"])) for group in found["groups"]] == [("3-8/8 cpt x2", 1), ("8/8", 2)]
    cyclic, static, _ = found["runs"]
    assert cyclic["test_accuracy"] == 73.25
    assert cyclic["schedule"][0] == [0, 3, 8]
    assert cyclic["curves"]["step"] == list(range(4, 41, 4))
    assert cyclic["curves"]["estimated_hours"][-1] == cyclic["estimated_hours"] < static["estimated_hours"]
    assert cyclic["saving_hours_pct"] == pytest.approx(
        100 * (1 - cyclic["estimated_hours"] / static["estimated_hours"]), abs=1e-3
    )
    (network,) = found["networks"]
    assert list(network["iteration_seconds"]) == ["3/8", "4/8", "5/8", "6/8", "7/8", "8/8"]
    at_8 = [each for each in network["passes"] if each["fw_bits"] == 8]
    assert len(at_8) == 26
    seconds = sum(each["cycles"] for each in at_8) / (ZC706.clock_mhz * 1e6)
    assert network["iteration_seconds"]["8/8"] == pytest.approx(seconds)
    whole = sum(network["whole_step_seconds"]["8/8"].values())
    assert whole > seconds
    assert static["estimated_hours"] == pytest.approx(40 * whole / 3600, rel=0.01)  # and starts of lists


def test_a_network_the_core_cannot_run_is_said_in_place_of_bars(tmp_path: Path) -> None:
    leave_run(tmp_path / "run", fw_bits=(16,), bw_bits=(16,))
    report = make_report([tmp_path], ZC706)
    text = html(report)
    assert "The core cannot run this network: layer &#x27;conv1&#x27;, weight-gradient pass" in text
    assert len(Page(text).charts) == WHOLE_PAGE - 5  # nor hours
    (network,) = as_json(report)["networks"]
    assert network["passes"] == []
    assert "can exceed the accumulator" in network["refused"]


def test_float32_text_and_runs_under_way_stand_on_one_page(tmp_path: Path) -> None:
    leave_run(tmp_path / "float", fw_bits=(0,))
    leave_run(tmp_path / "<b>half&", done=20)
    leave_run(tmp_path / "text", arch="lstm_lm_small", dataset="ptb", fw_bits=(5, 8), reached=120.0)
    report = make_report([tmp_path], ZC706)
    text = html(report)
    assert "<b>" not in text  # a name from outside
    assert "&lt;b&gt;half&amp;" in text
    page = Page(text)
    assert len(page.charts) == WHOLE_PAGE + 5  # perplexity has three charts of its own, each network two
    assert "20 of 40" in page.cells
    runs = {run["name"]: run for run in as_json(report)["runs"]}
    assert runs["text"]["test_perplexity"] == 120.0
    assert runs["float"]["estimated_hours"] is None
    assert runs["<b>half&"]["test_accuracy"] is None
    assert not runs["<b>half&"]["finished"]


def test_a_real_run_is_reported(tmp_path: Path) -> None:
    summary = train(tiny(tmp_path / "run"))
    report = make_report([tmp_path / "run"], ZC706)
    (found,) = as_json(report)["runs"]
    assert found["test_accuracy"] == summary.test_accuracy
    assert found["gbitops"] == pytest.approx(summary.gbitops)
    assert found["saving_gbitops_pct"] == pytest.approx(summary.saving_gbitops_pct, abs=1e-5)
    assert found["logged_hours"] == summary.board_hours
    assert not report.cost(report.runs[0]).differs
    assert len(Page(html(report)).charts) == WHOLE_PAGE
