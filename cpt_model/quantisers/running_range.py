"""The range of an activation: the batch's own while training, a running mean of those in evaluation.

    m ← 0.9·m + 0.1·(least, greatest, 1),      range = (m₀, m₁) / m₂

The third number corrects for the start at 0, and is 0 before the first batch. Each operation is one of float32, so that
every device finds the same range.
"""

from __future__ import annotations

import logging
from functools import cache

import torch
from torch import Tensor

from cpt_model.arithmetic import any_device

MOMENTUM = 0.9
REST = 0.1
SIZE = 3
logger = logging.getLogger("cpt_model")


@cache
def say_empty() -> None:
    """Once, not for every layer and batch."""
    logger.warning(
        "evaluated without ranges of activations: each batch's own is taken until the model has been trained, "
        "its ranges are loaded behind prepare_, or update_statistics has measured them"
    )


class RunningRange:
    """The means are a tensor in a module's buffers, so that they are saved, copied, moved and averaged with it.

    >>> seen = RunningRange()
    >>> seen.observe(-1.0, 3.0)
    >>> seen.range()
    (-1.0, 3.0)
    """

    def __init__(self, buffers: dict[str, Tensor | None] | None = None, name: str = "range") -> None:
        """Without buffers it has its own."""
        self._buffers = {name: torch.zeros(SIZE)} if buffers is None else buffers
        self._name = name

    @property
    def means(self) -> Tensor:
        found = self._buffers[self._name]
        assert found is not None
        return found

    @property
    def is_empty(self) -> bool:
        """Whether no batch was observed."""
        return any_device.read(self.means[2]) == 0

    def observe(self, low: float, high: float) -> None:
        means = self.means
        new = torch.tensor((low, high, 1.0), dtype=means.dtype, device=means.device)
        means.mul_(MOMENTUM).add_(new.mul_(REST))

    def range(self) -> tuple[float, float]:
        """The corrected means; only after `observe`."""
        low, high = (self.means[:2] / self.means[2]).tolist()
        return low, high

    def choose(self, low: float, high: float, training: bool) -> tuple[float, float]:
        """The range to quantise with: the batch's (and it is remembered), or in evaluation what was seen, if any."""
        if training:
            self.observe(low, high)
            return low, high
        if self.is_empty:
            say_empty()
            return low, high
        return self.range()

    def copied(self) -> RunningRange:
        """One that forgets: what it observes does not reach the module."""
        return RunningRange({self._name: self.means.clone()}, self._name)

    def load(self, low: float, high: float, batches: int) -> None:
        """From a state of the time when ranges were not among the buffers: the number of batches gives the third."""
        self.means.copy_(torch.tensor((low, high, 1 - MOMENTUM**batches)))
