"""What of other people's networks is quantised, by policy "imagenet": of timm and Hugging Face, where installed.

Shares of weights and of multiply-accumulates, and what stays float: layers by choice, attention's products as they are
in no layer.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module

import torch
from torch import Tensor, nn

from cpt_model.coverage_report import coverage
from cpt_model.prepare import Config, prepare_

TOKENS = 128


def _timm(name: str) -> tuple[nn.Module, Tensor]:
    return import_module("timm").create_model(name), torch.zeros(1, 3, 224, 224)


def _gpt2() -> tuple[nn.Module, Tensor]:
    transformers = import_module("transformers")
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
        except (ImportError, RuntimeError):  # not installed, or made for another PyTorch
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
