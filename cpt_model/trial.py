"""A training step of any network with its matrix products on a simulated device, at several bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from cpt_model.cost.accelerator import layer_passes
from cpt_model.emulation import Report, emulate
from cpt_model.models import entry
from cpt_model.prepare import Config, prepare_
from cpt_model.tracing.counts import ModelCount
from host.compiler.bits import Bits
from host.compiler.results import Results, pass_commands
from sim.contract import Build

BATCH = 2


@dataclass(frozen=True)
class Fit:
    """Which layers run on a build at these bits, and why others do not."""

    layers: list[str]
    refused: dict[str, str] = field(default_factory=dict)


def fit(network: ModelCount, build: Build, widths: Sequence[Bits], batch: int = BATCH) -> Fit:
    """Every pass of every quantised layer, lowered; nothing runs."""
    refused = {layer.name: layer.foreign[0] for layer in network.layers if layer.quantised and layer.foreign}
    known = ModelCount(tuple(layer for layer in network.layers if layer.name not in refused))
    found: dict[str, None] = {}
    for layer, which in layer_passes(known):
        found[layer.name] = None
        for product in layer.products:
            for bits in widths:
                try:
                    pass_commands(product.of_batch(batch).shape, which, layer.bits or bits, build, Results.ROUNDED)
                except ValueError as problem:
                    refused.setdefault(layer.name, f"{which.value} pass at {bits}: {problem}")
    return Fit([name for name in found if name not in refused], refused)


def stepped(arch: str, classes: int, bits: Bits, device: Any, build: str, layers: Sequence[str]) -> Report:
    """One step's products of the layers, on random images; results that differ from PyTorch's raise."""
    known = entry(arch)
    torch.manual_seed(0)
    model = prepare_(known.make(classes), Config(policy=known.policy, bits=bits), inputs=known.example(BATCH))
    images, labels = torch.randn(BATCH, *known.input_shape), torch.randint(classes, (BATCH,))
    with emulate(model, device, layers=list(layers), build=build) as report:
        cross_entropy(model(images), labels).backward()
    return report
