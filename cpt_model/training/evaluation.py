"""How good a network is on the test data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from cpt_model.training.task import Task


@dataclass(frozen=True)
class Result:
    """Mean loss, and accuracy in per cent or perplexity, whichever the task has."""

    loss: float
    score: float


@torch.no_grad()
def evaluate(
    model: nn.Module, task: Task, stop: Callable[[], object] = lambda: False, last: bool = False
) -> Result | None:
    """One pass over the test data (`last` chooses which) at the bits in force; None if `stop()` became true."""
    was_training = model.training
    model.eval()
    total, right, made = 0.0, 0, 0
    try:
        for x, target in task.tests(last):
            loss, hits, guesses = task.judge(model, x, target)
            total += loss.item() * guesses
            right += hits
            made += guesses
            if stop():
                return None
    finally:
        model.train(was_training)
    if not made:
        raise ValueError("the test data is empty")
    loss_mean = total / made
    return Result(loss_mean, 100 * right / made if task.score == "accuracy" else _perplexity(loss_mean))


def better(task: Task, score: float, than: float | None) -> bool:
    """Whether a score is the best so far."""
    if than is None:
        return True
    return score > than if task.score == "accuracy" else score < than


def _perplexity(loss: float) -> float:
    """exp(loss); a loss beyond float's range is as bad as it gets."""
    return math.exp(loss) if loss < 700 else math.inf
