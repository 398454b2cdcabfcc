"""Adaptive input and softmax against plain tables; language models look at no later word."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional

from cpt_model.models import LstmLM, TransformerLM
from cpt_model.models.adaptive_input import AdaptiveInput
from cpt_model.models.adaptive_softmax import AdaptiveSoftmax
from cpt_model.models.transformer_lm import Block


@pytest.fixture
def table() -> AdaptiveInput:
    torch.manual_seed(0)
    return AdaptiveInput(words=50, width=16, cutoffs=(10, 30))


def test_each_word_has_its_own_bands_vector(table: AdaptiveInput) -> None:
    weights = zip(table.bands.parameters(), table.projections.parameters(), strict=True)
    plain = torch.cat([band @ projection.T for band, projection in weights])
    torch.testing.assert_close(table(torch.arange(50)), plain)


def test_every_bands_vectors_are_about_one_long_before_training() -> None:
    for weight in AdaptiveInput(3000, 64, (1000, 2000)).bands.parameters():
        assert weight.square().sum(1).mean().item() == pytest.approx(1, rel=0.2)


@pytest.mark.parametrize("word", [-1, 50])
def test_a_number_that_is_no_words_is_refused(table: AdaptiveInput, word: int) -> None:
    with pytest.raises(IndexError):
        table(torch.tensor([3, word]))


@pytest.mark.parametrize("cutoffs", [(), (0, 10), (30, 10), (10, 50)])
def test_cutoffs_that_cannot_be_are_refused(cutoffs: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="do not rise"):
        AdaptiveInput(50, 16, cutoffs)


def test_a_width_too_small_for_the_bands_is_refused() -> None:
    with pytest.raises(ValueError, match="leaves nothing for band 2"):
        AdaptiveInput(50, 8, (10, 30))


def test_the_fast_loss_is_that_of_all_probabilities(table: AdaptiveInput) -> None:
    softmax = AdaptiveSoftmax(table)
    hidden, targets = torch.randn(4, 25, 16), torch.arange(100).reshape(4, 25) % 50
    every = softmax(hidden)
    torch.testing.assert_close(every.exp().sum(-1), torch.ones(4, 25))
    torch.testing.assert_close(
        softmax.loss(hidden, targets), functional.nll_loss(every.flatten(0, 1), targets.flatten())
    )
    only_frequent = targets % 10
    torch.testing.assert_close(
        softmax.loss(hidden, only_frequent), functional.nll_loss(every.flatten(0, 1), only_frequent.flatten())
    )


def test_embeddings_are_shared(table: AdaptiveInput) -> None:
    softmax = AdaptiveSoftmax(table)
    assert [id(layer.weight) for layer in softmax.words] == [id(band.weight) for band in table.bands]


@pytest.mark.parametrize(
    "model",
    [TransformerLM(words=50, width=16, layers=2, heads=2, inner=32), LstmLM(words=50, width=16)],
    ids=lambda model: type(model).__name__,
)
def test_no_later_word_is_seen(model: nn.Module) -> None:
    model.eval()
    words = torch.randint(0, 50, (1, 8), generator=torch.Generator().manual_seed(0))
    changed = words.clone()
    changed[0, 5] = (words[0, 5] + 25) % 50
    before, after = model(words), model(changed)
    torch.testing.assert_close(before[:, :5], after[:, :5])
    assert not torch.allclose(before[:, 5], after[:, 5])


def test_a_block_is_pytorchs_encoder_layer_normalised_first() -> None:
    torch.manual_seed(0)
    ours = Block(16, 4, 32, dropout=0.0)
    theirs = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True, norm_first=True)
    names = {"attention": "self_attn"}
    theirs.load_state_dict(
        {
            ".".join(names.get(part, part) for part in name.split(".")): value
            for name, value in ours.state_dict().items()
        }
    )
    x, mask = torch.randn(2, 5, 16), torch.ones(5, 5, dtype=torch.bool).triu(1)
    torch.testing.assert_close(ours(x, mask), theirs(x, mask))


def test_the_order_of_earlier_words_matters() -> None:
    """One layer of attention alone would not know it."""
    torch.manual_seed(0)
    model = TransformerLM(words=50, width=16, layers=1, heads=2, inner=32).eval()
    assert not torch.allclose(model(torch.tensor([[3, 40, 7]]))[:, -1], model(torch.tensor([[40, 3, 7]]))[:, -1])


def test_text_may_be_read_in_stretches() -> None:
    model = LstmLM(words=50, width=16).eval()
    words = torch.randint(0, 50, (2, 8), generator=torch.Generator().manual_seed(0))
    first, hidden = model.advance(words[:, :3])
    second, _ = model.advance(words[:, 3:], hidden)
    torch.testing.assert_close(torch.cat([first, second], dim=1), model(words))
