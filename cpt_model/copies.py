"""Copies of a model that hold no numbers: to run it on shapes."""

from __future__ import annotations

import copy
from typing import TypeVar

from torch import Tensor, nn

Model = TypeVar("Model", bound=nn.Module)


def meta_copy(model: Model) -> Model:
    """On the meta device; states of quantised layers are not copied but shared."""
    known = shared_states(model)
    for module in model.modules():
        plain = (each for each in vars(module).values() if isinstance(each, Tensor))
        known |= {id(each): each.detach().to("meta") for each in (*module.buffers(recurse=False), *plain)}
    for each in model.parameters():
        known[id(each)] = nn.Parameter(each.detach().to("meta"), requires_grad=False)
    return copy.deepcopy(model, known)


def shared_states(model: nn.Module) -> dict[int, object]:
    """What `copy.deepcopy` is told to leave as it is."""
    states = (vars(module)["cpt"] for module in model.modules() if "cpt" in vars(module))
    return {id(state): state for state in states}
