"""The report of an experiment: JSON, Markdown, a picture and one page that needs no other file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from cpt_model.drawing.html import page, paragraph, picture, table
from cpt_model.drawing.spread import NONE, spread
from cpt_model.experiments.findings import Findings, Row, verdict
from cpt_model.experiments.plot import plot
from sim.common.files import write_atomically
from sim.common.table import as_table

HEAD = ("variant", "n", "test accuracy (%)", "difference", "GBitOPs", "of {first}", "board hours", "of {first}")
PAPER_HEAD = ("paper (%)", "difference there")


def cells(row: Row, paper: bool) -> list[str]:
    """A row as text."""
    relative = [
        NONE if value is None else f"{value:.1f} %" for value in (row.relative_gbitops_pct, row.relative_hours_pct)
    ]
    hours = NONE if row.board_hours is None else f"{row.board_hours:#.3g}"
    difference = spread(row.difference, "+") + (f" ({row.against})" if row.against and row.difference else "")
    found = [row.variant, str(row.accuracy.n), spread(row.accuracy), difference]
    found += [f"{row.gbitops:,.0f}", relative[0], hours, relative[1]]
    if paper:
        found.append(NONE if row.paper_accuracy is None else f"{row.paper_accuracy:.2f}")
        found.append(NONE if row.paper_difference is None else f"{row.paper_difference:+.2f}")
    return found


def table_of(findings: Findings) -> tuple[list[str], list[list[str]]]:
    """Head and rows; the papers' columns only where a paper has numbers."""
    paper = any(row.paper_accuracy is not None for row in findings.rows)
    first = findings.experiment.variants[0].title
    head = [name.format(first=first) for name in (*HEAD, *(PAPER_HEAD if paper else ()))]
    return head, [cells(row, paper) for row in findings.rows]


def render(findings: Findings) -> str:
    """The table for a terminal."""
    return as_table(*table_of(findings))


def scale(findings: Findings) -> str:
    """At which scale the experiment ran, in a sentence."""
    if not findings.finished:
        return "No run has finished yet."
    kinds = {
        f"{each.arch} on {each.dataset}, {each.steps:,} steps of {each.batch} images ({each.epochs:.1f} epochs)"
        f"{'' if run.settings.augment else ' without crops and flips'}"
        for run, each in findings.finished
    }
    seeds = sorted({run.seed for run, _ in findings.finished})
    whole = "" if any(run.settings.test_limit for run, _ in findings.finished) else "whole "
    quantised = any(each.eval_bits[0] for _, each in findings.finished)
    bits = "at each schedule's highest bits" if quantised else "in float32"
    return (
        f"Ours: {'; '.join(sorted(kinds))}, seeds {', '.join(map(str, seeds))}, "
        f"evaluated on the {whole}test set after the last step, {bits}."
    )


def notes(findings: Findings) -> list[str]:
    """What a reader must know to read the table."""
    first = findings.experiment.variants[0].title
    other = any(variant.against for variant in findings.experiment.variants)
    base = "the row named in brackets" if other else first
    found = [scale(findings)]
    if findings.experiment.paper:
        found.append(f"Paper: {findings.experiment.paper}. The scales differ: compare differences, not accuracies.")
    found += [
        f"± is the standard deviation over n seeds; 'difference' is to {base}, seed by seed (same data order, same "
        "initial weights). With so few seeds a difference within twice its spread says little.",
        "GBitOPs are counted as the papers do; board hours follow the law fitted to the CPT paper's board and are no "
        "measurement of ours.",
    ]
    found += verdicts(findings)
    limited = [run for run, _ in findings.finished if run.settings.limit or run.settings.test_limit]
    if limited:
        one = limited[0].settings
        found.append(f"Only {one.limit or 'all'} training and {one.test_limit or 'all'} test images were used.")
    if findings.missing:
        names = ", ".join(f"{run.variant.title} seed {run.seed}" for run in findings.missing)
        found.append(f"Not run yet, and not in the table: {names}.")
    return found


def verdicts(findings: Findings) -> list[str]:
    """What a comparison that shall decide has decided, a sentence for each row with several pairs."""
    margin, found = findings.experiment.margin, []
    for row in findings.rows:
        interval = row.difference.interval() if row.difference else None
        if margin is not None and row.difference and interval:
            base = row.against or findings.experiment.variants[0].title
            found.append(
                f"{row.variant} compared with {base}: {row.difference.mean:+.2f} points, 95 % interval of the mean "
                f"{interval[0]:+.2f} to {interval[1]:+.2f} ({row.difference.n} pairs, Student's t): "
                f"{verdict(row.difference, margin)}, where a loss below {margin:g} points is as good."
            )
    return found


def seed_rows(findings: Findings) -> tuple[list[str], list[list[str]]]:
    """Every single run's accuracy."""
    seeds = sorted({run.seed for run, _ in findings.finished})
    rows = []
    for row in findings.rows:
        found = findings.accuracies(row.variant)
        rows.append([row.variant, *(f"{found[seed]:.2f}" if seed in found else NONE for seed in seeds)])
    return ["variant", *(f"seed {seed}" for seed in seeds)], rows


def markdown(findings: Findings) -> str:
    """The table and its notes, as committed with the code."""
    lines = [f"# {findings.experiment.name}", "", findings.experiment.question, ""]
    for head, rows in (table_of(findings), seed_rows(findings)):
        lines += [_bar(head), _bar(["---"] * len(head)), *map(_bar, rows), ""]
    lines += [f"- {note}" for note in notes(findings)]
    seeds = max((len(findings.accuracies(row.variant)) for row in findings.rows), default=0)
    lines += ["", f"Made by `cpt experiment {findings.experiment.name} --seeds {seeds}`."]
    return "\n".join(lines) + "\n"


def _bar(row: Sequence[str]) -> str:
    return f"| {' | '.join(row)} |"


def as_json(findings: Findings) -> str:
    experiment = findings.experiment
    content = {
        "experiment": experiment.name,
        "question": experiment.question,
        "paper": experiment.paper,
        "recipe": dict(experiment.recipe),
        "notes": notes(findings),
        "rows": [asdict(row) for row in findings.rows],
        "runs": [
            {
                "variant": run.variant.title,
                "seed": run.seed,
                **{key: value for key, value in dict(summary).items() if key != "folder"},
            }
            for run, summary in findings.finished
        ],
        "missing": [{"variant": run.variant.title, "seed": run.seed} for run in findings.missing],
    }
    return json.dumps(content, indent=2) + "\n"


def write_report(findings: Findings, out: Path) -> list[Path]:
    """All four files, into a folder that is made if need be."""
    out.mkdir(parents=True, exist_ok=True)
    files = [out / f"report.{kind}" for kind in ("json", "md", "png", "html")]
    write_atomically(files[0], as_json(findings))
    write_atomically(files[1], markdown(findings))
    plot(findings, files[2])
    write_atomically(files[3], html(findings, files[2]))
    return files


def html(findings: Findings, image: Path) -> str:
    experiment = findings.experiment
    return page(
        f"{experiment.name}: {experiment.question}",
        [
            table(*table_of(findings)),
            picture(image, f"accuracy of each variant, and over bit operations: {experiment.name}"),
            *(paragraph(note) for note in notes(findings)),
            table(*seed_rows(findings), title="Test accuracy of every run (%)"),
        ],
    )


def write_results(findings: Findings, folder: Path) -> list[Path]:
    """The small files that are committed: table as Markdown, everything as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{findings.experiment.name}.{kind}" for kind in ("json", "md")]
    write_atomically(files[0], as_json(findings))
    write_atomically(files[1], markdown(findings))
    return files
