"""Which layers stay in float32: the first/last-layer rules of the papers.

CIFAR nets of the CPT authors quantise every convolution, the first and the shortcuts included; the last Linear is
float. Their ImageNet nets also leave the first convolution and the 1 × 1 shortcuts in float. First and last are those
in the order of computation (`cpt_model.order`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torch import nn

from cpt_model.layers.forms import is_linear

Filter = Callable[[nn.Module, str], bool]
# From a model and the names of its layers in the order they compute to what is quantised.
Policy = Callable[[nn.Module, Sequence[str]], Filter]


def cifar(model: nn.Module, order: Sequence[str]) -> Filter:
    """All but the last layer, if that is a Linear; of a Linear alone, that one too."""
    last = model.get_submodule(order[-1]) if order else None
    stays = last if last is not None and last is not model and is_linear(last) else None
    return lambda module, name: module is not stays


def imagenet(model: nn.Module, order: Sequence[str]) -> Filter:
    """All but the first convolution, the 1 × 1 shortcuts and the last Linear."""
    but_last = cifar(model, order)
    modules = (model.get_submodule(name) for name in order)
    first = next((module for module in modules if isinstance(module, nn.Conv2d)), None)

    def wanted(module: nn.Module, name: str) -> bool:
        return but_last(module, name) and module is not first and not _is_shortcut(module, name)

    return wanted


def none(model: nn.Module, order: Sequence[str]) -> Filter:
    """No layer stays float."""
    return lambda module, name: True


def _is_shortcut(module: nn.Module, name: str) -> bool:
    named = any(word in name for word in ("downsample", "shortcut", "skip"))
    return isinstance(module, nn.Conv2d) and module.kernel_size == (1, 1) and named


POLICIES: dict[str, Policy] = {"cifar": cifar, "imagenet": imagenet, "none": none}


def policy(name: str) -> Policy:
    if name not in POLICIES:
        raise ValueError(f"unknown policy '{name}'; there are: {', '.join(POLICIES)}")
    return POLICIES[name]
