"""The classifier: against float64 autograd, and what it claims to compute exactly."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from host.compiler.step.fixed import divided, fixed, moved, ratio
from host.compiler.step.head import Classifier, Pooled, cross_entropy, error_codes, exact_product
from host.compiler.step.rates import Rates
from sim.reference.masters import moved as moved_one


def drawn(images: int = 8, features: int = 64, classes: int = 10, pixels: int = 64):
    rng = np.random.default_rng(images)
    pooled = Pooled(rng.integers(0, pixels << 12, (images, features)), 11, pixels)
    weight, bias = rng.normal(0, 0.2, (classes, features)), rng.normal(0, 0.2, classes)
    return pooled, weight, bias, rng.integers(0, classes, images)


@pytest.mark.parametrize("pixels", [4, 49, 64])
def test_loss_error_and_update_are_those_of_autograd(pixels):
    pooled, weight, bias, labels = drawn(pixels=pixels)
    head = Classifier.of(weight, bias)
    maps = torch.tensor(pooled.sums * 2.0**-pooled.fraction / pixels)[..., None].repeat(1, 1, pixels).requires_grad_()
    w, b = (torch.tensor(each, requires_grad=True) for each in (weight, bias))
    loss = F.cross_entropy(maps.mean(2) @ w.T + b, torch.tensor(labels))
    loss.backward()
    found = head.step(pooled, labels, Rates.of(0.1, weight_decay=1e-4))
    assert found.loss == pytest.approx(loss.item(), rel=1e-7)
    assert maps.grad is not None
    error = maps.grad[..., 0].numpy()
    assert np.abs(found.error * 2.0**-found.fraction - error).max() < np.abs(error).max() * 2**-15
    for words, before, gradient in ((head.weight, weight, w.grad), (head.bias, bias, b.grad)):
        assert gradient is not None
        wanted = before - 0.1 * (gradient.numpy() + 1e-4 * before)
        np.testing.assert_allclose(words * 2.0**-27, wanted, atol=3e-8)


def test_products_are_exact():
    rng = np.random.default_rng(3)
    a, b = rng.integers(-(1 << 24), 1 << 24, (5, 300)), rng.integers(-(1 << 31), 1 << 31, (300, 7)).astype(np.int32)
    assert (exact_product(a, b) == (a.astype(object) @ b.astype(object))).all()
    with pytest.raises(ValueError, match="fewer bits"):
        exact_product(np.full((1, 300), 1 << 40), b)


def test_the_gradient_of_a_logit_is_a_probability_with_24_bits():
    _, differences = cross_entropy(np.zeros((1, 4)), np.array([2]))
    assert differences.tolist() == [[1 << 22, 1 << 22, -3 << 22, 1 << 22]]


def test_certainty_leaves_no_error():
    _, differences = cross_entropy(np.array([[100.0, 0.0]]), np.array([0]))
    assert not differences.any()
    codes, fraction = error_codes(np.zeros((1, 2)))
    assert not codes.any()
    assert fraction == 0


def test_the_same_bits_whatever_the_batch_around_an_image():
    pooled, weight, bias, _ = drawn(images=33, classes=100)
    head = Classifier.of(weight, bias)
    alone = [head.logits(Pooled(row[None], pooled.fraction, pooled.pixels))[0] for row in pooled.sums]
    assert np.array_equal(head.logits(pooled), alone)


def test_updates_are_those_of_the_reference():
    rng = np.random.default_rng(4)
    w, v, gradient = (rng.integers(-(1 << 31), 1 << 31, 500).astype(np.int32) for _ in range(3))
    rates = Rates.of(0.1, momentum=0.9, weight_decay=5e-4)
    three = (rates.momentum, rates.weight_decay, rates.weight_rate)
    pairs = zip(w.tolist(), v.tolist(), gradient.tolist(), strict=True)
    wanted = [moved_one(*each, *three) for each in pairs]
    assert list(zip(*(each.tolist() for each in moved(w, v, gradient, *three)), strict=True)) == wanted


def test_fixed_point():
    values = np.arange(-20, 21)
    for divisor in (1, 2, 3, 4, 6):
        assert divided(values, divisor).tolist() == np.rint(values / divisor).astype(int).tolist()
    assert ratio(np.array([1 << 50, -(1 << 50)]), 3, -5).tolist() == [(1 << 31) - 1, -(1 << 31)]
    assert ratio(np.array([[7, -7], [3 << 59, 1 << 59]]), 1, 60).tolist() == [[0, 0], [2, 0]]
    assert fixed([-1.0, 2**-28, 3 * 2**-28], 27).tolist() == [-(1 << 27), 0, 2]


def test_rates_beyond_their_words_are_refused():
    with pytest.raises(ValueError, match="learning rate 32"):
        Rates.of(32.0)
    with pytest.raises(ValueError, match=r"momentum 1\.5"):
        Rates.of(0.1, momentum=1.5)
