"""`torch.compile` of a prepared model: the same results, and no recompilation when the precision changes."""

from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from torch import Tensor, nn
from torch._dynamo.utils import counters

from cpt_model import CPT, Bits, Config, prepare_, scheduler, set_precision
from tests.cpt_model.layer_tools import trained_step

BITS = [Bits(8, 8), Bits(3, 8), Bits(5, 6), Bits(0, 0), Bits(0, 8), Bits(8, 8)]
X = torch.randn(2, 3, 6, 6, generator=torch.Generator().manual_seed(0))


# Dynamo itself looks at tensors between two graphs.
pytestmark = pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")


@pytest.fixture(autouse=True)
def _fresh() -> None:
    torch._dynamo.reset()
    counters.clear()


class Network(nn.Module):
    """Float operations between quantised layers: those are compiled, in several graphs."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.second = nn.Conv2d(4, 4, 3, groups=2)
        self.hidden = nn.Linear(64, 8)
        self.head = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        y = self.second(torch.relu(self.norm(self.first(x))) * 2)
        return self.head(torch.tanh(self.hidden(y.flatten(1)) + 0.1))


def made() -> nn.Module:
    torch.manual_seed(0)
    return prepare_(Network())


def compilations() -> tuple[int, int]:
    return counters["stats"]["unique_graphs"], counters["frames"]["total"]


def test_results_are_the_same_and_new_bits_compile_nothing() -> None:
    plain = made()
    model = deepcopy(plain)
    compiled = torch.compile(model, backend="eager")
    seen = []
    for bits in BITS:
        set_precision(plain, bits)
        set_precision(model, bits)
        for ours, theirs in zip(trained_step(compiled, X), trained_step(plain, X), strict=True):
            assert torch.equal(ours, theirs)
        seen.append(compilations())
    assert seen[0][0] >= 3
    assert len(set(seen)) == 1


def test_a_schedule_of_many_steps_compiles_nothing() -> None:
    model = made()
    compiled = torch.compile(model, backend="eager")
    bits = scheduler(model, CPT(2, 16, cycles=4), 8, total_steps=40)
    trained_step(compiled, X)
    first = compilations()
    for _ in range(39):
        bits.step()
        trained_step(compiled, X)
    assert compilations() == first


def test_a_model_compiled_before_it_was_prepared_uses_the_codes() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU())
    compiled = torch.compile(model, backend="eager")
    exact = compiled(X)
    prepare_(model, Config(bits=Bits(2, 2)))
    assert torch.equal(compiled(X), model(X))
    assert not torch.equal(compiled(X), exact)


def test_compiled_backward_passes_work() -> None:
    """The part of the default compiler before it writes C++, which takes a minute."""
    plain = made()
    compiled = torch.compile(deepcopy(plain), backend="aot_eager")
    for ours, theirs in zip(trained_step(compiled, X), trained_step(plain, X), strict=True):
        assert torch.equal(ours, theirs)
