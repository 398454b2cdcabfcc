"""The tables of a report, as text: groups, runs, a network's iterations, layers and roofline."""

from __future__ import annotations

from cpt_model.cost.roofline import compute_roof
from cpt_model.cost.step_parts import sums
from cpt_model.drawing.spread import NONE, Spread, spread
from cpt_model.reports.groups import Group
from cpt_model.reports.networks import Network
from cpt_model.reports.report import Report
from cpt_model.reports.runs import TrainingRun
from cpt_model.reports.units import board_time
from host.compiler.layer import Pass
from host.measure.step_time import Work

Table = tuple[list[str], list[list[str]]]


def headline(report: Report) -> Table:
    """A row for each group of seeds."""
    time = f"board {board_time(report).name}, estimate ({report.profile.name})"
    head = ["precision", "n", _score_title(report), "steps", "GBitOPs", "saved", time, "saved"]
    return head, [_group_row(report, group) for group in report.groups]


def _group_row(report: Report, group: Group) -> list[str]:
    reached = [run.reached for run in group.runs if run.reached is not None]
    cost = report.cost(group.longest)
    return [
        group.name,
        str(len(group.runs)),
        spread(Spread.of(reached)) if reached else NONE,
        _steps(group.longest),
        f"{cost.gbitops:,.0f}",
        _per_cent(cost.saving_gbitops_pct if cost.highest.forward else None),
        _number(board_time(report).of(cost.hours[-1]) if cost.hours else None),
        _per_cent(cost.saving_hours_pct),
    ]


def every_run(report: Report) -> Table:
    """A row for each run, with what it logged itself."""
    head = ["run", "precision", "seed", "steps", "loss", _score_title(report), "best", "GBitOPs", "saved"]
    head += [f"board {board_time(report).name} ({report.profile.name})", "saved", "board hours logged", "minutes here"]
    return head, [_run_row(report, group, run) for group in report.groups for run in group.runs]


def _run_row(report: Report, group: Group, run: TrainingRun) -> list[str]:
    cost, last = report.cost(run), run.lines[-1]
    logged, seconds = last.get("board_hours"), last.get("seconds")
    return [
        run.name,
        group.name,
        str(run.settings.seed),
        _steps(run),
        f"{last['loss']:.3f}",
        *(NONE if value is None else f"{value:.2f}" for value in (run.reached, run.best)),
        f"{cost.gbitops:,.0f}",
        _per_cent(cost.saving_gbitops_pct if cost.highest.forward else None),
        _number(board_time(report).of(cost.hours[-1]) if cost.hours else None),
        _per_cent(cost.saving_hours_pct),
        NONE if logged is None else f"{_number(logged)} ({run.board})",
        NONE if seconds is None else f"{seconds / 60:.1f}",
    ]


def iterations(network: Network, clock_mhz: float) -> Table:
    """One iteration at each precision: all layers, by pass, and which share of the time each stream rules."""
    head = ["bits", "ms an iteration", "of the highest", *(f"{_words(which)} (ms)" for which in Pass)]
    head += ["compute-bound", "load-bound", "store-bound"]
    highest = sum(each.time.cycles for each in list(network.passes.values())[-1])
    rows = []
    for bits, passes in network.passes.items():
        cycles: dict[Pass | str, float] = {}
        for each in passes:
            for key in (each.which, each.time.bottleneck):
                cycles[key] = cycles.get(key, 0.0) + each.time.cycles
        total = sum(each.time.cycles for each in passes)
        row = [str(bits), f"{total / clock_mhz / 1e3:.3f}", f"{100 * total / highest:.1f} %"]
        row += [f"{cycles.get(which, 0.0) / clock_mhz / 1e3:.3f}" for which in Pass]
        rows.append([*row, *(f"{100 * cycles.get(key, 0.0) / total:.0f} %" for key in ("compute", "load", "store"))])
    return head, rows


def steps(network: Network, clock_mhz: float) -> Table:
    """One whole iteration at each precision, by kind of work."""
    totals = {bits: sums(times) for bits, times in network.steps.items()}
    highest = sum(list(totals.values())[-1].values())
    head = ["bits", "ms an iteration", "of the highest", *(f"{work.value} (ms)" for work in Work)]
    rows = []
    for bits, cycles in totals.items():
        total = sum(cycles.values())
        each = (f"{cycles[work] / clock_mhz / 1e3:.3f}" for work in Work)
        rows.append([str(bits), f"{total / clock_mhz / 1e3:.3f}", f"{100 * total / highest:.1f} %", *each])
    return head, rows


def layers(network: Network, clock_mhz: float) -> Table:
    """Every pass of every layer at the lowest and the highest precision."""
    head = ["layer", "pass"]
    for bits in network.ends:
        head += [f"cycles at {bits}", "µs", "bound by"]
    rows = []
    for same in zip(*(network.passes[bits] for bits in network.ends), strict=True):
        row = [same[0].layer, _words(same[0].which)]
        for each in same:
            row += [f"{each.time.cycles:,.0f}", f"{each.time.cycles / clock_mhz:,.1f}", each.time.bottleneck]
        rows.append(row)
    return head, rows


def roofline(network: Network, report: Report) -> Table:
    """The dots of the plot."""
    head = ["layer and pass", "bits", "binary MACs a byte", "binary MACs a cycle", "of the array's roof", "bound by"]
    roof = compute_roof(report.profile)
    rows = []
    for point in network.points(report.profile):
        numbers = (f"{point.intensity:,.0f}", f"{point.rate:,.0f}", f"{100 * point.rate / roof:.1f} %")
        rows.append([point.label, str(point.bits), *numbers, point.bottleneck])
    return head, rows


def _score_title(report: Report) -> str:
    kinds = {run.score for run in report.runs}
    if len(kinds) > 1:
        return "test score"
    return "test accuracy (%)" if kinds == {"accuracy"} else "test perplexity"


def _steps(run: TrainingRun) -> str:
    return f"{run.done:,}" if run.done == run.total else f"{run.done:,} of {run.total:,}"


def _words(which: Pass) -> str:
    return which.value.replace("-", " ")


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:#.3g}"


def _per_cent(value: float | None) -> str:
    return NONE if value is None else f"{value:.1f} %"
