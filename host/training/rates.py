"""Learning rates as functions of the step, so that a resumed run needs no state of them.

With t = step / steps, `lr` the highest rate, and n `lr_cycles`:

- constant: lr
- step: lr · factor^(milestones passed), the papers' recipe; or lr, then `lr_rates` one after the other
- cosine: from lr to `lr_low`
- anneal_cosine: the CPT authors' cosine, from lr to lr · factor²
- linear: the CPT authors': lr for half the run, down to lr / 100 at t = 0.9, then that
- cyclic: n times from lr to `lr_low` by a cosine (warm restarts): the baseline "static precision + cyclic rate"
- triangular: n times from `lr_low` up to lr and down again (Smith's)

All by additions and products, which every processor rounds alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from sim.common.elementary import cos_pi

Settings = Any  # whatever has the names of a run's settings: PyTorch's, or a device's


def _constant(run: Settings, t: float) -> float:
    return run.lr


def _step(run: Settings, t: float) -> float:
    passed = sum(t >= share for share in run.lr_milestones)
    if run.lr_rates is not None:
        return (run.lr, *run.lr_rates)[passed]
    return run.lr * math.prod([run.lr_factor] * passed)


def _cosine(run: Settings, t: float) -> float:
    return _between(run.lr_low, run.lr, t)


def _anneal_cosine(run: Settings, t: float) -> float:
    return _between(run.lr * (run.lr_factor * run.lr_factor), run.lr, t)


def _linear(run: Settings, t: float) -> float:
    return run.lr * (1 - 0.99 * min(max((t - 0.5) / 0.4, 0), 1))


def _cyclic(run: Settings, t: float) -> float:
    return _between(run.lr_low, run.lr, t * run.lr_cycles % 1)


def _triangular(run: Settings, t: float) -> float:
    x = t * run.lr_cycles % 1
    return run.lr_low + (run.lr - run.lr_low) * (1 - abs(2 * x - 1))


def _between(low: float, high: float, x: float) -> float:
    return low + (high - low) * (1 + float(cos_pi(x))) / 2


RATES: dict[str, Callable[[Settings, float], float]] = {
    "step": _step,
    "cosine": _cosine,
    "constant": _constant,
    "cyclic": _cyclic,
    "triangular": _triangular,
    "linear": _linear,
    "anneal_cosine": _anneal_cosine,
    "piecewise": _step,  # the CPT authors' name
}


def rate(run: Settings, step: int, steps: int) -> float:
    """The learning rate of a step; a warm-up comes before everything.

    >>> from host.training.settings import Settings
    >>> recipe = Settings(lr=0.1, warm_up=400, warm_up_lr=0.01)
    >>> [round(rate(recipe, step, 64_000), 4) for step in (0, 400, 31_999, 32_000, 48_000)]
    [0.01, 0.1, 0.1, 0.01, 0.001]
    """
    scheduled = RATES[run.lr_schedule](run, step / steps)
    if step >= run.warm_up:
        return scheduled
    return scheduled * (step + 1) / run.warm_up if run.warm_up_lr is None else run.warm_up_lr
