"""A report on training runs: everything its page and its JSON show, read and computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cpt_model.cost.accelerator import Profile
from cpt_model.cost.run import MATRIX_PASSES, WHOLE_STEPS
from cpt_model.reports.costs import RunCost, run_cost
from cpt_model.reports.groups import Group, groups
from cpt_model.reports.networks import Network, networks
from cpt_model.reports.runs import TrainingRun, read_runs


@dataclass(frozen=True)
class Report:
    """Runs, what they cost, and their networks on the core.

    Args:
        profile: of the core that all estimates are for.
        groups: the runs, those that differ by their seed together.
        costs: of every run, by its folder.
        networks: that the runs train.
        notes: what a reader should know of these runs.
    """

    profile: Profile
    groups: list[Group]
    costs: dict[Path, RunCost]
    networks: list[Network]
    notes: list[str]

    @property
    def runs(self) -> list[TrainingRun]:
        return [run for group in self.groups for run in group.runs]

    def cost(self, run: TrainingRun) -> RunCost:
        return self.costs[run.folder]

    @property
    def estimate(self) -> str:
        """What every estimated number is, in a sentence."""
        profile, build = self.profile, self.profile.build
        return (
            f"Time on the board, latencies and roofline are estimates, by the latency model of our core with the "
            f"profile {profile.name} ({build.lanes} lanes, {build.columns} columns, {profile.clock_mhz:g} MHz, "
            f"{profile.gigabytes_per_second:g} GB/s): nothing was measured on a board. Runs with exact results store "
            f"all bits of their sums, others {profile.results}. {self.hours_of}"
        )

    @property
    def hours_of(self) -> str:
        """What the time on the board is of, in a sentence."""
        found = {cost.hours_of for cost in self.costs.values()} - {None}
        if found == {WHOLE_STEPS}:
            return "It is of whole training steps, without the host's own share."
        passes = "of the matrix passes of quantised layers: float layers and batch normalisations take no time there."
        if WHOLE_STEPS not in found:
            return f"It is {passes}"
        others = sorted({run.name for run in self.runs if self.cost(run).hours_of == MATRIX_PASSES})
        return f"It is of whole training steps, without the host's own share; but for {', '.join(others)} {passes}"


def make_report(folders: Sequence[Path], profile: Profile) -> Report:
    """Reads the runs and computes all there is to show; what cannot be reported is refused."""
    runs, notes = read_runs(folders)
    costs = {run.folder: run_cost(run, profile) for run in runs}
    found = groups(runs)
    without = {cost.refused: run for run, cost in ((run, costs[run.folder]) for run in runs) if cost.refused}
    notes += [
        f"No time on the board for {run.settings.arch} ({_group(found, run)}): {why}." for why, run in without.items()
    ]
    differing = [run.name for run in runs if costs[run.folder].differs]
    if differing:
        notes.append(
            f"The bit operations these runs logged are not those of the network by its name, as with other numbers of "
            f"classes or words; the time on the board is for the latter: {', '.join(differing)}."
        )
    return Report(profile, found, costs, networks(runs, [costs[run.folder] for run in runs], profile), notes)


def _group(found: Sequence[Group], run: TrainingRun) -> str:
    return next(group.name for group in found if run in group.runs)
