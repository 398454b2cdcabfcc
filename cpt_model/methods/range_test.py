"""Precision range test (CPT paper, section 3.3): which widths to cycle between, found at the start of training.

A copy of the model is trained while its width grows, `steps` optimiser steps at each. The training accuracy is averaged
over `window` steps. The **lower bound** is the width in force when that average first exceeds the best of the narrower
widths by more than `threshold`: from there on the network learns. The **upper bound** is the narrowest width whose
loss is within `tolerance` (relative) of the widest one's, with the same final weights on the same batches, so that
only the width differs. Where there is no accuracy, the relative fall of the loss takes its place.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

import torch
from torch import Tensor, nn

from cpt_model.methods.range_test_result import RangeTest
from cpt_model.model_precision import set_precision
from host.compiler.bits import Bits, check_bits
from sim.common.progress import watched

Batch = tuple[Tensor, Tensor]
Loss = Callable[[Tensor, Tensor], Tensor]
Accuracy = Callable[[Tensor, Tensor], float]


class RangeTestError(ValueError):
    """A range test that cannot be; the message says what and what is allowed."""


def top1(output: Tensor, target: Tensor) -> float:
    """Share of samples whose greatest output is the target's.

    >>> top1(torch.tensor([[1.0, 3.0], [2.0, 0.0]]), torch.tensor([1, 1]))
    0.5
    """
    return float((output.argmax(1) == target).float().mean())


def precision_range_test(
    model: nn.Module,
    data: Iterable[Batch],
    loss: Loss,
    optimizer: Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer],
    widths: Sequence[int] = range(2, 9),
    steps: int = 100,
    window: int = 20,
    threshold: float = 0.1,
    tolerance: float = 0.05,
    backward: int = 8,
    accuracy: Accuracy | None = top1,
    seed: int = 0,
    progress: bool = True,
) -> RangeTest:
    """Finds the bounds of cyclic precision; the model given is not touched, the generator of `torch` neither.

    Args:
        model: prepared by `prepare_`.
        data: (input, target) batches; started again when it ends.
        loss: called as loss(output, target).
        optimizer: called with the parameters of the copy, e.g. `lambda p: torch.optim.SGD(p, lr=0.1)`.
        widths: forward bits, growing.
        steps: optimiser steps at each width, at least twice the window.
        window: steps of the moving average.
        threshold: gain of accuracy (or relative fall of the loss) that counts as learning: well above the noise of the
            average; 0.1 suits ten classes, a hundred want less or more steps.
        tolerance: how much greater than the widest width's a loss may be at the upper bound.
        backward: bits of the errors; 0 is float32.
        accuracy: called as accuracy(output, target); None judges by the loss.
        seed: of everything random in the test.
        progress: whether a bar is shown, or without a terminal a line every 30 seconds.
    """
    widths = list(widths)
    _check(widths, steps, window, threshold, tolerance, backward)
    trained = copy.deepcopy(model).train()
    parameters = [parameter for parameter in trained.parameters() if parameter.requires_grad]
    losses: list[float] = []
    scores: list[float] = []
    bits = [width for width in widths for _ in range(steps)]
    recent: deque[Batch] = deque(maxlen=window)
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        torch.manual_seed(seed)
        descent = optimizer(parameters)
        batches = _endless(data)
        for width in watched(bits, "range test", "steps") if progress else bits:
            set_precision(trained, Bits(width, backward))
            recent.append(next(batches))
            value, score = _train(trained, descent, recent[-1], loss, accuracy, f"step {len(losses)}, {width} bits")
            losses.append(value)
            scores.append(score)
        width_losses = _losses_of_widths(trained, list(recent), loss, widths, backward, seed)
    if accuracy is None:
        first = sum(losses[:window]) / window
        scores = [-value / (abs(first) or 1.0) for value in losses]
    average = moving_average(scores, window)
    lower_step = first_gain(average, steps, window, threshold)
    return RangeTest(
        widths=widths,
        backward=backward,
        steps=steps,
        window=window,
        threshold=threshold,
        tolerance=tolerance,
        metric="loss" if accuracy is None else "accuracy",
        bits=bits,
        loss=losses,
        score=scores,
        average=average,
        lower=None if lower_step is None else bits[lower_step],
        lower_step=lower_step,
        upper=narrowest_within(widths, width_losses, tolerance),
        width_losses=width_losses,
    )


def moving_average(values: Sequence[float], window: int) -> list[float]:
    """Mean of the last `window` values at each step; of all so far before there are that many.

    >>> moving_average([0.0, 1.0, 2.0, 6.0], window=2)
    [0.0, 0.5, 1.5, 4.0]
    """
    means = []
    for end in range(1, len(values) + 1):
        part = values[max(0, end - window) : end]
        means.append(math.fsum(part) / len(part))
    return means


def first_gain(average: Sequence[float], steps: int, window: int, threshold: float) -> int | None:
    """The first step whose average exceeds the best of the narrower widths by more than the threshold.

    A width's average is read only where its window lies wholly in that width. The first width is compared with its own
    first window; a width that only makes good what a narrower one lost has learnt nothing.

    >>> first_gain([0.1, 0.1, 0.0, 0.0, 0.1, 0.1, 0.2, 0.4], steps=4, window=2, threshold=0.15)
    7
    """
    best = average[window - 1]
    for start in range(0, len(average), steps):
        for step in range(start + window - 1, start + steps):
            if average[step] - best > threshold:
                return step
        best = max(best, average[start + steps - 1])
    return None


def narrowest_within(widths: Sequence[int], losses: Sequence[float], tolerance: float) -> int:
    """The narrowest width from which on every loss is within the tolerance of the widest one's.

    >>> narrowest_within([2, 3, 4, 5], [1.0, 2.0, 1.04, 1.0], tolerance=0.05)
    4
    """
    limit = losses[-1] + tolerance * abs(losses[-1])
    upper = widths[-1]
    for width, value in zip(reversed(widths), reversed(losses), strict=True):
        if value > limit:
            break
        upper = width
    return upper


def _train(
    model: nn.Module, descent: torch.optim.Optimizer, batch: Batch, loss: Loss, accuracy: Accuracy | None, where: str
) -> tuple[float, float]:
    """One step; its loss and accuracy before it."""
    try:
        output = model(batch[0])
        value = loss(output, batch[1])
        found = _finite(value, where), math.nan if accuracy is None else accuracy(output.detach(), batch[1])
        descent.zero_grad()
        value.backward()
        descent.step()
    except RangeTestError:
        raise
    except ValueError as error:  # as quantisers raise it when weights have overflowed
        raise RangeTestError(f"{where}: {error}") from error
    return found


@torch.no_grad()
def _losses_of_widths(
    model: nn.Module, batches: list[Batch], loss: Loss, widths: Sequence[int], backward: int, seed: int
) -> list[float]:
    """Mean loss at each width with the same weights, batches and random numbers, in training mode."""
    means = []
    for width in widths:
        set_precision(model, Bits(width, backward))
        torch.manual_seed(seed)
        values = [_finite(loss(model(x), target), f"comparison at {width} bits") for x, target in batches]
        means.append(math.fsum(values) / len(values))
    return means


def _endless(data: Iterable[Batch]) -> Iterator[Batch]:
    while True:
        batch = None
        for batch in data:
            yield batch
        if batch is None:
            raise RangeTestError("the data has no batches, or is an iterator that ran out: give a list or a DataLoader")


def _finite(value: Tensor, where: str) -> float:
    number = float(value.detach())
    if not math.isfinite(number):
        raise RangeTestError(f"the loss is {number} at {where}: lower the learning rate or start wider")
    return number


def _check(widths: list[int], steps: int, window: int, threshold: float, tolerance: float, backward: int) -> None:
    if not widths:
        raise RangeTestError("there are no widths")
    for width in widths:
        check_bits("width", width, error=RangeTestError)
    if any(narrow >= wide for narrow, wide in itertools.pairwise(widths)):
        raise RangeTestError(f"widths {widths} do not grow")
    check_bits("backward", backward, least=0, error=RangeTestError)
    if window < 1 or steps < 2 * window:
        raise RangeTestError(f"steps = {steps} at each width are fewer than two windows of {window}")
    if not threshold > 0 or not tolerance >= 0:
        raise RangeTestError(f"threshold = {threshold} must be above 0, tolerance = {tolerance} not below")
