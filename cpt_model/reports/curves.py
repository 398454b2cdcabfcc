"""Plots of runs over their steps and over their cost; a colour for each group of seeds, the same on every plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from cpt_model.drawing.spread import Spread
from cpt_model.drawing.style import WIDTH, as_svg, colour, logarithmic, smooth, thousands, tidy
from cpt_model.reports import units
from cpt_model.reports.legend import below
from cpt_model.reports.report import Report
from cpt_model.reports.runs import TrainingRun

GREY = "#777777"
DEAR = 4  # times the dearest other: float32 is left out where it would squeeze all others together
LABELS = {"accuracy": "accuracy (%)", "perplexity": "perplexity"}


def schedules(report: Report) -> bytes:
    """A row for each group: forward bits as a line, backward bits dashed."""
    figure = Figure(figsize=(WIDTH, 1.2 * len(report.groups) + 0.8), layout="constrained")
    panels = figure.subplots(len(report.groups), 1, sharex=True, squeeze=False)[:, 0]
    highest = max(max(each.bits) for cost in report.costs.values() for each in cost.schedule)
    for number, (group, panel) in enumerate(zip(report.groups, panels, strict=True)):
        changes = report.cost(group.first).schedule
        ends = [each.step for each in changes] + [group.first.total]
        looks = {"forward": {"color": colour(number), "linewidth": 1.8}, "backward": {"color": GREY, "linestyle": "--"}}
        for which, look in looks.items():
            values = [getattr(each.bits, which) or float("nan") for each in changes]  # float32 has no line
            panel.step(ends, [*values, values[-1]], where="post", **look)
        ticks = range(0, highest + 1, 2 if highest <= 8 else 4)
        panel.set(ylim=(0, max(highest, 1) * 1.12), ylabel="bits", yticks=ticks)
        panel.set_title(group.name, fontsize=10, loc="left")
        if not all(each.bits.forward for each in changes):
            text = "no line: float32"
            panel.text(0.99, 0.06, text, transform=panel.transAxes, ha="right", color=GREY, fontsize=9)
    panels[-1].set_xlabel("step (line: weights and activations; dashed: errors)")
    thousands(panels[-1].xaxis)
    tidy(*panels)
    return as_svg(figure)


def learning(report: Report, score: str) -> bytes:
    """Loss and score over the steps: training as a line, evaluations as dots."""
    figure = Figure(figsize=(WIDTH, 4.4), layout="constrained")
    loss, judged = figure.subplots(1, 2)
    for number, run in _numbered(report, score):
        steps = [line["step"] for line in run.lines]
        for panel, name in ((loss, "loss"), (judged, score)):
            _line(panel, steps, smooth([line[name] for line in run.lines]), number)
            tested = [line for line in run.evaluations if f"{run.part}_{name}" in line]
            _dots(panel, [line["step"] for line in tested], [line[f"{run.part}_{name}"] for line in tested], number)
    loss.set(title="Loss", xlabel="step", ylabel="loss")
    judged.set(title=score.capitalize(), xlabel="step", ylabel=LABELS[score])
    for panel in (loss, judged):
        thousands(panel.xaxis)
    _by_score(score, judged)
    tidy(loss, judged)
    below(figure, report, score)
    return as_svg(figure)


def spending(report: Report) -> bytes:
    """Bit operations and time on the board over the steps, compared with static precision at the highest bits."""
    figure = Figure(figsize=(WIDTH, 4.4), layout="constrained")
    operations, hours = figure.subplots(1, 2)
    counted, timed = units.operations(report), units.board_time(report)
    static: list[tuple[Any, int, float]] = []
    for number, group in enumerate(report.groups):
        run = group.longest
        cost, steps = report.cost(run), [0, *(line["step"] for line in run.lines)]
        if not _too_dear(report, run):
            _line(operations, steps, [0.0, *(counted.of(line["gbitops"]) for line in run.lines)], number)
            static.append((operations, run.done, counted.of(cost.static_gbitops)))
        if cost.hours is not None and cost.static_hours is not None:
            _line(hours, steps, [0.0, *map(timed.of, cost.hours)], number)
            static.append((hours, run.done, timed.of(cost.static_hours)))
    for panel, steps_done, most in dict.fromkeys(static):
        panel.plot([0, steps_done], [0, most], color="#222222", linewidth=0.8, dashes=(7, 7))
    operations.set(title="Bit operations", xlabel="step", ylabel=counted.name)
    hours.set(title="Time on the board", xlabel="step", ylabel=f"{timed.name}, estimate ({report.profile.name})")
    thousands(operations.yaxis)
    for panel in (operations, hours):
        thousands(panel.xaxis)
    _if_empty(hours)
    _say_dear(report, operations)
    tidy(operations, hours)
    below(figure, report)
    return as_svg(figure)


def worth(report: Report, score: str) -> bytes:
    """The score over what it cost, on the way and at the end."""
    figure = Figure(figsize=(WIDTH, 4.4), layout="constrained")
    operations, hours, reached = figure.subplots(1, 3)
    counted, timed = units.operations(report), units.board_time(report)
    for number, run in _numbered(report, score):
        cost, values = report.cost(run), smooth([line[score] for line in run.lines])
        dear = _too_dear(report, run)
        spent = {} if dear else {operations: [counted.of(line["gbitops"]) for line in run.lines]}
        spent |= {} if cost.hours is None else {hours: [timed.of(value) for value in cost.hours]}
        for panel, costs in spent.items():
            _line(panel, costs, values, number)
            at = {line["step"]: each for line, each in zip(run.lines, costs, strict=True)}
            tested = [line for line in run.evaluations if line["step"] in at]
            found = [line[f"{run.part}_{score}"] for line in tested]
            _dots(panel, [at[line["step"]] for line in tested], found, number)
    _ends(reached, report, score)
    operations.set(title=f"{score.capitalize()} over bit operations", xlabel=counted.name, ylabel=LABELS[score])
    hours.set(title="Over time on the board", xlabel=f"{timed.name}, estimate ({report.profile.name})")
    reached.set(title="Reached: runs, mean ± deviation", xlabel=counted.name)
    for panel in (operations, hours, reached):
        thousands(panel.xaxis, ticks=5)
    _by_score(score, operations, hours)
    _if_empty(hours)
    _say_dear(report, operations, reached)
    tidy(operations, hours, reached)
    below(figure, report, score)
    return as_svg(figure)


def scores(report: Report) -> list[str]:
    """What the runs are judged by: accuracy, perplexity, or both if they are mixed."""
    return sorted({run.score for run in report.runs})


def _ends(panel: Any, report: Report, score: str) -> None:
    """The last score of every run over its cost, and each group's mean and deviation."""
    counted = units.operations(report)
    for number, group in enumerate(report.groups):
        found = [(counted.of(report.cost(run).gbitops), run.reached) for run in group.runs if run.score == score]
        known = [(cost, value) for cost, value in found if value is not None and not _too_dear(report, group.first)]
        if known:
            costs, values = zip(*known, strict=True)
            panel.plot(costs, values, "o", color=colour(number), alpha=0.45, markersize=5)
            spread = Spread.of(values)
            look = {"fmt": "D", "color": colour(number), "markersize": 6, "capsize": 4}
            panel.errorbar(max(costs), spread.mean, yerr=spread.deviation, **look)
    panel.margins(0.15)
    _if_empty(panel, "not evaluated yet")


def _numbered(report: Report, score: str) -> list[tuple[int, TrainingRun]]:
    return [(n, run) for n, group in enumerate(report.groups) for run in group.runs if run.score == score]


def _line(panel: Any, x: Sequence[float], y: Sequence[float], number: int) -> None:
    panel.plot(x, y, color=colour(number), linewidth=1.4, alpha=0.8)


def _dots(panel: Any, x: Sequence[float], y: Sequence[float], number: int) -> None:
    panel.plot(x, y, "o", color=colour(number), markersize=6, markeredgecolor="white", alpha=0.9, zorder=3)


def _by_score(score: str, *panels: Any) -> None:
    """Perplexities fall by orders of magnitude."""
    for panel in panels:
        if score == "perplexity":
            logarithmic(panel)


def _too_dear(report: Report, run: TrainingRun) -> bool:
    """Whether this is a float32 run among quantised ones that costs far more than they do."""
    others = [cost.static_gbitops for cost in report.costs.values() if cost.highest.forward]
    cost = report.cost(run)
    return not cost.highest.forward and bool(others) and cost.gbitops > DEAR * max(others)


def _say_dear(report: Report, *panels: Any) -> None:
    if any(_too_dear(report, run) for run in report.runs):
        for panel in panels:
            text = "float32 is too dear to be drawn"
            panel.text(0.98, 0.04, text, transform=panel.transAxes, ha="right", color=GREY, fontsize=9)


def _if_empty(panel: Any, why: str = "the core does not run this") -> None:
    if not panel.lines:
        panel.text(0.5, 0.5, why, transform=panel.transAxes, ha="center", color=GREY)
        panel.set(xticks=[], yticks=[])
