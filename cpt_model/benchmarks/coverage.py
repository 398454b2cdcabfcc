"""What of other people's networks is quantised, by policy "imagenet": of timm and Hugging Face, where installed.

Shares of weights and of multiply-accumulates, and what stays float: layers by choice, attention's products as they are
in no layer.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

import torch
from torch import Tensor, nn
from torch.library import Library

from cpt_model.coverage_report import coverage
from cpt_model.prepare import Config, prepare_

TOKENS = 128
DECLARED: list[Library] = []


def other_package(name: str) -> ModuleType:
    """Timm, transformers or a module of theirs. Both import torchvision, which does not import where its operators are
    those of another PyTorch (one from PyPI with a PyTorch for the CPU): two of them are then declared, and stay without
    an implementation. They suppress boxes of detection; the networks here have none.
    """
    try:
        import_module("torchvision")
    except ModuleNotFoundError:
        pass  # transformers does without
    except RuntimeError:
        if not DECLARED:
            DECLARED.append(Library("torchvision", "DEF"))  # declared for as long as this object lives
            for operator in ("nms", "qnms"):
                DECLARED[0].define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    return import_module(name)


def _timm(name: str) -> tuple[nn.Module, Tensor]:
    return other_package("timm").create_model(name), torch.zeros(1, 3, 224, 224)


def _gpt2() -> tuple[nn.Module, Tensor]:
    transformers = other_package("transformers")
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(use_cache=False)), torch.zeros(1, TOKENS).long()


NETWORKS: dict[str, Callable[[], tuple[nn.Module, Tensor]]] = {
    "timm resnet18": lambda: _timm("resnet18"),
    "timm resnetv2_50x1_bit": lambda: _timm("resnetv2_50x1_bit"),
    "timm vit_tiny_patch16_224": lambda: _timm("vit_tiny_patch16_224"),
    f"Hugging Face GPT-2, {TOKENS} tokens": _gpt2,
}


def measure(repeat: int) -> dict[str, float]:
    """Nothing is random: repetitions are not needed."""
    results: dict[str, float] = {}
    for name, make in NETWORKS.items():
        try:
            model, x = make()
        except ImportError:  # not installed
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that little is quantised is what is measured
            prepare_(model, Config(policy="imagenet"), inputs=x)
        found = coverage(model, x)
        done, layers = found.layers
        outside = sum(part.macs or 0 for part in found.parts if not part.weights)
        macs = sum(part.macs or 0 for part in found.parts)
        results |= {
            f"{name}: layers": float(layers),
            f"{name}: layers quantised": float(done),
            f"{name}: weights quantised (%)": 100 * found.weights,
            f"{name}: multiply-accumulates quantised (%)": 100 * (found.macs or 0),
            f"{name}: multiply-accumulates outside of layers (%)": 100 * outside / macs,
        }
    return results
