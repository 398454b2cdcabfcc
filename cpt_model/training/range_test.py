"""The precision range test of a network by its settings, as `cpt range-test` runs it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from cpt_model.methods.range_test import RangeTest, precision_range_test
from cpt_model.models import entry
from cpt_model.prepare import Config, prepare_
from cpt_model.schedules import Bits
from cpt_model.training.processes import Processes
from cpt_model.training.settings import Settings
from cpt_model.training.task import make_task


def range_test(settings: Settings, widths: Sequence[int], **details: Any) -> RangeTest:
    """Trains the settings' network through the widths; `details` are those of `precision_range_test`."""
    if settings.is_text:
        raise ValueError(f"{settings.arch}: the range test on the command line is for images")
    if settings.threads is not None:
        torch.set_num_threads(settings.threads)
    task = make_task(settings, Processes())
    torch.manual_seed(settings.seed)
    (backward,) = settings.bw_bits
    bits = Bits(widths[-1], backward)
    config = Config(settings.quantiser, entry(settings.arch).policy, bits, seed=settings.seed)

    def optimiser(parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.SGD(parameters, settings.lr, settings.momentum, weight_decay=settings.weight_decay)

    return precision_range_test(
        prepare_(task.build(), config),
        map(task.batches.__getitem__, itertools.count()),
        cross_entropy,
        optimiser,
        widths=widths,
        backward=backward,
        seed=settings.seed,
        **details,
    )
