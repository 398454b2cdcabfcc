"""Text and the words that follow: language models, judged by their perplexity."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor, nn

from cpt_model.data import Batches, TextBatches, load_text, text_test_batches
from cpt_model.models import build
from cpt_model.training.fitting import fitting_batch
from cpt_model.training.processes import Processes
from cpt_model.training.settings import Settings


class TextTask:
    """Windows of a text. Evaluation in between is on the valid part, at the end on the test part; every window begins
    without a memory of the one before.
    """

    score = "perplexity"
    part = "valid"

    def __init__(self, run: Settings, who: Processes) -> None:
        self.run = run
        self.data = load_text(run.dataset, None if run.datadir is None else Path(run.datadir))
        words = min(len(self.data.train), run.limit or len(self.data.train))
        self.batch = fitting_batch(run, words // run.length - 1, who.world)
        self.batches: Batches = TextBatches(self.data, self.batch, run.seed, run.length, who.rank, who.world, run.limit)
        for last in (False, True):
            next(self.tests(last))  # a text or test_limit that is too small is refused now, not after an epoch

    def build(self) -> nn.Module:
        return build(self.run.arch, len(self.data.vocabulary))

    def example(self) -> Tensor:
        return torch.empty(1, self.run.length, dtype=torch.long, device="meta")

    def judge(self, model: nn.Module, x: Tensor, target: Tensor) -> tuple[Tensor, int, int]:
        return model.loss(x, target), 0, target.numel()  # type: ignore[operator]

    def tests(self, last: bool = False) -> Iterator[tuple[Tensor, Tensor]]:
        text = self.data.test if last else self.data.valid
        return text_test_batches(text, length=self.run.length, limit=self.run.test_limit)
