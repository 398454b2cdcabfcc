"""Activation checkpointing changes nothing, to the bit; bits that change before a layer is recomputed are an error."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from cpt_model import Bits, Config, get_precision, prepare_, quantisation_state, set_precision


class Net(nn.Module):
    """A convolution, and attention with a Linear behind it, in the part that may be recomputed."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way
        self.stem = nn.Conv2d(2, 8, 1)
        self.conv = nn.Conv2d(8, 8, 3, padding=1)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.linear = nn.Linear(8, 3)

    def body(self, x: Tensor) -> Tensor:
        rows = self.conv(x).flatten(2).mT
        return self.linear(self.attention(rows, rows, rows)[0])

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        if self.way == "plain":
            return self.body(x)
        return checkpoint(self.body, x, use_reentrant=self.way == "reentrant")


def made(way: str) -> Net:
    torch.manual_seed(0)
    return prepare_(Net(way), Config(policy="none", bits=Bits(5, 6)))


X = torch.randn(3, 2, 4, 4, generator=torch.Generator().manual_seed(1))
WAYS = ["reentrant", "not reentrant"]


def trained(way: str) -> Net:
    model = made(way)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(3):
        optimizer.zero_grad()
        model(X).square().sum().backward()
        optimizer.step()
    return model


@pytest.mark.parametrize("way", WAYS)
def test_weights_ranges_and_noise_are_those_without_checkpointing(way: str) -> None:
    plain, recomputed = trained("plain"), trained(way)
    assert quantisation_state(plain) == quantisation_state(recomputed)
    ours = recomputed.state_dict()
    assert all(torch.equal(value, ours[name]) for name, value in plain.state_dict().items())


@pytest.mark.parametrize("bits", [Bits(4, 6), Bits(5, 5), Bits(0, 6)])
@pytest.mark.parametrize("way", WAYS)
def test_bits_changed_before_backward_are_an_error(way: str, bits: Bits) -> None:
    model = made(way)
    loss = model(X).sum()
    set_precision(model, bits)
    named = r"layer '\w+' ran at 5/6 bits and is recomputed at \d/\d .*after backward\(\)"
    with pytest.raises(RuntimeError, match=named):
        loss.backward()


def test_two_passes_at_different_bits_are_told_apart() -> None:
    """The second pass is recomputed at its own bits, the first is not."""
    model = made("not reentrant")
    first = model(X).sum()
    set_precision(model, Bits(3, 6))
    second = model(X).sum()
    second.backward()
    with pytest.raises(RuntimeError, match="ran at 5/6 bits and is recomputed at 3/6"):
        first.backward()


def test_evaluation_at_other_bits_between_steps_is_no_error() -> None:
    model = made("reentrant")
    for _ in range(2):
        model(X).sum().backward()
        set_precision(model.eval(), Bits(8, 8))
        with torch.no_grad():
            model.body(model.stem(X))
        set_precision(model.train(), Bits(5, 6))
    assert get_precision(model) == Bits(5, 6)
