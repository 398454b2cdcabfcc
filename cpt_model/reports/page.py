"""The page of a report, and the same numbers as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cpt_model.cost.roofline import compute_roof, ridge
from cpt_model.cost.step_parts import sums
from cpt_model.drawing.html import about, folded, found, heading, page, paragraph, table
from cpt_model.reports import charts, tables
from cpt_model.reports.costs import saved
from cpt_model.reports.networks import Network
from cpt_model.reports.report import Report
from cpt_model.reports.runs import TrainingRun

TITLE = "Training runs: precision, accuracy and cost"
MOST_SAID = 4  # groups in the first sentence
READING = (
    "Runs that differ by their seed alone are one row: mean ± standard deviation of their scores. 'Saved' is "
    "against the same steps at the run's highest bits throughout. GBitOPs are counted as the papers do."
)


def html(report: Report, title: str = TITLE, origin: str = "", more: Sequence[str] = ()) -> str:
    """The whole page: what was found first; `origin` says when and how it was made, `more` comes at its end."""
    scores = charts.scores(report)
    parts = [found(sentence(report)), *([about(origin)] if origin else [])]
    parts += [picture for score in scores if (picture := charts.reached(report, score))]
    parts += [
        table(*tables.headline(report)),
        *map(paragraph, (_what(report), READING, report.estimate, *report.notes)),
        heading("Precision"),
        charts.schedules(report),
    ]
    for score in scores:
        parts += [heading(f"{score.capitalize()} and loss"), *charts.learning(report, score)]
    parts += [
        heading("Cost over the run"),
        *charts.spending(report),
        folded("Every run", [table(*tables.every_run(report))]),
    ]
    for network in report.networks:
        parts += _network(network, report)
    return page(title, [*parts, *more])


def sentence(report: Report) -> str:
    """What these runs say, in one sentence: scores, and what was saved against the highest bits throughout."""
    said = []
    for group in report.groups:
        reached = [run.reached for run in group.runs if run.reached is not None]
        if not reached:
            said.append(f"{group.name} is not evaluated yet")
            continue
        mean, unit = sum(reached) / len(reached), " %" if group.first.score == "accuracy" else " perplexity"
        seeds = f" (mean of {len(reached)} seeds)" if len(reached) > 1 else ""
        cost = report.cost(group.longest)
        saved = [
            f"{share:.1f} % fewer {what}"
            for share, what in ((cost.saving_gbitops_pct, "bit operations"), (cost.saving_hours_pct, "estimated hours"))
            if share
        ]
        spent = f" with {' and '.join(saved)}" if saved and cost.highest.forward else ""
        said.append(f"{group.name} reached {mean:.2f}{unit}{seeds}{spent}")
    shown, rest = said[:MOST_SAID], len(said) - MOST_SAID
    return "; ".join(shown) + (f"; and {rest} more" if rest > 0 else "") + "."


def _what(report: Report) -> str:
    kinds = dict.fromkeys(f"{run.settings.arch} on {run.settings.dataset}" for run in report.runs)
    return f"{len(report.runs)} run{'s' if len(report.runs) > 1 else ''}: {'; '.join(kinds)}."


def _network(network: Network, report: Report) -> list[str]:
    parts = [heading(f"{network.title}, on the core")]
    if network.refused:
        return [*parts, paragraph(f"The core cannot run this network: {network.refused}.")]
    profile = report.profile
    if network.steps:
        parts += [
            paragraph(f"One whole training iteration by the latency model, profile {profile.name}: estimates."),
            charts.work(network, profile),
            table(*tables.steps(network, profile.clock_mhz)),
            charts.steps(network, profile),
        ]
    return [
        *parts,
        paragraph(f"One training iteration's matrix passes by the latency model, profile {profile.name}: estimates."),
        table(*tables.iterations(network, profile.clock_mhz)),
        charts.latency(network, profile),
        folded("Every layer's passes", [table(*tables.layers(network, profile.clock_mhz))]),
        charts.roofline(network, profile),
        paragraph(
            "A dot is one pass of one layer; pointed at, it says which. Those on the slope wait for the memory, those "
            "on the flat roof for the array. Those below both lose time to padding (few channels, zeros between the "
            "pixels of a stride's error) or to what does not overlap."
        ),
        folded("The roofline's dots", [table(*tables.roofline(network, report))]),
    ]


def as_json(report: Report) -> dict[str, Any]:
    """Everything the page shows, as plain numbers; hours and cycles are estimates."""
    profile = report.profile
    return {
        "profile": {
            "name": profile.name,
            "clock_mhz": profile.clock_mhz,
            "gigabytes_per_second": profile.gigabytes_per_second,
            "build": profile.build.parameters(),
            "binary_macs_per_cycle": compute_roof(profile),
            "ridge_binary_macs_per_byte": ridge(profile),
        },
        "notes": [READING, report.estimate, *report.notes],
        "groups": [{"name": group.name, "runs": [run.name for run in group.runs]} for group in report.groups],
        "runs": [{"group": group.name, **_run(report, run)} for group in report.groups for run in group.runs],
        "networks": [_network_json(network, report) for network in report.networks],
    }


def _run(report: Report, run: TrainingRun) -> dict[str, Any]:
    cost, hours = report.cost(run), report.cost(run).hours
    return {
        "name": run.name,
        "arch": run.settings.arch,
        "dataset": run.settings.dataset,
        "seed": run.settings.seed,
        "batch": cost.batch,
        "steps": run.done,
        "total_steps": run.total,
        "finished": run.summary is not None,
        f"test_{run.score}": run.reached if run.summary is not None else None,
        f"last_{run.part}_{run.score}": run.evaluations[-1][f"{run.part}_{run.score}"] if run.evaluations else None,
        f"best_{run.part}_{run.score}": run.best,
        "gbitops": cost.gbitops,
        "static_gbitops": cost.static_gbitops,
        "saving_gbitops_pct": cost.saving_gbitops_pct,
        "estimated_hours": hours[-1] if hours else None,
        "static_estimated_hours": cost.static_hours,
        "saving_hours_pct": cost.saving_hours_pct,
        "estimated_hours_of": cost.hours_of,
        "no_hours_because": cost.refused,
        "logged_hours": run.lines[-1].get("board_hours"),
        "logged_hours_board": run.board,
        "schedule": [[each.step, *each.bits] for each in cost.schedule],
        "curves": {
            name: [line.get(name) for line in run.lines]
            for name in ("step", "loss", run.score, "fw_bits", "bw_bits", "gbitops")
        }
        | {"estimated_hours": hours},
        "evaluations": run.evaluations,
    }


def _network_json(network: Network, report: Report) -> dict[str, Any]:
    clock = report.profile.clock_mhz
    points = {(point.label, point.bits): point for point in network.points(report.profile)}
    found = []
    for bits, passes in network.passes.items():
        for each in passes:
            point = points.get((f"{each.layer} {each.which.value}", bits))
            found.append(
                {
                    "layer": each.layer,
                    "pass": each.which.value,
                    "fw_bits": bits.forward,
                    "bw_bits": bits.backward,
                    "binary_macs": each.binary_products,
                    "cycles": each.time.cycles,
                    "compute_cycles": each.time.compute,
                    "load_cycles": each.time.load,
                    "store_cycles": each.time.store,
                    "bottleneck": each.time.bottleneck,
                    "binary_macs_per_byte": point.intensity if point else None,
                    "binary_macs_per_cycle": each.binary_products / each.time.cycles,
                }
            )
    seconds = {
        str(bits): sum(each.time.cycles for each in passes) / clock / 1e6 for bits, passes in network.passes.items()
    }
    return {
        "name": network.name,
        "batch": network.batch,
        "refused": network.refused,
        "iteration_seconds": seconds,
        "whole_step_seconds": {
            str(bits): {work.value: cycles / clock / 1e6 for work, cycles in sums(times).items()}
            for bits, times in network.steps.items()
        },
        "saving_pct_of_highest": {name: saved(one, list(seconds.values())[-1]) for name, one in seconds.items()},
        "passes": found,
    }
