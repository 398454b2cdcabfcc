"""A training run as its cost sees it: how many iterations at which widths."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from cpt_model.schedules import CPT, Schedule, ScheduleError, Static, as_schedule
from host.compiler.bits import Bits

# The papers' CIFAR recipe, which their ImageNet costs count too.
ITERATIONS = 64_000
BATCH = 128

MATRIX_PASSES, WHOLE_STEPS = "matrix passes", "whole training steps"  # what hours are of, in words

PRECISION = re.compile(r"(\d+)(?:-(\d+))?/(\d+)")


@dataclass(frozen=True)
class Run:
    """Precision of each iteration: weights and activations, and errors; and how many samples an iteration has.

    >>> Run(Static(8), 8, iterations=100).widths()
    {Bits(forward=8, backward=8): 100}
    """

    forward: Schedule
    backward: Schedule | int
    iterations: int = ITERATIONS
    batch: int = BATCH

    def __post_init__(self) -> None:
        if self.iterations < 1 or self.batch < 1:
            raise ScheduleError(f"iterations = {self.iterations} and batch = {self.batch} must both be at least 1")

    @property
    def samples(self) -> int:
        return self.iterations * self.batch

    def widths(self) -> dict[Bits, int]:
        """Iterations at each pair of widths; every cost is a sum over these few.

        >>> list(Run.named("3-8/8", iterations=64_000).widths().values())  # 32 cycles
        [13120, 10528, 8352, 8384, 10528, 13088]
        """
        steps = np.arange(self.iterations)
        schedules = self.forward, as_schedule(self.backward)
        pairs = np.stack([schedule.bits(steps, self.iterations) for schedule in schedules], axis=1)
        base = int(pairs.max()) + 1
        keys, counts = np.unique(pairs @ (base, 1), return_counts=True)
        return {Bits(*divmod(key, base)): number for key, number in zip(keys.tolist(), counts.tolist(), strict=True)}

    @classmethod
    def named(cls, precision: str, iterations: int = ITERATIONS, batch: int = BATCH) -> Run:
        """As the papers write it: "8/8" is static, "3-8/8" is CPT's cosine from 3 to 8 bits in 32 cycles.

        >>> Run.named("3-8/8").forward
        CPT(low=3, high=8, cycles=32, growth='cosine', decay='none')
        """
        match = PRECISION.fullmatch(precision)
        if not match:
            raise ScheduleError(f"precision '{precision}' is not understood; write 8/8 or 3-8/8 (forward/backward)")
        low, high, backward = match.groups()
        return cls(CPT(int(low), int(high)) if high else Static(int(low)), int(backward), iterations, batch)
