"""Adaptive softmax with the weights of an adaptive input: frequent words and the bands in a head, rare words behind.

log p(word) = log p_head(word) for frequent words, log p_head(band) + log p_band(word) for the others.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from cpt_model.models.adaptive_input import AdaptiveInput
from cpt_model.models.float_linear import FloatLinear


class AdaptiveSoftmax(nn.Module):
    """Log-probabilities of words; the embeddings are those of `table`.

    >>> softmax = AdaptiveSoftmax(AdaptiveInput(words=100, width=16, cutoffs=(20, 60)))
    >>> softmax(torch.randn(3, 16)).exp().sum(-1).allclose(torch.ones(3))
    True
    """

    def __init__(self, table: AdaptiveInput) -> None:
        super().__init__()
        self.edges = table.edges
        self.narrow = nn.ModuleList(FloatLinear(table.width, narrow, bias=False) for _, narrow in table.sizes[1:])
        self.words = nn.ModuleList(FloatLinear(narrow, count, bias=False) for count, narrow in table.sizes)
        self.choice = FloatLinear(table.width, len(table.sizes) - 1, bias=False)
        for embedding, words in zip(table.bands, self.words, strict=True):
            words.weight = embedding.weight

    def forward(self, hidden: Tensor) -> Tensor:
        """All words: (..., width) → (..., words)."""
        head = self._head(hidden)
        frequent = self.edges[1]
        parts = [head[..., :frequent]]
        parts += [head[..., [frequent + band]] + self._band(hidden, band) for band in range(len(self.edges) - 2)]
        return torch.cat(parts, dim=-1)

    def loss(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Mean negative log-likelihood; a band is computed only for the targets in it (none: gradients of 0)."""
        hidden, targets = hidden.reshape(-1, hidden.shape[-1]), targets.reshape(-1)
        head = self._head(hidden)
        frequent = self.edges[1]
        band_of = torch.bucketize(targets, torch.tensor(self.edges[1:-1], device=targets.device), right=True)
        in_head = torch.where(band_of == 0, targets, frequent + band_of - 1)
        total = functional.nll_loss(head, in_head, reduction="sum")
        for band in range(len(self.edges) - 2):
            (inside,) = torch.where(band_of == band + 1)
            words = targets[inside] - self.edges[band + 1]
            total = total + functional.nll_loss(self._band(hidden[inside], band), words, reduction="sum")
        return total / len(targets)

    def _head(self, hidden: Tensor) -> Tensor:
        return torch.cat([self.words[0](hidden), self.choice(hidden)], dim=-1).log_softmax(-1)

    def _band(self, hidden: Tensor, band: int) -> Tensor:
        return self.words[band + 1](self.narrow[band](hidden)).log_softmax(-1)
