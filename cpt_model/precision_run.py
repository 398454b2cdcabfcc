"""What every callback does: step the precision, evaluate at stated bits, add up the cost, save and restore it all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import distributed, nn

from cpt_model.model_precision import (
    layer_states,
    load_quantisation_state,
    quantisation_state,
    scheduler,
    set_precision,
)
from cpt_model.schedules import Schedule
from host.compiler.bits import Bits

Cost = Callable[[Bits], float]


@dataclass(frozen=True)
class Plan:
    """How the precision of a run goes, before the number of its steps is known.

    Args:
        forward: schedule of weights and activations.
        backward: schedule of errors; a whole number is a static one.
        total_steps: optimiser steps of the run; None takes the trainer's own number.
        every: how many steps share a precision.
        evaluate_at: bits of evaluation; None is the highest the schedules reach.
        cost: of one step at given bits, in any unit; the sum so far is logged.
    """

    forward: Schedule
    backward: Schedule | int = 8
    total_steps: int | None = None
    every: int = 1
    evaluate_at: Bits | int | None = None
    cost: Cost | None = None


class PrecisionRun:
    """A plan as it is carried out on a model.

    >>> from cpt_model import get_precision, prepare_
    >>> from cpt_model.schedules import CPT
    >>> model = prepare_(nn.Conv2d(3, 4, 1))
    >>> run = PrecisionRun(model, Plan(CPT(3, 8, cycles=1), cost=lambda bits: bits.forward), total_steps=2)
    >>> run.step()
    >>> run.metrics()
    {'bits/forward': 3, 'bits/backward': 8, 'cost': 3.0}
    >>> run.begin_evaluation()
    >>> get_precision(model)
    Bits(forward=6, backward=8)
    """

    def __init__(self, model: nn.Module, plan: Plan, total_steps: int) -> None:
        self.model = model
        self.plan = plan
        self.scheduler = scheduler(model, plan.forward, plan.backward, plan.total_steps or total_steps, plan.every)
        self.used = self.scheduler.get_last_bits()
        self.spent = 0.0

    def step(self) -> None:
        """After an optimiser step: counts its cost and goes to the next one's precision."""
        self.used = self.scheduler.get_last_bits()
        if self.plan.cost:
            self.spent += self.plan.cost(self.used)
        self.scheduler.step()

    def metrics(self) -> dict[str, float]:
        """Bits of the last step done and, if there is a cost, the sum of it."""
        bits: dict[str, float] = {"bits/forward": self.used.forward, "bits/backward": self.used.backward}
        return bits | ({"cost": self.spent} if self.plan.cost else {})

    def begin_evaluation(self) -> None:
        stated = self.plan.evaluate_at
        set_precision(self.model, self.highest() if stated is None else stated)

    def end_evaluation(self) -> None:
        set_precision(self.model, self.scheduler.get_last_bits())

    def highest(self) -> Bits:
        """The highest bits the schedules reach, each on its own."""
        updates = -(-self.scheduler.total_steps // self.scheduler.every)
        every = np.arange(updates)
        schedules = self.scheduler.forward, self.scheduler.backward
        return Bits(*(int(schedule.bits(every, updates).max()) for schedule in schedules))

    def state_dict(self) -> dict[str, Any]:
        """Plain numbers and containers, so that `torch.load(weights_only=True)` reads it."""
        return {
            "scheduler": self.scheduler.state_dict(),
            "used": list(self.used),
            "spent": self.spent,
            "quantisation": quantisation_state(self.model),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.scheduler.load_state_dict(state["scheduler"])
        self.used = Bits(*state["used"])
        self.spent = float(state["spent"])
        load_quantisation_state(self.model, self._with_own_seeds(state["quantisation"]))

    def _with_own_seeds(self, saved: dict[str, Any]) -> dict[str, Any]:
        """The first process alone writes a checkpoint, but every process of a run draws noise of its own."""
        if not (distributed.is_available() and distributed.is_initialized() and distributed.get_rank()):
            return saved
        seeds = {name: state.seed for name, state in layer_states(self.model).items()}
        return {name: {**layer, "seed": seeds.get(name)} for name, layer in saved.items()}
