"""The charts of a report: runs over their steps and their cost, a network's passes on the core."""

from __future__ import annotations

from collections.abc import Sequence

from cpt_model.cost.accelerator import Profile
from cpt_model.cost.roofline import compute_roof, ridge
from cpt_model.cost.step_parts import alike_layers, sums
from cpt_model.drawing.chart import Frame, Point, Series, chart, colour_of, part_colour
from cpt_model.drawing.style import smooth
from cpt_model.reports import units
from cpt_model.reports.groups import Group
from cpt_model.reports.networks import Network, bars
from cpt_model.reports.report import Report
from cpt_model.reports.runs import TrainingRun
from host.compiler.layer import Pass
from host.measure.step_time import Work

MOST_POINTS = 400  # of a line: a screen has no more
DEAR = 4  # times the dearest other: float32 is left out where it would squeeze all others together
LABELS = {"accuracy": "accuracy (%)", "perplexity": "perplexity"}


def scores(report: Report) -> list[str]:
    """What the runs are judged by: accuracy, perplexity, or both if they are mixed."""
    return sorted({run.score for run in report.runs})


def schedules(report: Report) -> str:
    """Forward bits over the steps, one line for each schedule; backward bits dashed where they change."""
    series: list[Series] = []
    for group in report.groups:
        run, shade = group.first, colour(report, group)
        changes = report.cost(run).schedule
        for which, dash in (("forward", False), ("backward", True)):
            values = [getattr(each.bits, which) for each in changes]
            if (dash and len(set(values)) == 1) or not all(values):
                continue  # float32 has no line
            ends = [*(each.step for each in changes), run.total]
            pairs = zip(ends, [*values, values[-1]], strict=True)
            points = [(step, bits, f"step {step:,}: {bits} bits {which}") for step, bits in pairs]
            series.append(Series(f"{group.name}{', errors' if dash else ''}", shade, points, dash=dash, step=True))
    return chart("Bits of weights and activations", "lines", "step", "bits", series, least=0, whole=True)


def learning(report: Report, score: str) -> list[str]:
    """Loss and score over the steps: training as lines, evaluations as dots."""
    parts = []
    for name, title, label in (
        (score, f"{score.capitalize()} over the run", LABELS[score]),
        ("loss", "Loss over the run", "loss"),
    ):
        series = []
        for group, run in _judged(report, score):
            lines = [(line["step"], value, "") for line, value in zip(run.lines, _smooth(run, name), strict=True)]
            twin = _twin(report, group)
            series.append(Series(f"{_name(group, run)}, training", colour(report, group), thinned(lines), dash=twin))
            tested = [line for line in run.evaluations if f"{run.part}_{name}" in line]
            dots = [(line["step"], line[f"{run.part}_{name}"], "") for line in tested]
            if dots:
                part = f"{_name(group, run)}, {run.part} set"
                series.append(Series(part, colour(report, group), dots, marks=True, hollow=twin))
        parts.append(chart(title, "lines", "step", label, series, logy=name == "perplexity"))
    return parts


def reached(report: Report, score: str) -> str | None:
    """The first thing to see: where each run ended, over its cost; a dot is a run."""
    counted = units.operations(report)
    series = []
    for group in report.groups:
        dots: list[Point] = []
        for run in group.runs:
            if run.score == score and run.reached is not None and not _too_dear(report, run):
                cost = counted.of(report.cost(run).gbitops)
                text = f"{run.name}: {run.reached:.2f} after {run.done:,} steps, {cost:,.4g} {counted.name}"
                dots.append((cost, run.reached, text))
        if dots:
            twin = _twin(report, group)
            series.append(Series(group.name, colour(report, group), dots, marks=True, hollow=twin))
    if not series:
        return None
    title = f"{LABELS[score].capitalize()} reached, over bit operations: a dot is a run"
    return chart(title, "lines", counted.name, LABELS[score], series, logy=score == "perplexity")


def spending(report: Report) -> list[str]:
    """Bit operations and time on the board over the steps; the highest bits throughout are dashed."""
    counted, timed = units.operations(report), units.board_time(report)
    operations, hours = [], []
    for group in report.groups:
        run, cost, shade = group.longest, report.cost(group.longest), colour(report, group)
        steps = [line["step"] for line in run.lines]
        if not _too_dear(report, run):
            spent = [counted.of(line["gbitops"]) for line in run.lines]
            operations += _spent(group.name, shade, steps, spent, counted.of(cost.static_gbitops))
        if cost.hours is not None and cost.static_hours is not None:
            taken = [timed.of(each) for each in cost.hours]
            hours += _spent(group.name, shade, steps, taken, timed.of(cost.static_hours))
    parts = [chart("Bit operations", "lines", "step", counted.name, operations, least=0)] if operations else []
    if hours:
        title = f"Time on the board, estimate ({report.profile.name})"
        parts.append(chart(title, "lines", "step", timed.name, hours, least=0))
    return parts


def _spent(name: str, shade: str, steps: list[int], values: list[float], static: float) -> list[Series]:
    points = thinned([(0, 0.0, ""), *((step, value, "") for step, value in zip(steps, values, strict=True))])
    found = [Series(name, shade, points)]
    if abs(static - values[-1]) > 1e-6 * static:
        most = [(0, 0.0, ""), (steps[-1], static, "")]
        found.append(Series(f"{name}: highest bits throughout", shade, most, dash=True))
    return found


def work(network: Network, profile: Profile) -> str:
    """A whole iteration by kind of work, at the lowest and at the highest bits."""
    series = []
    for bits in network.ends:
        times = {kind: cycles / profile.clock_mhz / 1e3 for kind, cycles in sums(network.steps[bits]).items()}
        points: list[Point] = [(kind.value, time, f"{time:,.3g} ms") for kind, time in times.items()]
        series.append(Series(f"{bits} bits", colour_of([bits]), points))
    title = f"A whole training iteration by kind of work, estimate ({profile.name})"
    return chart(title, "bars", "ms", series=series)


def steps(network: Network, profile: Profile) -> str:
    """Every layer's share of a whole iteration; a slider goes through the bits."""
    widths = list(network.steps)
    shown = alike_layers(network.steps, widths)
    frames = []
    for bits in widths:
        series = []
        for number, kind in enumerate(Work):
            times = [(layer.title, layer.cycles[bits].get(kind, 0.0) / profile.clock_mhz) for layer in shown]
            points: list[Point] = [(name, time, f"{time:,.1f} µs") for name, time in times]
            series.append(Series(kind.value, part_colour(number), points))
        frames.append(Frame(f"{bits} bits", series))
    title = f"Time of each layer in a whole iteration, estimate ({profile.name})"
    return chart(title, "bars", "µs of one layer", frames=frames, stacked=True, slider="Bits")


def latency(network: Network, profile: Profile) -> str:
    """Every layer's passes; a slider goes through the bits."""
    shown = bars(network)
    frames = []
    for bits in network.passes:
        series = []
        for number, which in enumerate(Pass):
            points: list[Point] = []
            for bar in shown:
                found = bar.passes[bits].get(which)
                time = found.time.cycles / profile.clock_mhz if found else 0.0
                text = f"{time:,.1f} µs, bound by {found.time.bottleneck}" if found else "not run"
                points.append((bar.title, time, text))
            series.append(Series(which.value.replace("-", " "), part_colour(number), points))
        frames.append(Frame(f"{bits} bits", series))
    title = f"Time of each layer's passes, estimate ({profile.name})"
    return chart(title, "bars", "µs of one layer", frames=frames, stacked=True, slider="Bits")


def roofline(network: Network, profile: Profile) -> str:
    """A dot for each pass of each layer, under the roofs of memory and array; a slider goes through the bits."""
    roof, corner = compute_roof(profile), ridge(profile)
    every = [point for bits in network.passes for point in network.points(profile, bits)]
    low, high = min(point.intensity for point in every), max(point.intensity for point in every)
    line = [(low, min(roof, low * roof / corner), "waits for memory left of the corner")]
    line += [(corner, roof, "the corner: memory and array take as long")] if low < corner < high else []
    line += [(high, min(roof, high * roof / corner), f"the array's roof: {roof:,} binary MACs a cycle")]
    frames = []
    for bits in network.passes:
        dots: list[Point] = []
        for point in network.points(profile, bits):
            where = f"{point.rate:,.0f} binary MACs a cycle, {100 * point.rate / roof:.0f} % of the array's roof"
            dots.append((point.intensity, point.rate, f"{point.label}: {where}, bound by {point.bottleneck}"))
        passes = Series(f"passes at {bits} bits", colour_of([bits]), dots, marks=True)
        frames.append(Frame(f"{bits} bits", [Series("what array and memory allow", "p7", line), passes]))
    title = f"{network.title}: roofline, estimate ({profile.name})"
    return chart(
        title, "lines", "binary MACs a byte", "binary MACs a cycle", frames=frames, logx=True, logy=True, slider="Bits"
    )


def colour(report: Report, group: Group) -> str:
    """Of its precision."""
    return colour_of(each.bits for each in report.cost(group.first).schedule)


def _twin(report: Report, group: Group) -> bool:
    """Whether an earlier group has the same precision, and so the colour: then its dots are rings."""
    earlier = report.groups[: report.groups.index(group)]
    return colour(report, group) in [colour(report, each) for each in earlier]


def thinned(points: Sequence[Point]) -> list[Point]:
    """At most as many as a screen shows, the last among them."""
    step = -(-len(points) // MOST_POINTS)
    return [*points[:-1:step], points[-1]]


def _judged(report: Report, score: str) -> list[tuple[Group, TrainingRun]]:
    return [(group, run) for group in report.groups for run in group.runs if run.score == score]


def _name(group: Group, run: TrainingRun) -> str:
    return group.name if len(group.runs) == 1 else f"{group.name}, seed {run.settings.seed}"


def _smooth(run: TrainingRun, name: str) -> list[float]:
    return smooth([line[name] for line in run.lines])


def _too_dear(report: Report, run: TrainingRun) -> bool:
    """Whether this is a float32 run among quantised ones that costs far more than they do."""
    others = [cost.static_gbitops for cost in report.costs.values() if cost.highest.forward]
    cost = report.cost(run)
    return not cost.highest.forward and bool(others) and cost.gbitops > DEAR * max(others)
