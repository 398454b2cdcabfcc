"""What runs cost: bit operations as they logged them, hours on our core estimated again from their schedules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch

from cpt_model.cost import ModelCount, count
from cpt_model.cost.accelerator import Profile
from cpt_model.layer_bits import LayerBits, read_layer_bits
from cpt_model.models import build, entry
from cpt_model.reports.runs import TrainingRun
from cpt_model.training.latency import latency_models
from cpt_model.training.meter import Meter
from cpt_model.training.precision_plan import plan
from cpt_model.training.settings import Settings
from host.compiler.bits import Bits
from host.compiler.layer import LayerError
from host.compiler.plan import PlanError

TOLERANCE = 0.005  # of the bit operations that a run logged, against those of the network as we count it


@dataclass(frozen=True)
class Change:
    """From this step on, until the next change, these bits; 0 is float32."""

    step: int
    bits: Bits


@dataclass(frozen=True)
class RunCost:
    """Of a run as far as its metrics go; savings are against its highest bits throughout, over as many steps.

    Args:
        network: counted for one sample.
        batch: samples of a step.
        schedule: where the bits change, over the whole run.
        highest: bits, of which savings are counted.
        gbitops: as the run logged them.
        static_gbitops: of all steps done, at the highest bits.
        saving_gbitops_pct: against static precision.
        hours: after each of the run's lines, on the profile's core; None where it cannot run the network.
        static_hours: of all steps done, at the highest bits.
        saving_hours_pct: against static precision.
        hours_of: what they are of: whole training steps, or their matrix passes alone.
        refused: why there are no hours.
        differs: whether the run counted another network than its name says, as with other classes or words.
    """

    network: ModelCount
    batch: int
    schedule: list[Change]
    highest: Bits
    gbitops: float
    static_gbitops: float
    saving_gbitops_pct: float
    hours: list[float] | None
    static_hours: float | None
    saving_hours_pct: float | None
    hours_of: str | None
    refused: str | None
    differs: bool


class NoBoard:
    """Stands in for a board whose hours are not asked for."""

    of = "nothing"

    def hours(self, count: ModelCount, run: object) -> float:
        return 0.0


def run_cost(run: TrainingRun, profile: Profile) -> RunCost:
    """Costs of one run on a profile."""
    network = network_count(run.settings)
    batch = _batch(run, network)
    meter = _meter(run, network, batch)
    gbitops, counted = run.lines[-1]["gbitops"], meter.after(run.done).gbitops
    static = meter.static().gbitops * run.done / run.total
    on_core = _on_core(run, meter, profile)
    hours = static_hours = hours_of = None
    if isinstance(on_core, Meter):
        hours = [on_core.after(line["step"]).board_hours or 0.0 for line in run.lines]
        static_hours = (on_core.static().board_hours or 0.0) * run.done / run.total
        hours_of = on_core.board.of
    return RunCost(
        network=network,
        batch=batch,
        schedule=_changes(meter.widths),
        highest=meter.highest(),
        gbitops=gbitops,
        static_gbitops=static,
        saving_gbitops_pct=saved(counted, static),
        hours=hours,
        static_hours=static_hours,
        saving_hours_pct=None if hours is None or static_hours is None else saved(hours[-1], static_hours),
        hours_of=hours_of,
        refused=None if isinstance(on_core, Meter) else on_core,
        differs=abs(gbitops - counted) > TOLERANCE * gbitops,
    )


def saved(cost: float, static: float) -> float:
    """In per cent, without the noise of a sum's last bits.

    >>> saved(75.0, 100.0), saved(100.00000000000001, 100.0)
    (25.0, 0.0)
    """
    return round(100 * (1 - cost / static), 6) + 0.0


def network_key(settings: Settings) -> tuple[str, str, int, LayerBits]:
    """What makes a network: its name, which layers stay float, words of a sequence (0 for images), layers' own bits."""
    length = settings.length if settings.is_text else 0
    own = read_layer_bits(settings.layer_bits or {})
    return settings.arch, settings.policy or entry(settings.arch).policy, length, own


def network_count(settings: Settings) -> ModelCount:
    """Of the network as its name says, for one sample."""
    return _count(*network_key(settings))


@cache
def _count(arch: str, policy: str, length: int, layer_bits: LayerBits) -> ModelCount:
    with torch.device("meta"):
        model = build(arch)
    example = torch.empty(1, length, dtype=torch.long, device="meta") if length else entry(arch).example(1)
    return count(model, example, policy=policy, layer_bits=layer_bits)


def _batch(run: TrainingRun, network: ModelCount) -> int:
    """Of a step; a batch that was fitted to little data is known from what a step of the run cost."""
    if run.summary is not None:
        return run.summary.batch
    if not run.settings.fit_batch:
        return run.settings.batch
    return max(1, round(run.lines[-1]["gbitops"] / _meter(run, network, 1).after(run.done).gbitops))


def _meter(run: TrainingRun, network: ModelCount, batch: int) -> Meter:
    return Meter(network, None if run.settings.is_float else plan(run.settings), run.total, batch, NoBoard())


def _on_core(run: TrainingRun, meter: Meter, profile: Profile) -> Meter | str:
    """The meter with the core's hours, or why there are none."""
    if not meter.widths.min():
        return "steps in float32 do not run on the core"
    try:
        models = latency_models(run.settings, profile)
        return Meter.first(meter.count, plan(run.settings), run.total, meter.batch, models)
    except (LayerError, PlanError) as problem:
        return str(problem)


def _changes(widths: np.ndarray) -> list[Change]:
    """Only the steps at which the bits change.

    >>> _changes(np.array([[3, 8], [3, 8], [4, 8]]))
    [Change(step=0, bits=Bits(forward=3, backward=8)), Change(step=2, bits=Bits(forward=4, backward=8))]
    """
    starts = [0, *(1 + np.flatnonzero((widths[1:] != widths[:-1]).any(axis=1))).tolist()]
    return [Change(step, Bits(*widths[step].tolist())) for step in starts]


def precisions(costs: Iterable[RunCost]) -> Sequence[Bits]:
    """All that the schedules have, from low to high, float32 left out."""
    return sorted({each.bits for cost in costs for each in cost.schedule if each.bits.forward})
