"""Transformer language model with adaptive input and output (Baevski & Auli 2018), as CPT trains it on WikiText-103."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from cpt_model.models.adaptive_input import AdaptiveInput
from cpt_model.models.adaptive_softmax import AdaptiveSoftmax

if TYPE_CHECKING:
    from collections.abc import Sequence

WORDS = 267_744  # of WikiText-103


class Block(nn.Module):
    """Causal self-attention and two Linears, each normalised before and added after."""

    def __init__(self, width: int, heads: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, dropout, batch_first=True)
        self.norm2 = nn.LayerNorm(width)
        self.linear1 = nn.Linear(width, inner)
        self.linear2 = nn.Linear(inner, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        y = self.norm1(x)
        y, _ = self.attention(y, y, y, attn_mask=mask, need_weights=False)
        x = x + self.dropout(y)
        return x + self.dropout(self.linear2(functional.relu(self.linear1(self.norm2(x)))))


class TransformerLM(nn.Module):
    """(batch, steps) word numbers to (batch, steps, words) log-probabilities; `loss` alone is faster.

    The defaults are the 247 million parameters of the WikiText-103 model; without `cutoffs`, the bands of a smaller
    vocabulary have the same shares of it.

    >>> model = TransformerLM(words=100, width=16, layers=2, heads=2, inner=32)
    >>> model(torch.zeros(1, 5, dtype=torch.long)).shape
    torch.Size([1, 5, 100])
    """

    def __init__(
        self,
        words: int = WORDS,
        width: int = 1024,
        layers: int = 16,
        heads: int = 8,
        inner: int = 4096,
        cutoffs: Sequence[int] | None = None,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        if cutoffs is None:
            cutoffs = [words * edge // WORDS for edge in (20_000, 60_000)]
        self.input = AdaptiveInput(words, width, cutoffs)
        self.blocks = nn.ModuleList(Block(width, heads, inner, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)
        self.output = AdaptiveSoftmax(self.input)

    def forward(self, words: Tensor) -> Tensor:
        return self.output(self.hidden(words))

    def loss(self, words: Tensor, targets: Tensor) -> Tensor:
        """Mean negative log-likelihood of the targets, which are the words one step on."""
        return self.output.loss(self.hidden(words), targets)

    def hidden(self, words: Tensor) -> Tensor:
        x = self.input(words)
        x = self.dropout(x * math.sqrt(x.shape[-1]) + positions(words.shape[1], x.shape[-1], x.device))
        mask = torch.ones(words.shape[1], words.shape[1], dtype=torch.bool, device=x.device).triu(1)
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x)


def positions(steps: int, width: int, device: torch.device | None = None) -> Tensor:
    """Sines and cosines of step / 10000^(2i / width) (Vaswani et al. 2017).

    >>> positions(2, 4).tolist()[0]
    [0.0, 0.0, 1.0, 1.0]
    """
    half = (width + 1) // 2
    rates = torch.exp(torch.arange(half, device=device) * (-math.log(10_000) / half))
    angles = torch.arange(steps, device=device)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=1)[:, :width]
