"""PyTorch's encoders have fused inference paths that read parameters and go round their layers: off while prepared."""

from __future__ import annotations

from torch import nn

# What must be true of a module before it takes its fused path.
CONDITIONS: dict[type[nn.Module], str] = {
    nn.TransformerEncoderLayer: "activation_relu_or_gelu",
    nn.TransformerEncoder: "use_nested_tensor",
}


def switch_off(module: nn.Module) -> None:
    for kind, condition in CONDITIONS.items():
        if isinstance(module, kind) and getattr(module, condition, False):
            module.cpt_fused = getattr(module, condition)
            setattr(module, condition, 0)


def switch_on(module: nn.Module) -> None:
    """Only where `switch_off` changed something."""
    for kind, condition in CONDITIONS.items():
        if isinstance(module, kind) and hasattr(module, "cpt_fused"):
            setattr(module, condition, module.cpt_fused)
            del module.cpt_fused
