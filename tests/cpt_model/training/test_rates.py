"""Learning rates at the steps that matter."""

from __future__ import annotations

import pytest

from cpt_model.training import Settings
from host.training.rates import rate

STEPS = 1000


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (Settings(lr_schedule="constant"), {0: 0.1, 999: 0.1}),
        (Settings(lr_schedule="step"), {499: 0.1, 500: 0.01, 749: 0.01, 750: 0.001}),
        (Settings(lr_schedule="piecewise", lr_factor=0.5), {0: 0.1, 500: 0.05, 750: 0.025}),
        (Settings(lr_schedule="cosine", lr_low=0.02), {0: 0.1, 500: 0.06}),
        (Settings(lr_schedule="anneal_cosine"), {0: 0.1, 500: 0.0505}),
        (Settings(lr_schedule="linear"), {500: 0.1, 700: 0.0505, 900: 0.001, 999: 0.001}),
        (Settings(lr_schedule="cyclic", lr_cycles=4), {0: 0.1, 125: 0.05, 250: 0.1, 875: 0.05}),
        (Settings(lr_schedule="triangular", lr_cycles=2, lr_low=0.02), {0: 0.02, 250: 0.1, 500: 0.02, 875: 0.06}),
        (Settings(lr_schedule="constant", warm_up=10), {0: 0.01, 4: 0.05, 9: 0.1, 10: 0.1}),
        (Settings(lr_schedule="constant", warm_up=400, warm_up_lr=0.01), {0: 0.01, 399: 0.01, 400: 0.1}),
    ],
)
def test_rates(run: Settings, expected: dict[int, float]) -> None:
    assert {step: rate(run, step, STEPS) for step in expected} == pytest.approx(expected)
