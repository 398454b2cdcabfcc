"""Our accelerator as a board: hours of a run from the latency model of its commands.

Every product that the accelerator runs is lowered to its commands, at each pair of widths of the schedule, as the
driver does it; their cycles come from `sim.latency`. Results are rounded, with row sums, unless the profile says
otherwise. Layers that stay float, and batch normalisations, cost no time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from cpt_model.cost.run import MATRIX_PASSES, Run
from cpt_model.tracing.counts import LayerCount, ModelCount
from host.compiler.bits import Bits
from host.compiler.jobs import pass_precision
from host.compiler.layer import Conv, LayerError, Pass
from host.compiler.plan import PlanError
from host.compiler.precision import Precision
from host.compiler.results import Results, precision_commands
from sim.contract import BOARD_ARM_BYTES_PER_CYCLE, OVERLAY_CLOCK_MHZ, Build
from sim.latency import ROWS_BYTES_PER_CYCLE, CommandTime, Memory, command_time


@dataclass(frozen=True)
class Profile:
    """A build of the core at a clock, with a memory, and what a host adds to each pass that it starts.

    >>> PROFILES["zc706"].gigabytes_per_second
    10.0
    """

    name: str
    build: Build
    clock_mhz: float
    memory: Memory
    list_us: float = 0.0  # 0: an iteration is one list
    results: Results = Results.ROUNDED  # what passes store
    host_ms: float = 0.0  # of a whole step, in which the core waits for the host

    @property
    def gigabytes_per_second(self) -> float:
        return self.memory.bytes_per_cycle * self.clock_mhz / 1e3


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("zc706", Build.named("zc706"), float(OVERLAY_CLOCK_MHZ), Memory()),  # the SODIMM on the PL side
        Profile("zc706_train", Build.named("zc706_train"), float(OVERLAY_CLOCK_MHZ), Memory()),  # likewise
        Profile("zc706-rows", Build.named("zc706"), float(OVERLAY_CLOCK_MHZ), Memory(ROWS_BYTES_PER_CYCLE)),
        Profile("zc706-ps", Build.named("zc706"), float(OVERLAY_CLOCK_MHZ), Memory(BOARD_ARM_BYTES_PER_CYCLE)),
    )
}


class PassError(LayerError):
    """A pass that a build cannot run."""

    def __init__(self, layer: str, which: Pass, precision: Precision, problem: ValueError) -> None:
        widths = f"{precision.a_bits}x{precision.b_bits} bits"
        super().__init__(f"layer '{layer}', {which.value} pass of {widths}: {problem}")
        self.what = f"the {which.value} pass of layer '{layer}'"


@dataclass(frozen=True)
class PassTime:
    """One pass of one layer for a whole batch; binary products are multiply-accumulates times both widths."""

    layer: str
    which: Pass
    bits: Bits
    binary_products: int
    time: CommandTime


@dataclass(frozen=True)
class AcceleratorBoard:
    """A profile as a latency model: the same face as `LinearBoard`."""

    profile: Profile
    of = MATRIX_PASSES

    def hours(self, count: ModelCount, run: Run) -> float:
        """Of the whole run's matrix passes."""
        seconds = sum(
            self.iteration_seconds(count, run.batch, bits) * iterations for bits, iterations in run.widths().items()
        )
        return seconds / 3600

    def iteration_seconds(self, count: ModelCount, batch: int, bits: Bits) -> float:
        """One training iteration: every quantised layer, its passes one after the other."""
        cycles = sum(each.time.cycles for each in self.passes(count, batch, bits))
        return cycles / (self.profile.clock_mhz * 1e6)

    def passes(self, count: ModelCount, batch: int, bits: Bits) -> Iterator[PassTime]:
        """Each layer's passes at these bits."""
        for layer, which in layer_passes(count):
            yield self._pass(layer, which, batch, layer.bits or bits)

    def _pass(self, layer: LayerCount, which: Pass, batch: int, bits: Bits) -> PassTime:
        precision = pass_precision(which, bits)
        time = pass_time(layer, which, batch, precision, self.profile)
        return PassTime(layer.name, which, bits, layer.macs * batch * precision.a_bits * precision.b_bits, time)


def pass_time(layer: LayerCount, which: Pass, batch: int, precision: Precision, profile: Profile) -> CommandTime:
    """One pass of all products of a layer, its operands as wide as stated."""
    time = CommandTime(0, 0, 0, 0)
    for product in layer.products:
        asked = product.of_batch(batch)
        time += asked.times * product_time(asked.shape, which, precision, profile, layer.name)
    return time


def layer_passes(count: ModelCount) -> Iterator[tuple[LayerCount, Pass]]:
    """Passes of the quantised layers, in the network's order; the error of the images it begins with is not needed.

    A layer that no build can run is refused by name.
    """
    for layer in count.layers:
        if layer.quantised and layer.foreign:
            raise LayerError(f"layer '{layer.name}' ({layer.kind}): {layer.foreign[0]}")
        reads_images = layer is count.layers[0] and layer.kind == "Conv2d"
        for which in Pass:
            if layer.quantised and not (which is Pass.INPUT_ERROR and reads_images):
                yield layer, which


def product_time(product: Conv, which: Pass, precision: Precision, profile: Profile, layer: str) -> CommandTime:
    """One product's pass; one that does not fit the build is refused, with the layer that has it."""
    try:
        return _time(product, which, precision, profile)
    except (LayerError, PlanError) as problem:
        raise PassError(layer, which, precision, problem) from problem


@lru_cache(maxsize=1 << 14)
def _time(product: Conv, which: Pass, precision: Precision, profile: Profile) -> CommandTime:
    """The commands that the driver would start, one after the other."""
    commands = _commands(product, which, precision, profile.build, profile.results)
    times = (command_time(command, profile.build, profile.memory) for command in commands)
    return sum(times, start=CommandTime(profile.list_us * profile.clock_mhz, 0, 0, 0))


_commands = lru_cache(maxsize=4096)(precision_commands)  # the same at every clock and with every memory
