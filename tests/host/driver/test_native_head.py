"""The head in C is the one in NumPy, bit for bit: loss, logits, differences, and all that it leaves in the region."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from host.compiler.bits import Bits
from host.compiler.step.head import Classifier
from host.compiler.step.initial import random_parameters
from host.compiler.step.networks import named
from host.driver import native_head, step_head
from host.driver.integer_step import IntegerStep
from host.native import library
from sim.contract import Build
from sim.reference import Reference

SPANS = (1, 1 << 6, 1 << 17, 1 << 22)  # the greatest sum


def drawn(images: int, span: int, spread: float, seed: int = 0) -> tuple[IntegerStep, np.ndarray]:
    """A step whose forward list is done, as far as the head can see."""
    rng = np.random.default_rng(seed)
    network = named("digits_resnet_8")
    step = IntegerStep(network, images, Reference(Build.named("tiny")), random_parameters(network, seed=0))
    classes, features = network.head.classes, network.last_map[0]
    step.head = Classifier.of(rng.normal(0, spread, (classes, features)), rng.normal(0, spread, classes))
    words = rng.integers(-span, span + 1, (images, 16 * (-(-features // 16))))
    sums = step.places.pooled()
    sums.write(step.machine.memory, words.reshape(images, -1, 1, 1, 16))
    header, _ = step.places.node_step(network.blocks[-1]).begin(step.machine.memory)
    header["fraction"] = int(rng.integers(-3, 25))
    return step, rng.integers(0, classes, images)


@pytest.mark.skipif(library() is None, reason="no C compiler")
@pytest.mark.parametrize("span", SPANS)
@pytest.mark.parametrize(("images", "spread"), [(1, 0.0), (3, 0.1), (128, 0.1), (5, 3.0), (2, 15.9)])
def test_the_head_in_c_is_that_in_numpy(images: int, span: int, spread: float) -> None:
    step, labels = drawn(images, span, spread)
    before = step.machine.memory.copy()
    pooled, loss, differences = step._head.errors(step.head, labels)()
    found: list[Any] = [
        step.machine.memory.copy(),
        pooled.sums.copy(),
        loss.logits,
        differences.copy(),
        loss.error,
        loss.loss,
    ]
    assert step._head.native is not None
    step._head.native, step.machine.memory[:] = None, before
    pooled, loss, differences = step._head.errors(step.head, labels)()
    expected: list[Any] = [step.machine.memory, pooled.sums, loss.logits, differences, loss.error, loss.loss]
    for ours, theirs in zip(found, expected, strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.skipif(library() is None, reason="no C compiler")
def test_sums_that_do_not_fit_are_refused_by_numpy_with_its_words() -> None:
    step, labels = drawn(2, (1 << 31) - 1, 15.9)
    with pytest.raises(ValueError, match="in the classifier can pass 53 bits"):
        step._head.errors(step.head, labels)


def test_a_run_is_the_same_without_the_library(monkeypatch) -> None:
    def state() -> dict:
        network = named("digits_resnet_8")
        step = IntegerStep(network, 4, Reference(Build.named("tiny")), random_parameters(network, seed=1))
        rng = np.random.default_rng(0)
        for bits in (Bits(3, 8), Bits(4, 8), Bits(4, 8)):
            step.train(rng.normal(size=(4, *network.image)), rng.integers(0, 10, 4), bits, lr=0.1)
        return step.state()

    with_it = state()
    monkeypatch.setattr(step_head, "library", lambda: None)
    monkeypatch.setattr(native_head, "library", lambda: None)
    without = state()
    assert all(np.array_equal(with_it[name], without[name]) for name in without)
