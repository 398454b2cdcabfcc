"""Bytes between matrix passes once results were seen."""

import numpy as np
import pytest

from host.compiler.bits import Bits
from host.compiler.step.networks import named
from host.compiler.step.traffic import traffic
from host.driver.integer_step import IntegerStep, random_parameters
from sim.contract import Build
from sim.reference import Reference


@pytest.mark.slow
def test_resnet_20_moves_at_most_13_bytes_an_element_at_8_8_and_fewer_at_fewer_bits():
    network = named("cifar10_resnet_20")
    step = IntegerStep(network, 16, Reference(Build.named("zc706")), random_parameters(network, 0))
    rng = np.random.default_rng(0)
    images, labels = rng.normal(0, 1, (16, *network.image)), rng.integers(0, 10, 16)
    moved = []
    for forward in range(3, 9):
        step.train(images, labels, Bits(forward, 8), lr=0.05)
        moved.append(traffic(step.lists(Bits(forward, 8))).per_element)
    assert moved == sorted(moved)
    assert moved[-1] <= 13
    assert moved[0] < 0.85 * moved[-1]
