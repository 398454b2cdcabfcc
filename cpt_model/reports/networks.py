"""A network on the core: every layer's passes at each precision of the runs' schedules, by the latency model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cpt_model.cost.accelerator import AcceleratorBoard, PassTime, Profile
from cpt_model.cost.roofline import Point, roofline_points
from cpt_model.cost.run import WHOLE_STEPS
from cpt_model.cost.step_parts import StepTimes, step_times
from cpt_model.reports.costs import RunCost, network_key, precisions
from cpt_model.reports.runs import TrainingRun
from host.compiler.bits import Bits
from host.compiler.layer import LayerError, Pass

MOST_BARS = 40  # layers in a plot; of more, those that are alike are drawn once


@dataclass(frozen=True)
class Network:
    """What one or several runs train; `passes` is empty and `refused` says why where the core cannot run it.

    Args:
        name: of the network.
        batch: samples of an iteration.
        passes: of one iteration, for each precision from low to high.
        steps: all work of one iteration, likewise; empty where the runs are not timed as whole steps.
        refused: the layer that the core cannot run, and why.
    """

    name: str
    batch: int
    passes: dict[Bits, list[PassTime]]
    steps: StepTimes
    refused: str | None

    @property
    def title(self) -> str:
        return f"{self.name}, batch {self.batch}"

    @property
    def ends(self) -> list[Bits]:
        """The lowest and the highest precision; one, if they are the same."""
        found = list(self.passes)
        return list(dict.fromkeys([found[0], found[-1]])) if found else []

    def points(self, profile: Profile, *widths: Bits) -> list[Point]:
        """On the roofline, at these bits; by default at the lowest and the highest."""
        return [point for bits in widths or self.ends for point in roofline_points(self.passes[bits], profile)]


@dataclass(frozen=True)
class Bar:
    """A layer, or several that take the same time: cycles of one, by precision and pass."""

    layer: str
    alike: int
    passes: dict[Bits, dict[Pass, PassTime]]

    @property
    def title(self) -> str:
        return self.layer if self.alike == 1 else f"{self.layer} and {self.alike - 1} alike"


def networks(runs: Sequence[TrainingRun], costs: Sequence[RunCost], profile: Profile) -> list[Network]:
    """Each once, in order of appearance; float32 alone has nothing to show."""
    found: dict[tuple[object, ...], list[tuple[TrainingRun, RunCost]]] = {}
    for run, cost in zip(runs, costs, strict=True):
        if precisions([cost]):
            found.setdefault((network_key(run.settings), cost.batch), []).append((run, cost))
    return [_network(members, profile) for members in found.values()]


def _network(members: list[tuple[TrainingRun, RunCost]], profile: Profile) -> Network:
    run, cost = members[0]
    board = AcceleratorBoard(profile)
    wanted = precisions(each for _, each in members)
    try:
        passes = {bits: list(board.passes(cost.network, cost.batch, bits)) for bits in wanted}
    except LayerError as problem:
        return Network(run.settings.arch, cost.batch, {}, {}, str(problem))
    whole = all(each.hours_of == WHOLE_STEPS for _, each in members)
    steps = step_times(run.settings.arch, cost.batch, wanted, profile) if whole else {}
    return Network(run.settings.arch, cost.batch, passes, steps, None)


def bars(network: Network, most: int = MOST_BARS) -> list[Bar]:
    """Layers in the network's order at every precision; if there are many, equal ones once."""
    layers: dict[str, dict[Bits, dict[Pass, PassTime]]] = {}
    for bits in network.passes:
        for each in network.passes[bits]:
            layers.setdefault(each.layer, {}).setdefault(bits, {})[each.which] = each
    if len(layers) <= most:
        return [Bar(layer, 1, passes) for layer, passes in layers.items()]
    alike: dict[object, list[str]] = {}
    for layer, passes in layers.items():
        key = tuple((bits, which, one.time) for bits, found in passes.items() for which, one in found.items())
        alike.setdefault(key, []).append(layer)
    return [Bar(names[0], len(names), layers[names[0]]) for names in alike.values()]
