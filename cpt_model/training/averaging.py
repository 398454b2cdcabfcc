"""Stochastic weight averaging inside a run."""

from __future__ import annotations

from itertools import islice
from typing import Any

from torch import nn
from torch.optim.swa_utils import AveragedModel, update_bn

from cpt_model.methods.swa import update_statistics
from cpt_model.model_precision import precision
from cpt_model.training.evaluation import Result, evaluate
from cpt_model.training.task import Task
from host.compiler.bits import Bits

STATISTICS_BATCHES = 100  # enough for means of batch normalisation; an epoch of CIFAR has 390


class Averaging:
    """The mean of a model's weights after every `every` steps from `start` on."""

    def __init__(self, model: nn.Module, start: int, every: int) -> None:
        self.start, self.every = start, every
        self.averaged = AveragedModel(model)

    def after_step(self, model: nn.Module, done: int) -> None:
        if done >= self.start and (done - self.start) % self.every == 0:
            self.averaged.update_parameters(model)

    @property
    def count(self) -> int:
        """Weights that entered the average."""
        return int(self.averaged.n_averaged)

    def evaluate(self, task: Task, bits: Bits | None) -> Result | None:
        """The averaged weights, their statistics measured again; `bits` None is float32."""
        if not self.count:
            return None
        batches = (task.batches[step] for step in range(task.batches.steps_per_epoch))
        data = islice(batches, STATISTICS_BATCHES)
        if bits is None:
            update_bn(data, self.averaged)
            return evaluate(self.averaged.module, task)
        update_statistics(self.averaged, data, bits)
        with precision(self.averaged, bits):
            return evaluate(self.averaged.module, task)

    def state_dict(self) -> dict[str, Any]:
        return self.averaged.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.averaged.load_state_dict(state)
