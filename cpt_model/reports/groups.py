"""Runs that differ in nothing but their seed, under one name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cpt_model.reports.runs import TrainingRun
from cpt_model.training.precision_plan import precision_name

OWN = {"seed"}


@dataclass(frozen=True)
class Group:
    """Runs over several seeds; the first stands for all where all are the same, as in their schedule."""

    name: str
    runs: list[TrainingRun]

    @property
    def first(self) -> TrainingRun:
        return self.runs[0]

    @property
    def longest(self) -> TrainingRun:
        """The one that has come furthest."""
        return max(self.runs, key=lambda run: run.done)


def groups(runs: Sequence[TrainingRun]) -> list[Group]:
    """In order of appearance, each with a name of its own: its precision, and what else sets it apart.

    A seed counts once: the same run on another device is a group by itself, with the name of its folder.
    """
    found: list[list[TrainingRun]] = []
    for run in runs:
        for others in found:
            alike = set(others[0].settings.differences(run.settings)) <= OWN
            if alike and run.settings.seed not in {each.settings.seed for each in others}:
                others.append(run)
                break
        else:
            found.append([run])
    names = [_name(members[0], [each[0] for each in found]) for members in found]
    apart = [
        f"{name} ({members[0].name})" if names.index(name) < place else name
        for place, (name, members) in enumerate(zip(names, found, strict=True))
    ]
    return [Group(name, members) for name, members in zip(apart, found, strict=True)]


def _name(run: TrainingRun, firsts: Sequence[TrainingRun]) -> str:
    name = precision_name(run.settings)
    if len({each.settings.arch for each in firsts}) > 1:
        name = f"{run.settings.arch} {name}"
    rivals = [each for each in firsts if each.settings.arch == run.settings.arch]
    rivals = [each for each in rivals if precision_name(each.settings) == precision_name(run.settings)]
    apart = {other for each in rivals for other in run.settings.differences(each.settings)} - OWN
    return ", ".join([name, *(_setting(each, getattr(run.settings, each)) for each in sorted(apart))])


def _setting(name: str, value: object) -> str:
    """A setting in words.

    >>> _setting("augment", False), _setting("weight_decay", 0.0001)
    ('no augment', 'weight decay 0.0001')
    """
    words = name.replace("_", " ")
    if isinstance(value, bool):
        return words if value else f"no {words}"
    return f"{words} {value}"
