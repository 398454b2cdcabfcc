"""Two-layer LSTM language model, as CPT trains it on the Penn Treebank."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional

State = tuple[Tensor, Tensor]


class LstmLM(nn.Module):
    """(batch, steps) word numbers to (batch, steps, words) scores; `hidden` goes from one stretch of text to the next.

    The defaults are the medium model of Zaremba et al. (2014), 20 million parameters.

    >>> import torch
    >>> model = LstmLM(words=50, width=8)
    >>> words = torch.zeros(1, 5, dtype=torch.long)
    >>> scores, hidden = model.advance(words)
    >>> scores.shape, model.advance(words, hidden)[0].shape
    (torch.Size([1, 5, 50]), torch.Size([1, 5, 50]))
    """

    def __init__(self, words: int = 10_000, width: int = 650, layers: int = 2, dropout: float = 0.5) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, width, layers, batch_first=True, dropout=dropout)
        self.dropout = nn.Dropout(dropout)
        self.decoder = nn.Linear(width, words)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -0.05, 0.05)

    def forward(self, words: Tensor) -> Tensor:
        return self.advance(words)[0]

    def advance(self, words: Tensor, hidden: State | None = None) -> tuple[Tensor, State]:
        """Scores and the state behind the last step; detach it before the next stretch."""
        y, hidden = self.lstm(self.dropout(self.embedding(words)), hidden)
        return self.decoder(self.dropout(y)), hidden

    def loss(self, words: Tensor, targets: Tensor) -> Tensor:
        """Mean negative log-likelihood of the targets, which are the words one step on."""
        return functional.cross_entropy(self(words).flatten(0, 1), targets.flatten())
