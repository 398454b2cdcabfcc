"""The object a training loop steps where the precision depends on the training; what it cost is known afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from host.compiler.bits import Bits
from host.schedules.closed_loop import ClosedLoop


class ClosedLoopScheduler:
    """Applies a rule's precision, and counts the steps at each.

    Args:
        apply: called with the new bits whenever they change, and once at the start.
        rule: `PFQ`, `MuPPET`, or one's own.

    >>> from host.schedules import PFQ
    >>> scheduler = ClosedLoopScheduler(print, PFQ([(3, 8), (8, 8)], window=2))
    3/8
    >>> for loss in (1.0, 0.99, 0.98):
    ...     scheduler.step()
    ...     scheduler.observe(loss)
    8/8
    >>> scheduler.cost(lambda bits: bits.forward)
    14
    """

    def __init__(self, apply: Callable[[Bits], object], rule: ClosedLoop) -> None:
        self._apply = apply
        self.rule = rule
        self.steps_at: dict[Bits, int] = {}
        self._apply(rule.bits)

    def step(self) -> None:
        """After each optimiser step: counts it."""
        self.steps_at[self.rule.bits] = self.steps_at.get(self.rule.bits, 0) + 1

    def observe(self, value: float) -> None:
        """After each epoch: what the rule looks at, a loss or a diversity of gradients."""
        if self.rule.observe(value):
            self._apply(self.rule.bits)

    def get_last_bits(self) -> Bits:
        """The precision in force."""
        return self.rule.bits

    def cost(self, of_step: Callable[[Bits], float]) -> float:
        """Of all steps so far, in the unit of one: `step_cost` and `hours_of_step` of `cpt_model.cost` make such a
        function.
        """
        return sum(self.costs(of_step).values())

    def costs(self, of_step: Callable[[Bits], float]) -> dict[Bits, float]:
        """The same by the bits that were used."""
        return {bits: count * of_step(bits) for bits, count in self.steps_at.items()}

    def state_dict(self) -> dict[str, Any]:
        """Plain numbers and containers."""
        return {"rule": self.rule.state_dict(), "steps_at": [[*bits, count] for bits, count in self.steps_at.items()]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.rule.load_state_dict(state["rule"])
        self.steps_at = {Bits(forward, backward): count for forward, backward, count in state["steps_at"]}
        self._apply(self.rule.bits)
