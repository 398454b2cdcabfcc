"""A prepared model in plain PyTorch layers again."""

from __future__ import annotations

from typing import TypeVar

from torch import nn

from cpt_model import fused_paths
from cpt_model.model_precision import prepared_layers

Model = TypeVar("Model", bound=nn.Module)


def unprepare(model: Model) -> Model:
    """Turns every prepared layer back into what it was; parameters stay as trained."""
    layers = prepared_layers(model)
    changed = [name for name, module in layers.items() if "original" not in vars(type(module))]
    if changed:
        raise ValueError(f"layer '{changed[0]}' was parametrised after prepare_: remove its parametrisation first")
    for module in layers.values():
        module.end()  # type: ignore[operator]
    for module in model.modules():
        fused_paths.switch_on(module)
    return model
