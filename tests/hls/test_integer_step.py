"""Whole iterations of training on the C++ kernel: every byte of the region as the reference leaves it."""

from __future__ import annotations

import numpy as np
import pytest

from host.compiler.bits import Bits
from host.compiler.step.networks import named
from host.driver.integer_step import IntegerStep, random_parameters
from sim.contract import BUILDS, Build, Executor
from sim.devices.hls_executor import HlsExecutor
from sim.reference import Reference

BATCH = 4
ITERATIONS = (Bits(8, 8), Bits(3, 6))


def trained(executor: Executor) -> IntegerStep:
    """After its iterations."""
    network = named("digits_resnet_8")
    step = IntegerStep(network, BATCH, executor, random_parameters(network, seed=1), seed=5)
    draw = np.random.default_rng(2)
    for bits in ITERATIONS:
        images = draw.normal(size=(BATCH, *network.image))
        step.train(images, draw.integers(0, network.head.classes, BATCH), bits, lr=0.1)
    step.evaluate(draw.normal(size=(2, *network.image)), Bits(8, 8))
    return step


@pytest.mark.parametrize("build", BUILDS)
def test_iterations_of_resnet_8_leave_what_the_reference_leaves(build: str) -> None:
    found, wanted = trained(HlsExecutor(Build.named(build))), trained(Reference(Build.named(build)))
    states = found.state(), wanted.state()
    assert states[0].keys() == states[1].keys()
    assert [name for name, value in states[1].items() if not np.array_equal(states[0][name], value)] == []
    assert np.array_equal(found.machine.memory, wanted.machine.memory)
