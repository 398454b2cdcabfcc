"""From summaries of runs to a table: means, spreads and paired differences, and what is missing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cpt_model.experiments import ExperimentError, PlannedRun, experiment, planned_runs
from cpt_model.experiments.earlier import take_over
from cpt_model.experiments.findings import Findings, gather
from cpt_model.experiments.report import markdown, notes, render, verdicts, write_report, write_results
from cpt_model.training import Summary

COSTS = {"8/8": (1000.0, 4.0), "CPT 3-8/8": (633.3, 3.168), "float32": (16000.0, None)}


def finish(run: PlannedRun, accuracy: float) -> None:
    """Leaves the summary of a run that ended so."""
    gbitops, hours = COSTS[run.variant.title]
    run.folder.mkdir(parents=True)
    Summary(
        folder=str(run.folder),
        arch=run.settings.arch,
        dataset=run.settings.dataset,
        precision=run.variant.title,
        seed=run.seed,
        steps=run.steps,
        batch=run.settings.batch,
        epochs=6.0,
        test_accuracy=accuracy,
        best_accuracy=accuracy + 1,
        test_loss=1.0,
        test_perplexity=None,
        best_perplexity=None,
        swa_accuracy=None,
        swa_perplexity=None,
        eval_bits=(8, 8),
        gbitops=gbitops,
        board_hours=hours,
        latency="paper",
        saving_gbitops_pct=0.0,
        saving_hours_pct=None,
        seconds=120.0,
        threads=1,
        processes=1,
    ).write()


@pytest.fixture
def results(tmp_path: Path) -> Findings:
    """Three seeds of 8/8, two of CPT, one of float32: three runs are missing."""
    wanted = experiment("static-vs-cpt").only(list(COSTS))
    runs = planned_runs(wanted, [0, 1, 2], tmp_path / "runs")
    reached = {
        ("8/8", 0): 70.0,
        ("8/8", 1): 72.0,
        ("8/8", 2): 74.0,
        ("CPT 3-8/8", 0): 69.0,
        ("CPT 3-8/8", 2): 74.0,
        ("float32", 1): 75.0,
    }
    for run in runs:
        if (run.variant.title, run.seed) in reached:
            finish(run, reached[run.variant.title, run.seed])
    return gather(wanted, runs)


def test_means_spreads_and_differences_of_the_same_seeds(results: Findings) -> None:
    static, cyclic, plain = results.rows
    assert (static.accuracy.mean, static.accuracy.deviation, static.accuracy.n) == (72.0, 2.0, 3)
    assert static.difference is None
    assert cyclic.difference is not None
    assert cyclic.difference.mean == pytest.approx(-0.5)  # (69 - 70) and (74 - 74), not 71.5 - 72 by chance
    assert cyclic.difference.deviation == pytest.approx(0.5**0.5)
    assert cyclic.relative_gbitops_pct == pytest.approx(63.33)
    assert cyclic.relative_hours_pct == pytest.approx(79.2)
    assert cyclic.paper_difference == pytest.approx(0.66)
    assert (plain.accuracy.deviation, plain.board_hours, plain.paper_accuracy) == (None, None, None)


def test_the_table_says_mean_spread_and_number(results: Findings) -> None:
    head, static, cyclic, plain = (line.split("  ") for line in render(results).splitlines())
    assert head[0].startswith("variant")
    assert "72.00 ± 2.00" in [cell.strip() for cell in static]
    assert {"-0.50 ± 0.71", "63.3 %", "79.2 %", "93.23", "+0.66"} <= {cell.strip() for cell in cyclic}
    assert "75.00" in [cell.strip() for cell in plain]


def test_what_did_not_run_is_said(results: Findings) -> None:
    said = " ".join(notes(results))
    assert "Not run yet, and not in the table: CPT 3-8/8 seed 1, float32 seed 0, float32 seed 2." in said
    assert "steps of 64 images (6.0 epochs) without crops and flips, seeds 0, 1, 2" in said
    assert "64,000 iterations" in said
    assert "evaluated on the whole test set after the last step, at each schedule's highest bits." in said


def test_evaluation_in_float32_is_said(results: Findings) -> None:
    plain = [(run, summary.changed(eval_bits=(0, 8))) for run, summary in results.finished]
    assert "after the last step, in float32." in notes(replace(results, finished=plain))[0]


def test_a_part_of_the_data_is_said(tmp_path: Path) -> None:
    wanted = experiment("static-vs-cpt").changed({"limit": 1000})
    runs = planned_runs(wanted, [0], tmp_path)
    finish(runs[0], 50.0)
    assert any("Only 1000 training and all test images" in note for note in notes(gather(wanted, runs)))


def test_all_files_hold_the_same_numbers(results: Findings, tmp_path: Path) -> None:
    files = write_report(results, tmp_path / "out")
    assert [file.suffix for file in files] == [".json", ".md", ".png", ".html"]
    content = json.loads(files[0].read_text())
    assert content["rows"][0]["accuracy"] == {"mean": 72.0, "deviation": 2.0, "n": 3}
    assert len(content["runs"]) == 6
    assert str(tmp_path) not in files[0].read_text()  # it is committed: no folder of this machine
    assert "| 8/8 | 3 | 72.00 ± 2.00 | – |" in files[1].read_text()
    assert "| CPT 3-8/8 | 69.00 | – | 74.00 |" in files[1].read_text()
    assert files[2].read_bytes().startswith(b"\x89PNG")
    page = files[3].read_text()
    assert "72.00 ± 2.00" in page
    assert "src=" not in page.replace('src="data:image/png;base64,', "")  # nothing is loaded from elsewhere
    kept = write_results(results, tmp_path / "kept")
    assert [file.name for file in kept] == ["static-vs-cpt.json", "static-vs-cpt.md"]
    assert kept[1].read_text() == markdown(results)


def test_runs_that_ended_elsewhere_are_taken_over(results: Findings, tmp_path: Path) -> None:
    saved = write_results(results, tmp_path / "kept")[0]
    runs = planned_runs(results.experiment, [0, 1, 2], tmp_path / "other")
    assert take_over(saved, results.experiment, runs) == 6
    assert take_over(saved, results.experiment, runs) == 0
    assert markdown(gather(results.experiment, runs)) == markdown(results)
    with pytest.raises(ExperimentError, match=r"kept/static-vs-cpt\.json: runs with steps = 4680, these have 80$"):
        take_over(saved, results.experiment.changed({"steps": 80}), runs)
    with pytest.raises(ExperimentError, match="results of static-vs-cpt, not of evidence"):
        take_over(saved, experiment("evidence"), runs)
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(ExperimentError, match="not the results of an experiment, as --save writes them"):
        take_over(tmp_path / "list.json", results.experiment, runs)


def test_a_comparison_that_shall_decide_prints_its_verdict(results: Findings) -> None:
    assert verdicts(results) == []
    deciding = replace(results, experiment=replace(results.experiment, margin=0.5))
    assert verdicts(deciding) == [
        "CPT 3-8/8 compared with 8/8: -0.50 points, 95 % interval of the mean -6.85 to +5.85 (2 pairs, Student's t): "
        "undecided, where a loss below 0.5 points is as good."
    ]


def test_a_title_is_escaped_on_the_page(results: Findings, tmp_path: Path) -> None:
    odd = replace(results, experiment=replace(results.experiment, question="Is 3 < 8?"))
    assert "Is 3 &lt; 8?" in write_report(odd, tmp_path)[3].read_text()
