"""Whole iterations on the reference: against float64 autograd, and to the bit against themselves."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from host.compiler.bits import Bits
from host.compiler.step import space
from host.compiler.step.images import IMAGE_RANGE, image_codes, image_step
from host.compiler.step.network import Network
from host.compiler.step.networks import named, plain
from host.driver.devices import open_device
from host.driver.errors import ExecutionError
from host.driver.integer_step import IntegerStep, random_parameters
from sim.contract import Build
from sim.reference import Reference
from tests.host.compiler.step.small import in_float, mixed

TINY = Build.named("tiny")
DIGITS = named("digits_resnet_8")
CYCLE = [Bits(forward, 8) for forward in (3, 4, 8, 5)]


def started(network: Network = DIGITS, batch: int = 4, seed: int = 0, **settings) -> IntegerStep:
    return IntegerStep(network, batch, Reference(TINY), random_parameters(network, seed), **settings)


def drawn(network: Network, batch: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Images that codes hold exactly, so that float64 sees the same."""
    rng = np.random.default_rng(seed)
    codes = image_codes(rng.normal(0, 0.8, (batch, *network.image)))
    return codes * image_step(IMAGE_RANGE), rng.integers(0, network.head.classes, batch)


def digits(batch: int, number: int = 0) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_digits

    found = load_digits()
    rows = np.random.default_rng(number).permutation(len(found.images))[:batch]
    return (found.images[rows][:, None] - 4.9) / 6.0, found.target[rows]


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))


def equal(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> bool:
    assert first.keys() == second.keys()
    return all(np.array_equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize(
    ("network", "bits", "least"),
    [
        (DIGITS, Bits(8, 8), 0.955),
        (DIGITS, Bits(9, 16), 0.975),
        (mixed(), Bits(8, 8), 0.955),
        (mixed(), Bits(9, 16), 0.975),
        (plain("plain", (3, 8, 8), (16, 24, 32), (1, 2, 1), 10), Bits(8, 8), 0.985),
    ],
    ids=["resnet-8/8", "resnet-9/16", "mixed-8/8", "mixed-9/16", "plain-8/8"],
)
def test_gradients_are_those_of_float64_autograd(network, bits, least):
    """On average over the layers; one alone may be 0.03 off, since ReLUs of a random network flip with any noise."""
    floats = random_parameters(network, seed=3)
    rng = np.random.default_rng(3)
    for unit in network.units:  # γ and β of either sign
        channels = unit.layer.out_channels
        floats[f"{unit.norm}.weight"] = rng.uniform(0.6, 1.4, channels) * rng.choice([-1, 1], channels)
        floats[f"{unit.norm}.bias"] = rng.normal(0, 0.3, channels)
    images, labels = drawn(network, 8)
    step = IntegerStep(network, 8, Reference(TINY), floats, widest=bits, weight_decay=0)
    loss = step.train(images, labels, bits, lr=0.1)
    logits, parameters = in_float(network, floats, images)
    wanted = F.cross_entropy(logits, torch.tensor(labels))
    wanted.backward()
    assert loss == pytest.approx(wanted.item(), rel=0.01)
    state = step.state()  # the first velocities are the gradients
    cosines = []
    for unit in network.units:
        pairs = {
            f"{unit.name}.weight": state[f"{unit.name}.velocity"],
            f"{unit.norm}.weight": state[f"{unit.norm}.gamma_velocity"],
            f"{unit.norm}.bias": state[f"{unit.norm}.beta_velocity"],
        }
        for name, words in pairs.items():
            gradient = parameters[name].grad
            assert gradient is not None
            found, exact = words * 2.0**-24, gradient.numpy()
            of_norm = unit.norm in name  # a number a channel: few, and noisier
            assert cosine(found, exact) > least - (0.06 if of_norm else 0.03), name
            assert np.linalg.norm(found) == pytest.approx(np.linalg.norm(exact), rel=0.2 if of_norm else 0.1), name
            cosines += [] if of_norm else [cosine(found, exact)]
    assert np.mean(cosines) > least


def test_it_learns_digits():
    step = started(batch=16)
    losses = [step.train(*digits(16, number % 2), Bits(3 + number % 6, 8), lr=0.1) for number in range(12)]
    assert np.mean(losses[-2:]) < 0.7 * np.mean(losses[:2])


def test_cycling_precision_repeats_and_resumes_to_the_bit():
    images, labels = digits(4)
    whole, first = started(), started()
    for bits in CYCLE * 2:
        whole.train(images, labels, bits, lr=0.1)
    for bits in CYCLE:
        first.train(images, labels, bits, lr=0.1)
        first.evaluate(digits(6, 5)[0], bits)  # changes nothing
    second = started(seed=9)
    second.load(first.state())
    assert equal(second.state(), first.state())
    for bits in CYCLE:
        second.train(images, labels, bits, lr=0.1)
    assert equal(second.state(), whole.state())


def test_another_seed_rounds_otherwise():
    images, labels = digits(4)
    states = []
    for seed in (0, 1):
        step = IntegerStep(DIGITS, 4, Reference(TINY), random_parameters(DIGITS, 0), seed=seed)
        step.train(images, labels, Bits(4, 8), lr=0.1)
        states.append(step.state())
    assert not np.array_equal(states[0]["conv1.weight"], states[1]["conv1.weight"])


@pytest.mark.parametrize("network", [DIGITS, mixed()], ids=["resnet", "mixed"])
def test_sharing_bytes_changes_nothing(network, monkeypatch):
    """Nor does what memory held before."""
    images, labels = drawn(network, 4)
    states = []
    for shared in (True, False):
        if not shared:
            monkeypatch.setattr(space, "share", _one_behind_the_other)
        step = started(network)
        if shared:
            _, size = step.program.plan.pieces["shared by all that passes"]
            step.machine.memory[-size:] = 0xA5
        for bits in (Bits(3, 8), Bits(8, 8), Bits(3, 8)):
            step.train(images, labels, bits, lr=0.1)
        states.append(step.state())
    assert equal(*states)


def _one_behind_the_other(pieces):
    offsets, end = {}, 0
    for name, (size, _, _) in pieces.items():
        offsets[name] = end
        end += -(-size // 64) * 64
    return offsets, end


def test_the_driver_gives_the_same():
    images, labels = digits(4)
    plainly = started()
    with open_device("reference", TINY, log=lambda _: None) as accelerator:
        step = IntegerStep(DIGITS, 4, accelerator, random_parameters(DIGITS, 0))
        for each in (plainly, step):
            each.train(images, labels, Bits(3, 8), lr=0.1)
            each.train(images, labels, Bits(4, 8), lr=0.1)
        assert equal(step.state(), plainly.state())
        assert np.array_equal(step.evaluate(images, Bits(4, 8)), plainly.evaluate(images, Bits(4, 8)))
        step.close()


@pytest.mark.parametrize("network", [DIGITS, mixed()], ids=["resnet", "mixed"])
def test_evaluation_normalises_by_running_statistics(network):
    """Given a batch's own, its logits are those of training."""
    floats, bits = random_parameters(network, 1), Bits(9, 8)
    images, _ = drawn(network, 7)
    statistics: dict[str, np.ndarray] = {}
    logits, _ = in_float(network, floats, images, statistics)
    step = IntegerStep(network, 4, Reference(TINY), floats | statistics, widest=bits, evaluation_batch=7)
    found = step.evaluate(images, bits)
    assert np.abs(found - logits.detach().numpy()).max() < 0.03 * np.abs(found).max()
    parts = [step.evaluate(part, bits) for part in (images[:4], images[4:])]
    assert np.abs(np.concatenate(parts) - found).max() < 0.03 * np.abs(found).max()


def test_widths_narrow_after_the_first_iteration_and_change_nothing():
    images, labels = digits(4)
    tight, wide = started(), started()
    before = tight.program.widths(Bits(8, 8), tight.seen)
    for _ in range(3):
        tight.train(images, labels, Bits(8, 8), lr=0.05)
        wide.train(images, labels, Bits(8, 8), lr=0.05)
        wide.seen.greatest = {}
        wide.seen.changes += 1
    after = tight.program.widths(Bits(8, 8), tight.seen)
    assert sum(after) < sum(before) - len(after)
    states = tight.state(), wide.state()
    assert equal(*({**state, "seen": np.empty(0)} for state in states))


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("conv1.weight", lambda x: x[:, :, 1:], r"'conv1.weight' must be finite numbers of shape \(16, 1, 3, 3\)"),
        ("bn1.weight", lambda x: x[:3], r"'bn1.weight' .* \(16,\); it has shape \(3,\)"),
        ("bn1.running_var", lambda x: x * np.inf, "'bn1.running_var' must be finite"),
        ("fc.bias", lambda x: x * np.nan, "'fc.bias' must be finite"),
    ],
)
def test_parameters_that_cannot_be(name, change, problem):
    parameters = random_parameters(DIGITS, 0)
    with pytest.raises(ValueError, match=problem):
        IntegerStep(DIGITS, 4, Reference(TINY), parameters | {name: change(parameters[name])})
    del parameters["fc.weight"]
    with pytest.raises(ValueError, match=r"parameter 'fc\.weight' is missing"):
        IntegerStep(DIGITS, 4, Reference(TINY), parameters)


def test_mistakes_are_refused():
    step = started()
    images, labels = digits(4)
    with pytest.raises(ValueError, match="3 images: an iteration was planned for 4"):
        step.train(images[:3], labels[:3], Bits(8, 8), lr=0.1)
    with pytest.raises(ValueError, match=r"images have shape \(4, 1, 9, 8\)"):
        step.train(np.zeros((4, 1, 9, 8)), labels, Bits(8, 8), lr=0.1)
    with pytest.raises(ValueError, match="images hold NaN"):
        step.train(images * np.nan, labels, Bits(8, 8), lr=0.1)
    for wrong in (labels + 10, labels + 0.5, labels[:3]):
        with pytest.raises(ValueError, match=r"labels must be 4 whole numbers in 0\.\.9"):
            step.train(images, wrong, Bits(8, 8), lr=0.1)
    with pytest.raises(ValueError, match="0 images"):
        step.evaluate(images[:0], Bits(8, 8))
    step.machine.memory[: 128 * 200] = 0
    with pytest.raises(ExecutionError, match=r"forward list at 8/8 bits: \w+ at command 0"):
        step.machine.run(step.lists(Bits(8, 8)).forward, "forward list at 8/8 bits")
