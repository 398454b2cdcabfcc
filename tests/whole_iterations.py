"""Whole iterations of training on an executor, to compare with the reference byte for byte."""

from __future__ import annotations

import numpy as np

from host.compiler.bits import Bits
from host.compiler.step.networks import named
from host.driver.integer_step import IntegerStep, random_parameters
from sim.contract import Executor
from sim.reference import Reference

ITERATIONS = (Bits(8, 8), Bits(3, 6))


def trained(executor: Executor, batch: int) -> IntegerStep:
    """ResNet-8 on small images, after its iterations and an evaluation."""
    network = named("digits_resnet_8")
    step = IntegerStep(network, batch, executor, random_parameters(network, seed=1), seed=5)
    draw = np.random.default_rng(2)
    for bits in ITERATIONS:
        images = draw.normal(size=(batch, *network.image))
        step.train(images, draw.integers(0, network.head.classes, batch), bits, lr=0.1)
    step.evaluate(draw.normal(size=(2, *network.image)), Bits(8, 8))
    return step


def assert_trains_as_the_reference(executor: Executor, batch: int) -> None:
    found, wanted = trained(executor, batch), trained(Reference(executor.build), batch)
    states = found.state(), wanted.state()
    assert states[0].keys() == states[1].keys()
    assert [name for name, value in states[1].items() if not np.array_equal(states[0][name], value)] == []
    assert np.array_equal(found.machine.memory, wanted.machine.memory)
