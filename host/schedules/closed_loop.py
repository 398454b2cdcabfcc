"""Precision that follows what the training shows: it goes to the next of its stages when a rule says so."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from host.compiler.bits import Bits
from host.schedules.base import ScheduleError


class ClosedLoop(ABC):
    """The base class of PFQ, MuPPET and rules of one's own, which see one number an epoch.

    A rule has `wants_more`, which says whether the next stage begins; what it remembers for that are attributes named
    in `memory`, each a number or a list of numbers.

    Args:
        stages: precisions in the order they come, as pairs of forward and backward bits.

    >>> class Impatient(ClosedLoop):
    ...     def wants_more(self, value):
    ...         return value > 1
    >>> rule = Impatient([(3, 8), (8, 8)])
    >>> rule.observe(0.5), rule.observe(2.0), rule.observe(9.0), rule.bits
    (False, True, False, Bits(forward=8, backward=8))
    """

    memory: tuple[str, ...] = ()

    def __init__(self, stages: Iterable[Bits | tuple[int, int]]) -> None:
        self.stages = tuple(Bits(*each) for each in stages)
        if not self.stages:
            raise ScheduleError("a precision needs at least one stage, as in [(3, 8), (8, 8)]")
        self.stage = 0
        self.observed = 0

    @property
    def bits(self) -> Bits:
        """The precision in force."""
        return self.stages[self.stage]

    def observe(self, value: float) -> bool:
        """Takes one epoch's number; whether the precision has changed."""
        if not math.isfinite(value):
            raise ScheduleError(f"observation {self.observed + 1} is {value}, not a finite number")
        self.observed += 1
        if not self.wants_more(float(value)) or self.stage + 1 == len(self.stages):
            return False
        self.stage += 1
        self.begin_stage()
        return True

    @abstractmethod
    def wants_more(self, value: float) -> bool:
        """Whether the next stage should begin; called once for each observation, also in the last stage."""

    def begin_stage(self) -> None:  # noqa: B027 (some rules remember nothing)
        """Forgets what belongs to the stage before."""

    def state_dict(self) -> dict[str, Any]:
        """Plain numbers and lists."""
        own = {name: getattr(self, name) for name in self.memory}
        copies = {name: list(value) if isinstance(value, list) else value for name, value in own.items()}
        return {"rule": repr(self), "stage": self.stage, "observed": self.observed, **copies}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continues where the saved rule was; another rule's state is refused."""
        if state.get("rule") != repr(self):
            raise ScheduleError(f"saved with the rule {state.get('rule')}, this one is {self!r}")
        for name in ("stage", "observed", *self.memory):
            value = state[name]
            setattr(self, name, list(value) if isinstance(value, list) else value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(str, self.stages))})"
