"""Adaptive input (Baevski & Auli 2018): wide embeddings for frequent words, narrow ones for rare, made one width.

Band i holds the words from cutoff i − 1 to cutoff i, sorted by frequency; its embeddings are width / factor^i wide.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from collections.abc import Sequence


class AdaptiveInput(nn.Module):
    """Word numbers to vectors.

    Every word is looked up in every band and the right one is taken: shapes depend on no value, and what is computed
    in vain is less than 1 % of a Transformer's work. A number that is no word's is refused by `nn.Embedding`.

    >>> table = AdaptiveInput(words=100, width=16, cutoffs=(20, 60), factor=4)
    >>> [tuple(band.weight.shape) for band in table.bands]
    [(20, 16), (40, 4), (40, 1)]
    >>> table(torch.tensor([[0, 25, 99]])).shape
    torch.Size([1, 3, 16])
    """

    def __init__(self, words: int, width: int, cutoffs: Sequence[int], factor: int = 4) -> None:
        super().__init__()
        edges = (0, *cutoffs, words)
        if len(edges) < 3 or any(high <= low for low, high in pairwise(edges)):
            raise ValueError(f"cutoffs {tuple(cutoffs)} do not rise from above 0 to below the {words} words")
        if width < factor ** len(cutoffs):
            raise ValueError(
                f"width {width} leaves nothing for band {len(cutoffs)}: it is divided by {factor} each time"
            )
        self.edges = edges
        self.width = width
        widths = [width // factor**band for band in range(len(edges) - 1)]
        self.sizes = [(high - low, narrow) for (low, high), narrow in zip(pairwise(edges), widths, strict=True)]
        self.bands = nn.ModuleList(nn.Embedding(*size) for size in self.sizes)
        self.projections = nn.ModuleList(nn.Linear(narrow, width, bias=False) for narrow in widths)
        for weight, narrow in zip(self.bands.parameters(), widths, strict=True):
            nn.init.normal_(weight, std=narrow**-0.5)

    def forward(self, words: Tensor) -> Tensor:
        vectors = self.projections[0](self.bands[0](words.clamp(max=self.edges[1] - 1)))
        for band in range(1, len(self.sizes)):
            low, high = self.edges[band], self.edges[band + 1]
            within = (words - low).clamp(min=0)
            if band < len(self.sizes) - 1:
                within = within.clamp(max=high - low - 1)
            found = self.projections[band](self.bands[band](within))
            vectors = torch.where((words >= low)[..., None], found, vectors)
        return vectors
