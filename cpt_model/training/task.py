"""What is learnt: the data of a run, the network for it, and how the network is judged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from cpt_model.data import Batches, TrainingBatches, load_images, test_batches
from cpt_model.models import NETWORKS, build, entry, is_own
from cpt_model.training.fitting import fitting_batch
from cpt_model.training.processes import Processes
from cpt_model.training.settings import Settings, SettingsError


class Task(Protocol):
    """Training batches, test batches, and what a batch says of the network."""

    batches: Batches
    batch: int  # samples of a step, over all processes
    score: str  # "accuracy" (per cent, more is better) or "perplexity" (less is better)
    part: str  # what is evaluated on the way: "test", or "valid" where there is such a part

    def build(self) -> nn.Module: ...

    def example(self) -> Tensor:
        """One sample without values, for counting."""

    def judge(self, model: nn.Module, x: Tensor, target: Tensor) -> tuple[Tensor, int, int]:
        """Mean loss, guesses that were right, and guesses made."""

    def tests(self, last: bool = False) -> Iterator[tuple[Tensor, Tensor]]:
        """The part that is evaluated on the way, or the one at the very end."""


class Objective(nn.Module):
    """The judgement as a module: `DistributedDataParallel` wraps what is called."""

    def __init__(self, model: nn.Module, task: Task) -> None:
        super().__init__()
        self.model = model
        self._task = task

    def forward(self, x: Tensor, target: Tensor) -> tuple[Tensor, int, int]:
        return self._task.judge(self.model, x, target)


class ImageTask:
    """Images and their classes."""

    score = "accuracy"
    part = "test"

    def __init__(self, run: Settings, who: Processes) -> None:
        self.run = run
        self.data = load_images(run.dataset, None if run.datadir is None else Path(run.datadir), run.workers)
        channels, wanted = self.data.shape[0], entry(run.arch).input_shape[0]
        if is_own(run.arch) and self.data.shape != entry(run.arch).input_shape:
            name, image = run.arch.rpartition(":")[0], "x".join(map(str, self.data.shape))
            raise SettingsError(f"{run.dataset} has images of {image}: say so, as {Path(name).name}:{image}")
        if channels != wanted:
            fitting = [name for name, known in NETWORKS.items() if known.input_shape[0] == channels]
            raise SettingsError(
                f"{run.arch} takes images of {wanted} channels, {run.dataset} has {channels}: "
                f"take one of {', '.join(fitting)}"
            )
        there = min(len(self.data.train_labels), run.limit or len(self.data.train_labels))
        self.batch = fitting_batch(run, there, who.world)
        self.batches: Batches = TrainingBatches(
            self.data, self.batch, run.seed, run.augment, who.rank, who.world, run.limit
        )
        self.tests()  # a test_limit that cannot be is refused now, not after an epoch

    def build(self) -> nn.Module:
        model = build(self.run.arch, self.data.classes)
        return model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def example(self) -> Tensor:
        return torch.empty(1, *self.data.shape, device="meta")

    def judge(self, model: nn.Module, x: Tensor, target: Tensor) -> tuple[Tensor, int, int]:
        scores = model(x)
        right = int((scores.detach().argmax(1) == target).sum())
        return cross_entropy(scores, target), right, len(target)

    def tests(self, last: bool = False) -> Iterator[tuple[Tensor, Tensor]]:
        return test_batches(self.data, limit=self.run.test_limit)


def make_task(run: Settings, who: Processes) -> Task:
    if run.is_text:
        from cpt_model.training.text_task import TextTask

        return TextTask(run, who)
    return ImageTask(run, who)
