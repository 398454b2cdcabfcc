"""Which layers stay in float32: the first/last-layer rules of the papers.

CIFAR nets of the CPT authors quantise every convolution, the first and the shortcuts included; the last Linear is
float. Their ImageNet nets also leave the first convolution and the 1 × 1 shortcuts in float.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

Filter = Callable[[nn.Module, str], bool]


def cifar(model: nn.Module) -> Filter:
    """All but the model's last Linear; of a Linear alone, that one too."""
    inside_attention = {id(part.out_proj) for part in model.modules() if isinstance(part, nn.MultiheadAttention)}
    linears = [
        module for module in model.modules() if isinstance(module, nn.Linear) and id(module) not in inside_attention
    ]
    last = linears[-1] if linears and linears[-1] is not model else None
    return lambda module, name: module is not last


def imagenet(model: nn.Module) -> Filter:
    """All but the first convolution, the 1 × 1 shortcuts and the last Linear."""
    but_last = cifar(model)
    first = next((module for module in model.modules() if isinstance(module, nn.Conv2d)), None)

    def wanted(module: nn.Module, name: str) -> bool:
        return but_last(module, name) and module is not first and not _is_shortcut(module, name)

    return wanted


def none(model: nn.Module) -> Filter:
    """No layer stays float."""
    return lambda module, name: True


def _is_shortcut(module: nn.Module, name: str) -> bool:
    named = any(word in name for word in ("downsample", "shortcut", "skip"))
    return isinstance(module, nn.Conv2d) and module.kernel_size == (1, 1) and named


POLICIES: dict[str, Callable[[nn.Module], Filter]] = {"cifar": cifar, "imagenet": imagenet, "none": none}


def policy(name: str) -> Callable[[nn.Module], Filter]:
    if name not in POLICIES:
        raise ValueError(f"unknown policy '{name}'; there are: {', '.join(POLICIES)}")
    return POLICIES[name]
