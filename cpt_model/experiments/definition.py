"""What an experiment is: variants of one training recipe, each run with the same seeds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cpt_model.training.settings import Settings

Changes = Mapping[str, Any]


class ExperimentError(ValueError):
    """An experiment that cannot be; the message says what and what is allowed."""


@dataclass(frozen=True)
class Variant:
    """One row of the result: what it changes in the recipe, and the accuracy a paper prints for it, if one does.

    A deficit's window is given as shares of the run (start, length), so that another length of run moves it along. The
    runs of an `extra` variant come after all others. `against` is the title of the variant whose accuracy it is
    compared with, by default the experiment's first.
    """

    title: str
    changes: Changes = field(default_factory=dict)
    paper: float | None = None
    deficit: tuple[float, float] | None = None
    extra: bool = False
    against: str | None = None

    @property
    def name(self) -> str:
        """Its part of a folder's name.

        >>> Variant("CPT 3-8/8").name
        'cpt-3-8-8'
        """
        return re.sub(r"[^a-z0-9.]+", "-", self.title.lower()).strip("-")


@dataclass(frozen=True)
class Experiment:
    """Definition as data.

    Args:
        name: on the command line.
        question: what the paper asks there, in a sentence.
        paper: where the papers' numbers come from, and at which scale.
        recipe: settings that all variants share.
        variants: the rows; costs are compared with those of the first, and accuracies too unless a row says otherwise.
        seeds: how many runs each variant has by default.
        margin: a loss of fewer points counts as equal, in a comparison that shall decide; None where none shall.
    """

    name: str
    question: str
    paper: str
    recipe: Changes
    variants: tuple[Variant, ...]
    seeds: int
    margin: float | None = None

    def compared(self, variant: Variant) -> Variant | None:
        """What its accuracy is compared with; None if that is itself, or not run."""
        wanted = variant.against or self.variants[0].title
        return next((each for each in self.variants if each.title == wanted and each is not variant), None)

    def only(self, titles: Sequence[str]) -> Experiment:
        """Some of its variants, in its own order."""
        known = [variant.title for variant in self.variants]
        if unknown := [title for title in titles if title not in known]:
            raise ExperimentError(f"{self.name} has no variant '{unknown[0]}'; there are: {', '.join(known)}")
        return replace(self, variants=tuple(variant for variant in self.variants if variant.title in titles))

    def changed(self, changes: Changes) -> Experiment:
        """The same comparison at another scale: steps, data set, network."""
        return replace(self, recipe={**self.recipe, **changes})


@dataclass(frozen=True)
class PlannedRun:
    """One training run of an experiment."""

    variant: Variant
    seed: int
    settings: Settings

    @property
    def folder(self) -> Path:
        return Path(self.settings.folder)

    @property
    def steps(self) -> int:
        assert self.settings.steps is not None
        return self.settings.steps


def planned_runs(experiment: Experiment, seeds: Sequence[int], out: Path) -> list[PlannedRun]:
    """Every run, one seed of all variants after the other: a stopped experiment has whole comparisons."""
    if not seeds or len(set(seeds)) < len(seeds):
        raise ExperimentError(f"seeds {list(seeds)}: give each once, and at least one")
    runs = [
        PlannedRun(variant, seed, settings(experiment, variant, seed, out / f"{variant.name}-seed{seed}"))
        for seed in seeds
        for variant in experiment.variants
    ]
    return sorted(runs, key=lambda run: run.variant.extra)


def settings(experiment: Experiment, variant: Variant, seed: int, folder: Path) -> Settings:
    """Of one run, checked; the data of all variants with one seed are the same."""
    values = {**experiment.recipe, **variant.changes, "seed": seed, "folder": str(folder)}
    if values.get("steps") is None:
        raise ExperimentError(f"{experiment.name}: its recipe does not say how many steps a run has")
    values.setdefault("eval_every", values["steps"])
    if variant.deficit is not None:
        start, length = (round(share * values["steps"]) for share in variant.deficit)
        values["deficit"] = (start, min(length, values["steps"] - start))
    return Settings.from_dict(values)
