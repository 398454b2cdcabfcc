"""Counts of any PyTorch model, by running it once on shapes: every product goes to the layer that computes it.

On an input of the meta device nothing is calculated and no weight is copied; a model whose shapes depend on values
needs a real input. The model itself is not touched: a copy runs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import torch
from torch import Tensor, nn

from cpt_model.layer_bits import LayerBits, bits_by_name
from cpt_model.model_precision import layer_states, prepared_layers
from cpt_model.models import build, entry
from cpt_model.prepare import layers_to_quantise
from cpt_model.tracing.counts import LayerCount, ModelCount
from cpt_model.tracing.tracer import traced


def count(
    model: nn.Module, *inputs: Tensor, policy: str = "cifar", samples: int | None = None, layer_bits: LayerBits = ()
) -> ModelCount:
    """Work of one sample in each layer of a model.

    Args:
        model: any module, prepared or not.
        inputs: what the model is called with.
        policy: which layers stay float, if the model is not prepared yet.
        samples: how many samples the inputs hold; by default the length of the first input.
        layer_bits: bits of single layers, if the model is not prepared yet.

    >>> convolution = nn.Conv2d(8, 16, 3, padding=1, groups=4)
    >>> model = nn.Sequential(convolution, nn.BatchNorm2d(16), nn.Flatten(), nn.Linear(64, 10))
    >>> for layer in count(model, torch.empty(5, 8, 2, 2, device="meta")).layers:
    ...     print(layer.name, layer.kind, layer.macs, layer.norm_elements, layer.quantised)
    0 Conv2d 1152 0 True
    1 BatchNorm2d 0 64 False
    3 Linear 640 0 False
    """
    if not inputs:
        raise ValueError(
            "count() needs the inputs the model is called with, as torch.empty(2, 3, 32, 32, device='meta')"
        )
    samples = len(inputs[0]) if samples is None else samples
    tracer = traced(model, inputs, samples)
    if prepared_layers(model):
        states = layer_states(model)
        fixed = {name: state.bits for name, state in states.items() if state.fixed}
        quantised = set(states)
    else:
        quantised = set(layers_to_quantise(model, policy, tracer.order))
        fixed = bits_by_name(quantised, layer_bits)
    return ModelCount(
        tuple(
            replace(_for_one(layer, samples), quantised=layer.name in quantised, bits=fixed.get(layer.name))
            for layer in tracer.layers.values()
        )
    )


@cache
def count_network(name: str) -> ModelCount:
    """A network of the papers by name, for one image, or one sequence of its usual length.

    >>> count_network("cifar10_resnet_20").macs
    40813184
    """
    known = entry(name)
    with torch.device("meta"):
        model = build(name)
    return count(model, known.example(), policy=known.policy)


def _for_one(layer: LayerCount, samples: int) -> LayerCount:
    if samples < 1 or layer.macs % samples or layer.norm_elements % samples:
        work = layer.macs or layer.norm_elements
        raise ValueError(f"layer '{layer.name}' computes {work:,} for {samples} samples: not a whole number for each")
    macs, elements = layer.macs // samples, layer.norm_elements // samples
    return replace(layer, macs=macs, norm_elements=elements)
