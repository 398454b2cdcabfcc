"""The mean of several processes' velocities, and what follows from it; processes are lists here."""

from __future__ import annotations

import numpy as np
import pytest

from host.compiler.bits import Bits
from host.compiler.step.networks import named
from host.compiler.step.rates import Rates
from host.driver.averaged import averaged
from host.driver.integer_step import IntegerStep, random_parameters
from sim.contract import Build
from sim.reference import Reference

NETWORK = named("digits_resnet_8")


def stepped(seed: int) -> tuple[dict, dict]:
    """A process's state before and behind a step."""
    step = IntegerStep(NETWORK, 2, Reference(Build.named("tiny")), random_parameters(NETWORK, 0), seed=seed)
    before, rng = step.state(), np.random.default_rng(seed)
    step.train(rng.normal(size=(2, *NETWORK.image)), rng.integers(0, 10, 2), Bits(3, 8), lr=0.1)
    return before, step.state()


def test_one_process_goes_on_as_it_is():
    before, after = stepped(0)
    found = averaged(NETWORK, before, after, Rates.of(0.1), 1, lambda x: x, lambda x: x)
    assert found.keys() == after.keys()
    assert [name for name in after if not np.array_equal(found[name], after[name])] == []


@pytest.mark.slow
def test_three_processes_go_on_with_one_set_of_masters_and_their_own_statistics():
    befores, afters = zip(*(stepped(seed) for seed in range(3)), strict=True)
    sent: list[np.ndarray] = []

    def send(values: np.ndarray) -> np.ndarray:
        sent.append(values)
        return values

    for before, after in zip(befores, afters, strict=True):
        averaged(NETWORK, before, after, Rates.of(0.1), 3, send, lambda x: x)
    total = np.sum(sent, axis=0)
    most = np.max([after["seen"][:, -1:] for after in afters], axis=0)
    found = [
        averaged(NETWORK, before, after, Rates.of(0.1), 3, lambda _: total, lambda _: most)
        for before, after in zip(befores, afters, strict=True)
    ]
    for name in found[0]:
        own = name.endswith(("mean", "variance", "seed")) or name == "nodes"
        same = all(np.array_equal(found[0][name], other[name]) for other in found[1:])
        assert same != own, name
    assert not np.array_equal(found[0]["fc.weight"], afters[0]["fc.weight"])
