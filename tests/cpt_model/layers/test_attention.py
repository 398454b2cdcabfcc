"""Quantised multi-head attention: PyTorch's own results at bits 0, the accelerator's integers at others."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from cpt_model import Bits, Config, precision, prepare_, unprepare
from cpt_model.arithmetic.affine import Quantised
from cpt_model.layers.matmul import rows_by_rows
from host.compiler.layer import Pass
from host.compiler.results import Results
from tests.cpt_model.layer_tools import Recorder, watched
from tests.tools import draw_codes

KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "batch first": {"batch_first": True},
    "other keys and values": {"kdim": 5, "vdim": 7},
    "no bias": {"bias": False},
    "learned position": {"add_bias_kv": True},
    "zero position": {"add_zero_attn": True},
    "both positions": {"add_bias_kv": True, "add_zero_attn": True, "batch_first": True},
}
MASKS = ["none", "causal", "of numbers", "by head", "padding", "causal and padding", "float padding"]
STEPS, KEYS, BATCH, HEADS, EMBED = 4, 4, 3, 2, 8


def pair(bits: Bits, quantiser: str = "sbm", **options: Any) -> tuple[nn.MultiheadAttention, nn.MultiheadAttention]:
    """A float attention, and its prepared copy."""
    torch.manual_seed(0)
    plain = nn.MultiheadAttention(EMBED, HEADS, **options)
    for parameter in plain.parameters():  # biases begin at 0
        nn.init.normal_(parameter, std=0.4)
    copy = deepcopy(plain)
    prepare_(copy, Config(quantiser, bits=bits, results="exact"))
    return plain, copy


def inputs(layer: nn.MultiheadAttention, *batch: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(3)
    shapes = (STEPS, EMBED), (KEYS, layer.kdim), (KEYS, layer.vdim)
    made = [torch.randn(steps, *batch, width, generator=generator) for steps, width in shapes]
    return [each.transpose(0, 1) if batch and layer.batch_first else each for each in made]


def masks(kind: str, *batch: int) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(4)
    causal = torch.ones(STEPS, KEYS, dtype=torch.bool).triu(1)
    padding = torch.zeros(*batch, KEYS, dtype=torch.bool)
    padding[..., -1] = True
    heads = HEADS * (batch[0] if batch else 1)
    return {
        "none": {},
        "causal": {"attn_mask": causal},
        "of numbers": {"attn_mask": torch.randn(STEPS, KEYS, generator=generator)},
        "by head": {"attn_mask": torch.randn(heads, STEPS, KEYS, generator=generator)},
        "padding": {"key_padding_mask": padding},
        "causal and padding": {"attn_mask": causal, "key_padding_mask": padding},
        "float padding": {"key_padding_mask": padding * -3.0},
    }[kind]


def everything(layer: nn.MultiheadAttention, operands: list[Tensor], **options: Any) -> list[Tensor]:
    """Output, attention weights, input errors and every gradient."""
    operands = [each.detach().clone().requires_grad_() for each in operands]
    output, weights = layer(*operands, **options)
    generator = torch.Generator().manual_seed(5)
    loss = (output * torch.randn(output.shape, generator=generator)).sum()
    return [output, weights, *torch.autograd.grad(loss, [*operands, *layer.parameters()])]


def close(ours: list[Tensor], theirs: list[Tensor], tolerance: float) -> None:
    for got, expected in zip(ours, theirs, strict=True):
        torch.testing.assert_close(got, expected, rtol=0, atol=tolerance * float(expected.detach().abs().max()) + 1e-6)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore:Support for mismatched")
def test_bits_0_are_pytorchs_attention(kind: str, mask: str) -> None:
    plain, ours = pair(Bits(0, 0), **KINDS[kind])
    for batch in ((), (BATCH,)):
        operands, options = inputs(plain, *batch), masks(mask, *batch)
        close(everything(ours, operands, **options), everything(plain, operands, **options), 1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_16_bits_come_close_to_float(kind: str) -> None:
    plain, ours = pair(Bits(16, 16), **KINDS[kind])
    operands = inputs(plain, BATCH)
    close(everything(ours, operands, **masks("causal")), everything(plain, operands, **masks("causal")), 3e-3)


@pytest.mark.parametrize("quantiser", ["sbm", "dorefa", "wageubn"])
@pytest.mark.parametrize("kind", ["plain", "other keys and values", "both positions"])
def test_accumulators_equal_the_references(kind: str, quantiser: str) -> None:
    _, ours = pair(Bits(4, 6), quantiser, **KINDS[kind])
    recorder = watched(ours)
    everything(ours, inputs(ours, BATCH))
    recorder.check(*Pass)
    # Projections are three passes of four products; scores and context three of each head's two.
    matrices = 2 * BATCH * HEADS
    assert len(recorder.products) == 3 * 4 + 3 * matrices


@pytest.mark.parametrize(("bits", "length"), [(4, 9), (8, 700), (16, 40)])
def test_products_of_corner_codes(bits: int, length: int) -> None:
    """Codes at the ends of their ranges, stored from a zero off the middle; the longer ones exceed 2^24."""
    one = torch.ones(1, 1, 1)
    zero = -(2 ** (bits - 1))
    a = torch.from_numpy(draw_codes(1, (2, 3, length), bits, True)).float() - zero
    b = torch.from_numpy(draw_codes(2, (2, 5, length), bits, False)).float()
    b[0], a[0] = 2**bits - 1, 2**bits - 1
    recorder = Recorder()
    left, right = Quantised(a, one, 0 * one, bits, True, zero), Quantised(b, one, 0 * one, bits, False)
    got = rows_by_rows(left, right, recorder, Results.EXACT)
    recorder.check(Pass.FORWARD)
    exact = (a.double() + zero) @ b.double().mT
    assert torch.equal(got.double(), exact.float().double())


def test_weights_are_shown_by_head_or_averaged_or_not() -> None:
    plain, ours = pair(Bits(16, 16), batch_first=True)
    operands = inputs(plain, BATCH)
    for options in ({}, {"average_attn_weights": False}):
        torch.testing.assert_close(ours(*operands, **options)[1], plain(*operands, **options)[1], rtol=0, atol=1e-3)
    assert ours(*operands, need_weights=False)[1] is None


def test_dropout_only_in_training() -> None:
    _, ours = pair(Bits(8, 8), dropout=0.5)
    operands = inputs(ours, BATCH)
    assert not torch.equal(ours(*operands)[0], ours(*operands)[0])
    ours.eval()
    assert torch.equal(ours(*operands)[0], ours(*operands)[0])


def test_weights_are_shown_after_dropout_as_pytorch_does() -> None:
    plain, ours = pair(Bits(0, 0), dropout=0.5)
    shown = []
    for layer in (plain, ours):
        torch.manual_seed(1)
        shown.append(layer(*inputs(layer, BATCH), average_attn_weights=False)[1])
    torch.testing.assert_close(*shown)
    assert (shown[1] == 0).any()


def test_causal_without_its_mask_is_refused() -> None:
    _, ours = pair(Bits(8, 8))
    with pytest.raises(ValueError, match="give the mask too"):
        ours(*inputs(ours, BATCH), is_causal=True)


@pytest.mark.parametrize("wanted", [nn.MultiheadAttention, nn.Linear], ids=["attention", "linear layers"])
@pytest.mark.parametrize("grad", [True, False])
def test_an_encoder_layer_uses_the_codes_in_evaluation_too(wanted: type[nn.Module], grad: bool) -> None:
    """PyTorch's fused inference path would go round them."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(EMBED, HEADS, 16, batch_first=True).eval()
    x = torch.randn(2, 5, EMBED)
    prepare_(layer, Config(bits=Bits(2, 8), policy="none"), lambda module, name: type(module) is wanted)
    with torch.set_grad_enabled(grad):
        coarse = layer(x)
        with precision(layer, 8):
            fine = layer(x)
        with precision(layer, 0):
            exact = layer(x)
    assert (fine - exact).abs().max() < 0.2 * (coarse - exact).abs().max()


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("nested", [True, False])
def test_an_encoder_of_several_layers_uses_the_codes_in_evaluation(nested: bool) -> None:
    """With padded sequences, PyTorch's encoder would hand nested tensors to its layers."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(EMBED, HEADS, 16, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=nested).eval()
    x = torch.randn(2, 5, EMBED)
    padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    with torch.no_grad():
        exact = encoder(x, src_key_padding_mask=padding)
        prepare_(encoder, Config(policy="none", bits=Bits(16, 16)))
        recorder = watched(encoder)
        ours = encoder(x, src_key_padding_mask=padding)
    assert len(recorder.products) == 2 * (4 + 2 * 2 * HEADS + 2)
    torch.testing.assert_close(ours[~padding], exact[~padding], rtol=0, atol=2e-3)


def test_fused_paths_come_back_after_unprepare() -> None:
    layer = nn.TransformerEncoderLayer(EMBED, HEADS, 16, batch_first=True, activation="gelu")
    encoder = nn.TransformerEncoder(layer, 1)
    prepare_(encoder, Config(policy="none"))
    assert (encoder.use_nested_tensor, encoder.layers[0].activation_relu_or_gelu) == (0, 0)
    unprepare(encoder)
    assert (encoder.use_nested_tensor, encoder.layers[0].activation_relu_or_gelu) == (True, 2)
    assert vars(encoder).keys() == vars(nn.TransformerEncoder(layer, 1)).keys()
