"""What a training iteration consists of, each kind once, so that many builds can be timed quickly.

A ResNet has few shapes of layers; `StepBoard` and `AcceleratorBoard` give the same hours, layer by layer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from cpt_model.cost.accelerator import Profile, layer_passes, product_time
from cpt_model.cost.run import MATRIX_PASSES, WHOLE_STEPS, Run
from cpt_model.cost.whole_step import list_cycles
from cpt_model.tracing.counts import ModelCount
from host.compiler.bits import Bits
from host.compiler.jobs import pass_precision
from host.compiler.layer import Conv, LayerError, Pass
from host.compiler.step.network import Network
from host.compiler.step.networks import named
from host.compiler.step.widths import check_step_bits
from host.measure.step_time import PRODUCTS, distinct
from sim.latency import CommandTime, command_time


@dataclass(frozen=True)
class Cycles:
    """Of an iteration or of a run: those that computing, loads or stores rule; and those of products, of all."""

    ruled: dict[str, float]
    products: float

    @classmethod
    def of(cls, times: Iterable[tuple[float, CommandTime, bool]]) -> Cycles:
        """Of commands: how often, their time, whether they are products."""
        ruled, products = dict.fromkeys(("compute", "load", "store"), 0.0), 0.0
        for number, time, is_product in times:
            ruled[time.bottleneck] += number * time.cycles
            products += number * time.cycles * is_product
        return cls(ruled, products)

    @property
    def total(self) -> float:
        return sum(self.ruled.values())

    def plus(self, number: float, other: Cycles) -> Cycles:
        ruled = {stream: cycles + number * other.ruled[stream] for stream, cycles in self.ruled.items()}
        return Cycles(ruled, self.products + number * other.products)


class Workload(Protocol):
    """An iteration; `of` says in words what of it takes time."""

    @property
    def of(self) -> str: ...

    def cycles(self, bits: Bits, profile: Profile) -> Cycles: ...


def workload(arch: str, count: ModelCount, run: Run) -> Workload:
    """Whole steps of a network that runs as such at the run's bits, else its matrix passes."""
    try:
        for bits in run.widths():
            check_step_bits(bits)
        return StepWorkload(named(arch), run.batch)
    except LayerError:
        return PassWorkload.of_count(count, run.batch)


@dataclass(frozen=True)
class StepWorkload:
    """Every command of an iteration."""

    network: Network
    batch: int
    of = WHOLE_STEPS

    def cycles(self, bits: Bits, profile: Profile) -> Cycles:
        """A build that cannot run the network is refused."""
        commands = distinct(self.network, self.batch, bits, profile.build)
        found = Cycles.of(
            (each.number, command_time(each.command, profile.build, profile.memory, each.alone), each.work in PRODUCTS)
            for each in commands
        )
        return found.plus(1, Cycles({"compute": list_cycles(profile), "load": 0.0, "store": 0.0}, 0.0))


@dataclass(frozen=True)
class PassWorkload:
    """Products of one iteration and how often each is computed, and a layer that has it."""

    products: dict[tuple[Conv, Pass], int]
    layers: dict[tuple[Conv, Pass], str]
    of = MATRIX_PASSES

    @classmethod
    def of_count(cls, count: ModelCount, batch: int) -> PassWorkload:
        products: dict[tuple[Conv, Pass], int] = {}
        layers: dict[tuple[Conv, Pass], str] = {}
        for layer, which in layer_passes(count):
            for product in layer.products:
                asked = product.of_batch(batch)
                key = asked.shape, which
                products[key] = products.get(key, 0) + asked.times
                layers.setdefault(key, layer.name)
        return cls(products, layers)

    def cycles(self, bits: Bits, profile: Profile) -> Cycles:
        """A pass that does not fit the build is refused, with its layer."""
        return Cycles.of(
            (times, product_time(shape, which, pass_precision(which, bits), profile, self.layers[shape, which]), True)
            for (shape, which), times in self.products.items()
        )
