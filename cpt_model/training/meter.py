"""What a run has cost so far: bit operations and hours on a board, as functions of the steps done."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from cpt_model.cost import ModelCount, Run
from cpt_model.cost.bit_operations import AS_PAPERS, step_cost
from cpt_model.cost.whole_step import HoursOf
from cpt_model.precision_run import Plan
from cpt_model.schedules import Static, as_schedule
from host.compiler.bits import Bits
from host.compiler.layer import LayerError
from host.compiler.plan import PlanError

GIGA = 1e9


@dataclass(frozen=True)
class Cost:
    """10⁹ bit operations, and hours on the board (None where a part is float32, which it cannot run)."""

    gbitops: float
    board_hours: float | None


class Meter:
    """Costs after each step, known before the first; float layers count as the papers count them.

    >>> from cpt_model.cost import count_network, paper_board
    >>> from cpt_model.schedules import CPT
    >>> network = count_network("cifar10_resnet_8")
    >>> meter = Meter(network, Plan(CPT(3, 8, cycles=8), 8), steps=800, batch=128, board=paper_board())
    >>> meter.after(0).gbitops, round(meter.after(800).gbitops), round(meter.after(800).board_hours, 4)
    (0.0, 157110, 0.0327)
    >>> round(100 * (1 - meter.after(800).gbitops / meter.static().gbitops), 1)
    36.9
    """

    def __init__(self, count: ModelCount, plan: Plan | None, steps: int, batch: int, board: HoursOf) -> None:
        self.count, self.batch, self.board, self.steps = count, batch, board, steps
        self.widths = _widths(plan, steps)
        kinds, index = np.unique(self.widths, axis=0, return_inverse=True)
        self._costs = [self._of_a_step(Bits(*kind)) for kind in kinds.tolist()]
        each = np.array([[cost.gbitops, cost.board_hours or 0.0] for cost in self._costs])
        self._sums = np.vstack([np.zeros(2), np.cumsum(each[index.reshape(-1)], axis=0)])
        self._has_hours = bool(self.widths.min())

    @classmethod
    def first(cls, count: ModelCount, plan: Plan | None, steps: int, batch: int, boards: Sequence[HoursOf]) -> Meter:
        """On the first of these boards that can run it; what the last one refuses is refused."""
        for board in boards[:-1]:
            with suppress(LayerError, PlanError):
                return cls(count, plan, steps, batch, board)
        return cls(count, plan, steps, batch, boards[-1])

    def bits(self, step: int) -> Bits:
        """Of one step; 0 is float32."""
        return Bits(*self.widths[step].tolist())

    def highest(self) -> Bits:
        return Bits(*self.widths.max(axis=0).tolist())

    def after(self, steps: int) -> Cost:
        gbitops, hours = self._sums[steps].tolist()
        return Cost(gbitops, hours if self._has_hours else None)

    def static(self) -> Cost:
        """Of the same run at the highest bits throughout: what savings are measured against."""
        one = self._of_a_step(self.highest())
        return Cost(one.gbitops * self.steps, None if one.board_hours is None else one.board_hours * self.steps)

    def _of_a_step(self, bits: Bits) -> Cost:
        gbitops = step_cost(self.count, self.batch, AS_PAPERS)(bits) / GIGA
        if not bits.forward:
            return Cost(gbitops, None)
        run = Run(Static(bits.forward), bits.backward, iterations=1, batch=self.batch)
        return Cost(gbitops, self.board.hours(self.count, run))


def _widths(plan: Plan | None, steps: int) -> np.ndarray:
    """Forward and backward bits of each step."""
    if plan is None:
        return np.zeros((steps, 2), np.int64)
    updates = -(-steps // plan.every)
    pair = [schedule.bits(np.arange(updates), updates) for schedule in (plan.forward, as_schedule(plan.backward))]
    return np.stack(pair, axis=1)[np.arange(steps) // plan.every]
