"""Which bounds a cyclic schedule may have so that a run ends within a number of hours.

Hours are a sum over widths, so a step is timed once at each and every pair of bounds is a weighted sum. The number of
cycles hardly changes the hours; it follows from the run's length, at the papers' 2,000 steps a cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cpt_model.cost.run import ITERATIONS, Run
from cpt_model.schedules import Schedule, Static
from host.compiler.bits import Bits
from host.schedules.names import named

STEPS_A_CYCLE = ITERATIONS // 32  # CPT's recipe
OfStep = Callable[[Bits], float]


@dataclass(frozen=True)
class Choice:
    """A run: its bounds (the same for static precision), cycles, steps, and its hours."""

    low: int
    high: int
    cycles: int
    steps: int
    hours: float
    saving_pct: float  # against static precision at the upper bound

    @property
    def is_static(self) -> bool:
        return self.low == self.high


@dataclass(frozen=True)
class Proposal:
    """Bounds that fit the budget, the best first; none, and there are the longest runs that fit instead."""

    choices: list[Choice]
    shorter: list[Choice]


def cycles_of(steps: int) -> int:
    """As long cycles as in the papers.

    >>> cycles_of(64_000), cycles_of(20_000), cycles_of(500)
    (32, 10, 1)
    """
    return max(1, round(steps / STEPS_A_CYCLE))


def propose(
    of_step: OfStep,
    budget: float,
    bounds: tuple[int, int],
    backward: int,
    steps: int,
    batch: int,
    schedule: str = "cpt",
    cycles: int | None = None,
) -> Proposal:
    """Bounds within `bounds` whose run takes at most `budget` hours.

    First comes the highest upper bound, which is what the run ends at and is evaluated at; then the highest lower
    bound. Where nothing fits, every pair of bounds gets as many steps as fit.

    Args:
        of_step: hours of one step at given bits.
        budget: hours.
        bounds: the least and the greatest width to look at.
        backward: width of errors and gradients.
        steps: of the run.
        batch: samples of a step.
        schedule: its name.
        cycles: of it; by default as long ones as the papers'.

    >>> found = propose(lambda bits: bits.forward / 1000, 7, (6, 8), 8, steps=1000, batch=1, cycles=2)
    >>> [(each.low, each.high, round(each.hours, 2)) for each in found.choices]
    [(6, 8, 7.0), (7, 7, 7.0), (6, 7, 6.5), (6, 6, 6.0)]
    """
    if not budget > 0:
        raise ValueError(f"budget = {budget:g} hours: it must be positive")
    pairs = [(low, high) for high in range(bounds[1], bounds[0] - 1, -1) for low in range(high, bounds[0] - 1, -1)]
    every = [_choice(of_step, pair, backward, steps, batch, schedule, cycles) for pair in pairs]
    fitting = [choice for choice in every if choice.hours <= budget]
    if fitting:
        return Proposal(fitting, [])
    return Proposal([], list(_shorter(every, of_step, budget, backward, batch, schedule, cycles)))


def _choice(
    of_step: OfStep, pair: tuple[int, int], backward: int, steps: int, batch: int, schedule: str, cycles: int | None
) -> Choice:
    low, high = pair
    number = 0 if low == high else cycles or cycles_of(steps)
    each: Schedule = Static(high) if low == high else named(schedule, low, high, number)
    hours = sum(of_step(bits) * count for bits, count in Run(each, backward, steps, batch).widths().items())
    static = of_step(Bits(high, backward)) * steps
    return Choice(low, high, number, steps, hours, round(100 * (1 - hours / static), 6) + 0.0)


def _shorter(
    every: list[Choice], of_step: OfStep, budget: float, backward: int, batch: int, schedule: str, cycles: int | None
) -> Iterator[Choice]:
    """The same bounds over fewer steps; a schedule's share of each width hardly depends on their number."""
    for choice in every:
        steps = int(choice.steps * budget / choice.hours)
        while steps >= max(1, 1 if choice.is_static else cycles or cycles_of(steps)):
            found = _choice(of_step, (choice.low, choice.high), backward, steps, batch, schedule, cycles)
            if found.hours <= budget:
                yield found
                break
            steps -= max(1, int(steps * (1 - budget / found.hours)))
