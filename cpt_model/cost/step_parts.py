"""A training step taken apart: cycles of each layer by kind of work, and what each kind adds to a run's saving."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cpt_model.cost.accelerator import Profile
from host.compiler.bits import Bits
from host.compiler.step.networks import named
from host.compiler.step.widths import check_step_bits
from host.measure.step_time import LayerWork, Work, layer_times
from sim.latency import CommandTime

LayerTimes = dict[LayerWork, CommandTime]
StepTimes = dict[Bits, LayerTimes]


@dataclass(frozen=True)
class Part:
    """A kind of work: its share of the static run, and what the run saves of it and, of the whole, in points.

    Amdahl's law: the points of all kinds add up to the run's saving, and none has more than its share.
    """

    work: Work
    share_pct: float
    saved_pct: float

    @property
    def points(self) -> float:
        return self.share_pct * self.saved_pct / 100


@dataclass(frozen=True)
class AlikeLayers:
    """A layer, and how many others take as long in everything; cycles of one."""

    layer: str
    number: int
    cycles: dict[Bits, dict[Work, float]]

    @property
    def title(self) -> str:
        return self.layer if self.number == 1 else f"{self.layer} and {self.number - 1} alike"


def step_times(arch: str, batch: int, precisions: Iterable[Bits], profile: Profile) -> StepTimes:
    """Each layer's work at each precision; a network that does not run as whole steps is refused."""
    network, found = named(arch), {}
    for bits in precisions:
        check_step_bits(bits)
        found[bits] = layer_times(network, batch, bits, profile.build, profile.memory)
    return found


def sums(times: LayerTimes) -> dict[Work, float]:
    """Cycles of all layers, by kind of work."""
    total = dict.fromkeys(Work, 0.0)
    for (_, work), time in times.items():
        total[work] += time.cycles
    return total


def alike_layers(times: StepTimes, precisions: Sequence[Bits]) -> list[AlikeLayers]:
    """In the network's order, those that take as long as an earlier one counted there."""
    layers: dict[str, dict[Bits, dict[Work, float]]] = {}
    for bits in precisions:
        for (layer, work), time in times[bits].items():
            layers.setdefault(layer, {}).setdefault(bits, {})[work] = time.cycles
    alike: dict[object, list[str]] = {}
    for layer, cycles in layers.items():
        alike.setdefault(tuple((bits, *sorted(cycles[bits].items())) for bits in cycles), []).append(layer)
    return [AlikeLayers(names[0], len(names), layers[names[0]]) for names in alike.values()]


def saving_parts(run: Mapping[Work, float], static: Mapping[Work, float]) -> list[Part]:
    """Of the hours of a run and of the static one.

    >>> run, static = {Work.FORWARD: 1.0, Work.UPDATE: 2.0}, {Work.FORWARD: 2.0, Work.UPDATE: 2.0}
    >>> [(part.share_pct, part.saved_pct, part.points) for part in saving_parts(run, static)]
    [(50.0, 50.0, 25.0), (50.0, 0.0, 0.0)]
    """
    most = sum(static.values())
    return [
        Part(work, 100 * hours / most, 100 * (1 - run[work] / hours) if hours else 0.0)
        for work, hours in static.items()
    ]
