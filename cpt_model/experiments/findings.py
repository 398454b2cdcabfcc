"""What an experiment found: mean and spread of every variant, and its difference to another, seed by seed."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from cpt_model.drawing.spread import Spread
from cpt_model.experiments.definition import Experiment, PlannedRun
from cpt_model.training.summary import Summary, read_summary


@dataclass(frozen=True)
class Row:
    """A variant's result; `relative_*` are per cent of the first variant's, None where there is no such number."""

    variant: str
    accuracy: Spread
    against: str | None
    difference: Spread | None
    gbitops: float
    relative_gbitops_pct: float | None
    board_hours: float | None
    relative_hours_pct: float | None
    minutes: float
    paper_accuracy: float | None
    paper_difference: float | None


@dataclass(frozen=True)
class Findings:
    """Of one experiment: the finished runs, a row for each variant that has one, and runs that are still missing."""

    experiment: Experiment
    finished: list[tuple[PlannedRun, Summary]]
    missing: list[PlannedRun]
    rows: list[Row]

    def accuracies(self, title: str) -> dict[int, float]:
        """Test accuracy after the last step by seed, in per cent."""
        return {
            run.seed: summary.test_accuracy
            for run, summary in self.finished
            if run.variant.title == title and summary.test_accuracy is not None
        }


def verdict(difference: Spread, margin: float) -> str:
    """What the 95 % interval of the mean of paired differences decides, losses below `margin` counting as none.

    >>> verdict(Spread.of([0.4, 0.6, 0.5]), 0.5), verdict(Spread.of([-0.1, 0.1, 0.0]), 0.5)
    ('better', 'as good')
    >>> verdict(Spread.of([-0.6, -0.5, -0.4]), 0.5), verdict(Spread.of([-1.0, 1.0]), 0.5)
    ('worse', 'undecided')
    """
    low, high = difference.interval() or (-math.inf, math.inf)
    if low > 0:
        return "better"
    if high < 0:
        return "worse"
    return "as good" if low > -margin else "undecided"


def gather(experiment: Experiment, runs: Sequence[PlannedRun]) -> Findings:
    """Reads the summaries of the runs that have ended."""
    found = [(run, read_summary(run.folder)) for run in runs]
    finished = [(run, summary) for run, summary in found if summary is not None]
    findings = Findings(experiment, finished, [run for run, summary in found if summary is None], [])
    rows = [_row(findings, title) for title in dict.fromkeys(run.variant.title for run in runs)]
    # Rows in the order of the definition, whatever the order of the runs.
    order = [variant.title for variant in experiment.variants]
    findings.rows.extend(sorted((row for row in rows if row), key=lambda row: order.index(row.variant)))
    return findings


def _row(findings: Findings, title: str) -> Row | None:
    accuracies = findings.accuracies(title)
    if not accuracies:
        return None
    variants = findings.experiment.variants
    variant = next(each for each in variants if each.title == title)
    baseline = variants[0]
    rival = findings.experiment.compared(variant)
    base = findings.accuracies(rival.title) if rival else {}
    paired = [value - base[seed] for seed, value in accuracies.items() if seed in base]
    cost = _summary(findings, title)
    of = _summary(findings, baseline.title)
    assert cost
    papers = None if rival is None or variant.paper is None or rival.paper is None else variant.paper - rival.paper
    return Row(
        variant=title,
        accuracy=Spread.of(list(accuracies.values())),
        against=variant.against,
        difference=Spread.of(paired) if paired else None,
        gbitops=cost.gbitops,
        relative_gbitops_pct=100 * cost.gbitops / of.gbitops if of else None,
        board_hours=cost.board_hours,
        relative_hours_pct=100 * cost.board_hours / of.board_hours
        if of and of.board_hours and cost.board_hours
        else None,
        minutes=statistics.fmean(each.seconds / 60 for run, each in findings.finished if run.variant.title == title),
        paper_accuracy=variant.paper,
        paper_difference=papers,
    )


def _summary(findings: Findings, title: str) -> Summary | None:
    return next((summary for run, summary in findings.finished if run.variant.title == title), None)
