"""The distinct products of a training iteration, so that many builds can be timed quickly.

A ResNet has few shapes of layers. Each is lowered once for a build, and its commands are timed for each clock and
memory; `AcceleratorBoard` gives the same hours, layer by layer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from cpt_model.cost.accelerator import Profile, layer_passes
from cpt_model.cost.counts import ModelCount
from cpt_model.cost.run import Run
from host.compiler.bits import Bits
from host.compiler.jobs import pass_precision
from host.compiler.layer import Conv, LayerError, Pass
from host.compiler.lower import lower
from host.compiler.plan import Plan, PlanError
from host.compiler.results import Results, stored_results
from sim.contract import Build, Command
from sim.latency import CommandTime, command_time


class PassError(LayerError):
    """A pass that a build cannot run."""

    def __init__(self, layer: str, which: Pass, bits: Bits, problem: ValueError) -> None:
        super().__init__(f"layer '{layer}', {which.value} pass at {bits}: {problem}")
        self.what = f"the {which.value} pass of layer '{layer}'"


@dataclass(frozen=True)
class Share:
    """Cycles of one iteration, and how many of them the array, the loads or the stores rule."""

    cycles: float
    by_bottleneck: dict[str, float]


@dataclass(frozen=True)
class Lowered:
    """Commands of one iteration on a build, at each precision: those of a product run one after the other."""

    commands: dict[Bits, list[tuple[tuple[Command, ...], int]]]

    def timed(self, profile: Profile) -> dict[Bits, Share]:
        """Cycles of an iteration at each precision; the profile's build is the one it was lowered for."""
        return {bits: self._share(bits, profile) for bits in self.commands}

    def _share(self, bits: Bits, profile: Profile) -> Share:
        ruled = dict.fromkeys(("compute", "load", "store"), 0.0)
        for commands, times in self.commands[bits]:
            each = (command_time(command, profile.build, profile.memory) for command in commands)
            time = sum(each, start=CommandTime(0, 0, 0, 0))
            ruled[time.bottleneck] += times * time.cycles
        return Share(sum(ruled.values()), ruled)


@dataclass(frozen=True)
class Workload:
    """Products of one iteration and how often each is computed, and a layer that has it."""

    products: dict[tuple[Conv, Pass], int]
    layers: dict[tuple[Conv, Pass], str]

    @classmethod
    def of(cls, count: ModelCount, batch: int) -> Workload:
        """Of a network; a layer that no build can run is refused by name."""
        products: Counter[tuple[Conv, Pass]] = Counter()
        layers: dict[tuple[Conv, Pass], str] = {}
        for layer, which in layer_passes(count):
            if layer.foreign:
                raise LayerError(f"layer '{layer.name}' ({layer.kind}): {layer.foreign[0]}")
            for product in layer.products:
                asked = product.of_batch(batch)
                products[asked.shape, which] += asked.times
                layers.setdefault((asked.shape, which), layer.name)
        return cls(dict(products), layers)

    def lowered(self, build: Build, precisions: Iterable[Bits], results: Results = Results.ROUNDED) -> Lowered:
        """For a build; a pass that does not fit it is refused, with its layer."""
        return Lowered(
            {
                bits: [(self._commands(key, bits, build, results), times) for key, times in self.products.items()]
                for bits in precisions
            }
        )

    def _commands(self, key: tuple[Conv, Pass], bits: Bits, build: Build, results: Results) -> tuple[Command, ...]:
        shape, which = key
        precision = pass_precision(which, bits)
        output = stored_results(shape, which, precision, results)
        try:
            return tuple(lower(shape, which, precision, build, output, plan=Plan()).commands)
        except (LayerError, PlanError) as problem:
            raise PassError(self.layers[key], which, bits, problem) from problem


def hours(timed: dict[Bits, Share], run: Run, profile: Profile) -> float:
    """Of a run whose precisions are all timed."""
    cycles = sum(timed[bits].cycles * iterations for bits, iterations in run.widths().items())
    return cycles / (profile.clock_mhz * 3600e6)
