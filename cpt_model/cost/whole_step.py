"""Hours of whole training steps in integers (`cpt train --step integer`): products, and everything between them.

An iteration is two lists; starting them is counted. The host's own share (the classifier, data) is, where the profile
says what of it the core waits for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from typing import Protocol

from cpt_model.cost.accelerator import AcceleratorBoard, Profile
from cpt_model.cost.profile_file import adjusted
from cpt_model.cost.run import WHOLE_STEPS, Run
from cpt_model.schedules import Static
from cpt_model.tracing.counts import ModelCount
from host.compiler.bits import Bits
from host.compiler.layer import LayerError
from host.compiler.plan import PlanError
from host.compiler.step.networks import named
from host.compiler.step.widths import check_step_bits
from host.measure.step_time import PRODUCTS, Work, iteration_time
from sim.latency.core import LIST_BEGINS

# Within the 90 to 125 MHz that an outside review of the RTL expects, and one that the ARM's dividers give.
CREDIBLE_MHZ = 100.0
LISTS = 2  # of an iteration
# Work between the products of ResNet-74, batch 128, on two Cortex-A9 with NEON, in C: 2.5 to 5 s an iteration by counts
# of instructions and bytes (an estimate, nothing was run), for 91.75 million results of its convolutions.
ARM_SECONDS_A_RESULT = (2.5 / 91.75e6, 5.0 / 91.75e6)


@dataclass(frozen=True)
class Place:
    """Where a run's steps are done, and the hours of the run and of the static one, from least to most."""

    name: str
    hours: tuple[float, ...]
    static: tuple[float, ...]


def places(arch: str, run: Run, static: Run, profile: Profile) -> list[Place]:
    """Whole steps at the credible clock and at the profile's, and with all but the products on the ARM."""
    slow = adjusted(profile, CREDIBLE_MHZ)
    boards = [slow] if profile.clock_mhz == CREDIBLE_MHZ else [slow, profile]
    found = []
    for board in boards:
        whole, most = (sum(step_hours(arch, each, board).values()) for each in (run, static))
        found.append(Place(f"whole steps, {board.clock_mhz:g} MHz", (whole,), (most,)))
    pair = (on_the_arm(arch, run, slow), on_the_arm(arch, static, slow))
    return [*found, Place(f"products at {CREDIBLE_MHZ:g} MHz, the rest on the ARM", *pair)]


def on_the_arm(arch: str, run: Run, profile: Profile) -> tuple[float, ...]:
    """Hours, least and most, with everything but the products in C on the ARM's two cores."""
    products = sum(hours for work, hours in step_hours(arch, run, profile).items() if work in PRODUCTS)
    results = run.samples * sum(prod(unit.makes) for unit in named(arch).units)
    return tuple(products + results * seconds / 3600 for seconds in ARM_SECONDS_A_RESULT)


def list_cycles(profile: Profile) -> float:
    """Of an iteration, in which no command runs: its lists begin, by the core's own cycles and the profile's time for
    each, and the core waits for the host, if the profile knows how long.
    """
    return LISTS * (LIST_BEGINS + profile.list_us * profile.clock_mhz) + 1e3 * profile.host_ms * profile.clock_mhz


def step_hours(arch: str, run: Run, profile: Profile) -> dict[Work, float]:
    """Of the run, by kind of work; a network, widths or a build that whole steps cannot have are refused."""
    network, hours = named(arch), dict.fromkeys(Work, 0.0)
    for bits in run.widths():
        check_step_bits(bits)
    for bits, iterations in run.widths().items():
        times = iteration_time(network, run.batch, bits, profile.build, profile.memory)
        for work, time in times.items():
            hours[work] += time.cycles * iterations / (profile.clock_mhz * 3600e6)
    lists = run.iterations * list_cycles(profile) / (profile.clock_mhz * 3600e6)
    hours[Work.WEIGHTS] += lists  # where the first list begins
    return hours


class HoursOf(Protocol):
    """Hours of a whole run of a network on a board, and in words what they are of."""

    @property
    def of(self) -> str: ...

    def hours(self, count: ModelCount, run: Run) -> float: ...


@dataclass(frozen=True)
class StepBoard:
    """A profile as a latency model of a network's whole steps: the same face as `AcceleratorBoard`."""

    arch: str
    profile: Profile
    of = WHOLE_STEPS

    def hours(self, count: ModelCount, run: Run) -> float:
        """Of the whole run, whatever `count` leaves out."""
        return sum(step_hours(self.arch, run, self.profile).values())


@dataclass(frozen=True)
class StepHours:
    """Hours of one step at given bits, for `ClosedLoopScheduler.cost` and budgets; and in words what they are of."""

    board: HoursOf
    count: ModelCount
    batch: int

    @property
    def of(self) -> str:
        return self.board.of

    def __call__(self, bits: Bits) -> float:
        return self.board.hours(self.count, Run(Static(bits.forward), bits.backward, 1, self.batch))


def hours_of_step(
    arch: str, count: ModelCount, batch: int, board: HoursOf, widths: Iterable[tuple[int, int]]
) -> StepHours:
    """Of whole steps where the network and all these widths run as such, else of what the board says."""
    if not isinstance(board, AcceleratorBoard):
        return StepHours(board, count, batch)
    whole = StepHours(StepBoard(arch, board.profile), count, batch)
    try:
        for bits in widths:
            whole(Bits(*bits))
    except (LayerError, PlanError):
        return StepHours(board, count, batch)
    return whole
