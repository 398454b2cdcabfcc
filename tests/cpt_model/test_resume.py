"""A run repeats bit for bit, and resumes bit for bit from a checkpoint; another seed is another run."""

from __future__ import annotations

import io
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from cpt_model import (
    CPT,
    Bits,
    Config,
    PrecisionScheduler,
    load_quantisation_state,
    prepare_,
    quantisation_state,
    scheduler,
)
from cpt_model.model_precision import layer_states

STEPS = 8


class Run:
    """A small network, its optimiser and its schedule of bits."""

    def __init__(self, quantiser: str = "sbm", seed: int = 0, gradient_bits: int = 0, results: str = "exact") -> None:
        torch.manual_seed(3)
        model = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(36, 3))
        config = Config(quantiser, "none", Bits(8, 8), gradient_bits, seed, results)
        self.model = prepare_(model, config)
        self.optimiser = torch.optim.SGD(self.model.parameters(), 0.1, momentum=0.9)
        self.bits: PrecisionScheduler = scheduler(self.model, CPT(3, 8, cycles=2), 6, STEPS)

    def train(self, first: int, last: int) -> None:
        for step in range(first, last):
            generator = torch.Generator().manual_seed(step)
            x, target = torch.randn(5, 2, 5, 5, generator=generator), torch.randint(3, (5,), generator=generator)
            self.optimiser.zero_grad()
            nn.functional.cross_entropy(self.model(x), target).backward()
            self.optimiser.step()
            self.bits.step()

    def weights(self) -> Tensor:
        return nn.utils.parameters_to_vector(self.model.parameters()).detach()

    def save(self) -> io.BytesIO:
        parts = (self.model.state_dict(), self.optimiser.state_dict(), self.bits.state_dict())
        file = io.BytesIO()
        torch.save([*parts, quantisation_state(self.model)], file)
        file.seek(0)
        return file

    def load(self, file: io.BytesIO) -> None:
        model, optimiser, bits, quantisation = torch.load(file)
        self.model.load_state_dict(model)
        self.optimiser.load_state_dict(optimiser)
        self.bits.load_state_dict(bits)
        load_quantisation_state(self.model, quantisation)


def trained(**options: Any) -> Run:
    run = Run(**options)
    run.train(0, STEPS)
    return run


@pytest.mark.parametrize(
    "options",
    [{}, {"quantiser": "dorefa"}, {"quantiser": "wageubn", "gradient_bits": 8}, {"results": "rounded"}],
)
@pytest.mark.parametrize("at", [1, 5])
def test_a_resumed_run_equals_an_uninterrupted_one(options: dict[str, Any], at: int) -> None:
    whole = trained(**options)
    before = Run(**options)
    before.train(0, at)
    after = Run(**options)
    after.load(before.save())
    after.train(at, STEPS)
    assert torch.equal(after.weights(), whole.weights())
    x = torch.randn(4, 2, 5, 5)
    assert torch.equal(after.model.eval()(x), whole.model.eval()(x))


def test_a_state_of_the_time_when_it_held_the_ranges_is_read() -> None:
    run = Run()
    saved: Any = quantisation_state(run.model)
    saved["0"]["ranges"] = {"input": (-0.1, 0.3, 1)}
    load_quantisation_state(run.model, saved)
    assert layer_states(run.model)["0"].ranges["input"].range() == pytest.approx((-1, 3))
    assert layer_states(run.model)["4"].ranges["input"].is_empty


def test_without_the_quantisation_state_it_would_not() -> None:
    """So the test above can fail."""
    whole, before, after = trained(), Run(), Run()
    before.train(0, 5)
    fresh = quantisation_state(after.model)
    after.load(before.save())
    load_quantisation_state(after.model, fresh)
    after.train(5, STEPS)
    assert not torch.equal(after.weights(), whole.weights())


def test_the_same_seed_gives_the_same_weights_and_another_seed_others() -> None:
    assert torch.equal(trained(seed=4).weights(), trained(seed=4).weights())
    assert not torch.equal(trained(seed=4).weights(), trained(seed=5).weights())


def test_evaluation_in_between_changes_nothing() -> None:
    watched = Run()
    watched.train(0, 4)
    watched.model.eval()
    with torch.no_grad():
        watched.model(torch.randn(9, 2, 5, 5))
    watched.model.train()
    watched.train(4, STEPS)
    assert torch.equal(watched.weights(), trained().weights())


def test_pytorchs_generator_is_not_touched() -> None:
    run = Run()
    torch.manual_seed(1)
    before = torch.get_rng_state()
    run.train(0, 2)
    assert torch.equal(torch.get_rng_state(), before)


def test_layers_draw_from_streams_of_their_own() -> None:
    """Two equal layers get the same error but round it differently."""
    torch.manual_seed(0)
    x, error = torch.rand(3, 4, 6, 6), torch.randn(3, 5, 6, 6)
    weight = torch.randn(5, 4, 1, 1)
    layers = [nn.Conv2d(4, 5, 1, bias=False) for _ in range(2)]
    prepare_(nn.ModuleList(layers), Config(bits=Bits(8, 3)))
    for layer in layers:
        layer.weight.data.copy_(weight)
        layer(x).backward(error)
    one, other = (layer.weight.grad for layer in layers)
    assert one is not None
    assert other is not None
    assert not torch.equal(one, other)
