"""Reads the folders of training runs: finished, running or killed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from cpt_model.training import run_folder
from cpt_model.training.latency import PAPER
from cpt_model.training.settings import STEPS, Settings
from cpt_model.training.summary import Summary, read_summary
from host.training import journal
from sim.common.json_file import parse_json, read_json

NEEDED = ("loss", "gbitops")  # numbers that every line of training has, besides its score
LARGEST = 1e300  # neither infinite nor beyond what can be drawn


class ReportError(ValueError):
    """Runs that cannot be reported; the message says which and why."""


class NoMetricsError(ReportError):
    """A run that has only just begun."""


@dataclass(frozen=True)
class TrainingRun:
    """One run as its folder shows it.

    Args:
        folder: of the run.
        settings: of the run.
        lines: metrics of training, in order of steps; at least one.
        evaluations: metrics of evaluations, in order of steps.
        summary: None before the run has ended.
        half_line: whether half a line at the end of the metrics was left out.
        board: the latency model, or the file of one, whose hours the run logged.
    """

    folder: Path
    settings: Settings
    lines: list[dict[str, Any]]
    evaluations: list[dict[str, Any]]
    summary: Summary | None
    half_line: bool
    board: str

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    @property
    def done(self) -> int:
        """Steps, as far as the metrics go."""
        return int(self.lines[-1]["step"])

    @cached_property
    def total(self) -> int:
        """Steps of the whole run."""
        if self.summary is not None:
            return self.summary.steps
        if self.settings.steps is not None:
            return self.settings.steps
        if self.settings.epochs is None:
            return STEPS
        last = self.lines[-1]
        return max(self.done, round(self.settings.epochs * last["step"] / last["epoch"]))

    @property
    def score(self) -> str:
        """What the network is judged by: "accuracy" in per cent, or "perplexity"."""
        return "perplexity" if self.settings.is_text else "accuracy"

    @property
    def part(self) -> str:
        """The data that is evaluated on the way: "test", or "valid" for texts."""
        return "valid" if self.settings.is_text else "test"

    @property
    def reached(self) -> float | None:
        """The score on the test set at the end, or of the last evaluation so far."""
        if self.summary is not None:
            return getattr(self.summary, f"test_{self.score}")
        return self.evaluations[-1][f"{self.part}_{self.score}"] if self.evaluations else None

    @property
    def best(self) -> float | None:
        found = [line[f"{self.part}_{self.score}"] for line in self.evaluations]
        return (max if self.score == "accuracy" else min)(found) if found else None


def read_runs(folders: Sequence[Path]) -> tuple[list[TrainingRun], list[str]]:
    """The runs in these folders, or one level below, each once; and what a reader should know of them.

    A folder that is named must hold metrics; of those found below one, such as have none yet are left out and named.
    """
    if not folders:
        raise ReportError("give at least one folder of a run")
    found: dict[Path, TrainingRun] = {}
    notes = []
    for folder in folders:
        below = _runs_below(folder)
        for each in below or [folder]:
            try:
                found.setdefault(each.resolve(), read_run(each))
            except NoMetricsError:
                if not below:
                    raise
                notes.append(f"{each.name} has no metrics yet and is left out.")
    if not found:
        raise ReportError(f"no run in {', '.join(map(str, folders))} has metrics yet")
    runs = list(found.values())
    return runs, notes + _notes(runs)


def read_run(folder: Path) -> TrainingRun:
    """One run; a folder that is none, or holds damaged files, is refused."""
    file = folder / journal.FILE
    settings, board = _settings(folder)
    if not file.exists():
        raise NoMetricsError(f"{folder}: the run has no metrics yet (no {journal.FILE})")
    *whole, rest = file.read_text(encoding="utf-8", errors="replace").split("\n")
    score = "perplexity" if settings.is_text else "accuracy"
    lines: list[dict[str, Any]] = []
    evaluations: list[dict[str, Any]] = []
    part = "valid" if settings.is_text else "test"
    for number, text in enumerate(whole, start=1):
        try:
            line = _line(text)
            evaluated = journal.EVALUATION in line
            _check(line, (f"{part}_{score}",) if evaluated else (*NEEDED, score))
        except ValueError as problem:
            raise ReportError(f"{file}, line {number} is damaged: {problem}; remove the line to go on") from problem
        (evaluations if evaluated else lines).append(line)
    if not lines:
        raise NoMetricsError(f"{folder}: the run has no metrics yet ({journal.FILE} has no whole line of training)")
    summary = read_summary(folder)
    return TrainingRun(folder, settings, lines, evaluations, summary, bool(rest), board)


def _settings(folder: Path) -> tuple[Settings, str]:
    """Of a run, and the board whose hours it logged: a profile's file may be gone, and is not needed here."""
    file = folder / run_folder.SETTINGS
    values = read_json(file, ReportError)
    if not isinstance(values, dict) or not isinstance(board := values.get("latency", PAPER), str):
        raise ReportError(f"{file} is not the settings of a run")
    return Settings.saved(values | {"latency": PAPER}, file), board


def _runs_below(folder: Path) -> list[Path]:
    """Runs in a folder that is none itself; empty if it is one."""
    if not folder.exists():
        raise ReportError(f"{folder}: there is no such folder")
    if not folder.is_dir():
        raise ReportError(f"{folder} is a file; give the folder of a run")
    if (folder / run_folder.SETTINGS).exists():
        return []
    below = sorted(each.parent for each in folder.glob(f"*/{run_folder.SETTINGS}"))
    if not below:
        raise ReportError(
            f"{folder} is not a run of cpt train: {run_folder.SETTINGS} is neither there nor one folder below"
        )
    return below


def _line(text: str) -> dict[str, Any]:
    found = parse_json(text)
    if not isinstance(found, dict):
        raise ValueError("it is no object of metrics")
    return found


def _check(line: dict[str, Any], needed: Iterable[str]) -> None:
    if not isinstance(line.get("step"), int) or line["step"] < 1:
        raise ValueError("'step' is no whole number of 1 or more")
    for name in dict.fromkeys((*needed, *line)):
        value = line.get(name)
        if value is None and name not in needed:
            continue
        whole = name == "step" or name.endswith("_bits")
        number = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
        if not number or not 0 <= value <= LARGEST:  # type: ignore[operator]
            raise ValueError(f"'{name}' is missing or no number")


def _notes(runs: Sequence[TrainingRun]) -> list[str]:
    notes = []
    half = [run.name for run in runs if run.half_line]
    if half:
        notes.append(
            "The last line of metrics is half-written and left out, because the run was killed or is still running: "
            f"{', '.join(half)}."
        )
    open_ends = [f"{run.name} ({run.done:,} of {run.total:,} steps)" for run in runs if run.summary is None]
    if open_ends:
        notes.append(f"Not finished yet; costs are those up to here: {', '.join(open_ends)}.")
    return notes
