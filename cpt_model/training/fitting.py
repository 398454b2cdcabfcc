"""The batch of a run that fits its data."""

from __future__ import annotations

from cpt_model.training.settings import Settings


def fitting_batch(run: Settings, there: int, world: int) -> int:
    """As the settings say; a set smaller than it is refused later on, or makes it smaller if they allow that.

    >>> fitting_batch(Settings(batch=128, fit_batch=True), there=11, world=2)
    10
    """
    if run.batch <= there or not run.fit_batch:
        return run.batch
    return max(there // world, 1) * world
