"""Stochastic weight averaging of prepared models, through `torch.optim.swa_utils`.

`AveragedModel` copies a prepared model, quantisers included, and averages its master weights in float32. What it does
not know are the statistics of the averaged weights: those of batch normalisation, and the ranges of activations. Both
are measured here, at stated bits.

    averaged = AveragedModel(model)
    ...
    averaged.update_parameters(model)  # after each epoch that enters the average
    ...
    update_statistics(averaged, data, bits=8)
    with precision(averaged, 8):
        evaluate(averaged)
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.optim.swa_utils import update_bn

from cpt_model.model_precision import layer_states, precision
from host.compiler.bits import Bits


def update_statistics(model: nn.Module, data: Iterable[Any], bits: Bits | int) -> None:
    """Measures all statistics of evaluation again, in one pass over the data at stated bits.

    Batch normalisation takes the plain mean over all batches, as `update_bn` has it; ranges of activations are running
    means that start again. Batches are inputs, or tuples that begin with them.
    """
    batches = iter(data)
    first = next(batches, None)
    if first is None:
        raise ValueError("the data has no batches")
    means = [seen.means for state in layer_states(model).values() for seen in state.ranges.values()]
    before = [each.clone() for each in means]
    was_training = model.training
    with precision(model, bits):
        torch._foreach_zero_(means)
        try:
            if any(isinstance(module, _BatchNorm) for module in model.modules()):
                update_bn(chain([first], batches), model)
            else:
                _forward(model, chain([first], batches))
        except BaseException:
            torch._foreach_copy_(means, before)  # ranges as they were, rather than half of them
            raise
        finally:
            model.train(was_training)


@torch.no_grad()
def _forward(model: nn.Module, batches: Iterable[Any]) -> None:
    model.train()
    for batch in batches:
        model(batch[0] if isinstance(batch, (list, tuple)) else batch)
