"""A quantised LSTM: PyTorch's own results at bits 0, the accelerator's integers at others."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_sequence

from cpt_model import Bits, Config, prepare_
from cpt_model.model_precision import layer_states
from host.compiler.layer import Pass
from tests.cpt_model.layer_tools import batches_seen, watched

KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "two layers": {"num_layers": 2},
    "bidirectional": {"bidirectional": True},
    "two layers, both directions, batch first": {"num_layers": 2, "bidirectional": True, "batch_first": True},
    "no bias": {"bias": False},
}


def pair(bits: Bits, quantiser: str = "sbm", **options: Any) -> tuple[nn.LSTM, nn.LSTM]:
    """A float LSTM, and its prepared copy."""
    torch.manual_seed(0)
    plain = nn.LSTM(5, 6, **options)
    copy = deepcopy(plain)
    prepare_(copy, Config(quantiser, bits=bits, results="exact"))
    return plain, copy


def everything(lstm: nn.LSTM, x: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> list[Tensor]:
    """Outputs, final states, input error and every gradient, for a loss that weighs all outputs differently."""
    x = x.detach().clone().requires_grad_()
    output, (hidden, cell) = lstm(x, hx)
    generator = torch.Generator().manual_seed(1)
    loss = sum((each * torch.randn(each.shape, generator=generator)).sum() for each in (output, hidden, cell))
    assert isinstance(loss, Tensor)
    grads = torch.autograd.grad(loss, [x, *lstm.parameters()])
    return [output, hidden, cell, *grads]


def states(options: dict[str, Any], *batch: int) -> tuple[Tensor, Tensor]:
    count = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
    generator = torch.Generator().manual_seed(2)
    hidden, cell = (torch.randn(count, *batch, 6, generator=generator) for _ in range(2))
    return hidden, cell


@pytest.mark.parametrize("with_states", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_bits_0_are_pytorchs_lstm(kind: str, with_states: bool) -> None:
    plain, ours = pair(Bits(0, 0), **KINDS[kind])
    x = torch.randn(4, 3, 5)
    hx = states(KINDS[kind], 4 if plain.batch_first else 3) if with_states else None
    for got, expected in zip(everything(ours, x, hx), everything(plain, x, hx), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("with_states", [False, True])
def test_one_sequence_without_a_batch(kind: str, with_states: bool) -> None:
    plain, ours = pair(Bits(0, 0), **KINDS[kind])
    x = torch.randn(4, 5)
    hx = states(KINDS[kind]) if with_states else None
    for got, expected in zip(everything(ours, x, hx), everything(plain, x, hx), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_16_bits_come_close_to_float(kind: str) -> None:
    plain, ours = pair(Bits(16, 16), **KINDS[kind])
    x = torch.randn(4, 3, 5)
    for got, expected in zip(everything(ours, x), everything(plain, x), strict=True):
        torch.testing.assert_close(got, expected, rtol=0, atol=2e-3 * float(expected.detach().abs().max()))


@pytest.mark.parametrize("quantiser", ["sbm", "dorefa", "wageubn"])
def test_accumulators_equal_the_references(quantiser: str) -> None:
    _, ours = pair(Bits(4, 6), quantiser, num_layers=2, bidirectional=True)
    recorder = watched(ours)
    everything(ours, torch.randn(3, 2, 5), states({"num_layers": 2, "bidirectional": True}, 2))
    recorder.check(*Pass)
    forward = [product for product in recorder.products if product.which is Pass.FORWARD]
    assert len(forward) == 4 * (1 + 3)  # for each layer and direction: inputs at once, the hidden state step by step


def test_recurrent_weights_are_quantised_once_for_all_steps() -> None:
    _, ours = pair(Bits(4, 6))
    recorder = watched(ours)
    everything(ours, torch.randn(5, 2, 5))
    recurrent = [product.b.codes for product in recorder.products if product.which is Pass.FORWARD][1:]
    assert len(recurrent) == 5
    assert all(codes.data_ptr() == recurrent[0].data_ptr() for codes in recurrent)


def test_every_activation_has_a_range_of_its_own() -> None:
    _, ours = pair(Bits(4, 6), num_layers=2)
    ours(torch.randn(3, 2, 5))
    assert {what: batches_seen(seen) for what, seen in layer_states(ours)[""].ranges.items()} == {
        "ih_l0": 1, "hh_l0": 3, "ih_l1": 1, "hh_l1": 3,
    }  # fmt: skip


def test_dropout_between_layers_only_in_training() -> None:
    _, ours = pair(Bits(8, 8), num_layers=2, dropout=0.9)
    x = torch.randn(6, 2, 5)
    assert not torch.equal(ours(x)[0], ours(x)[0])
    ours.eval()
    assert torch.equal(ours(x)[0], ours(x)[0])


def test_packed_sequences_are_refused_and_empty_inputs_are_pytorchs() -> None:
    plain, ours = pair(Bits(8, 8))
    with pytest.raises(TypeError, match="packed sequences"):
        ours(pack_sequence([torch.randn(3, 5), torch.randn(2, 5)]))
    with pytest.raises(RuntimeError, match="sequence length"):
        ours(torch.randn(0, 2, 5))
    assert ours(torch.randn(3, 0, 5))[0].shape == plain(torch.randn(3, 0, 5))[0].shape
