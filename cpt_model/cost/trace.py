"""Counts of any PyTorch model, by running it once on shapes: every product goes to the layer that computes it.

On an input of the meta device nothing is calculated and no weight is copied; a model whose shapes depend on values
needs a real input. The model itself is not touched: a copy runs.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.conv import _ConvNd

from cpt_model.cost.counts import LayerCount, ModelCount
from cpt_model.cost.products import Products
from cpt_model.layers import FORMS
from cpt_model.models import build, entry
from cpt_model.policies import POLICIES
from cpt_model.precision import prepared_layers
from cpt_model.prepare import unprepare

# What a product is attributed to: the outermost of these it is computed in.
LAYERS = (_ConvNd, nn.Linear, nn.RNNBase, nn.MultiheadAttention)


def count(model: nn.Module, *inputs: Tensor, policy: str = "cifar", samples: int | None = None) -> ModelCount:
    """Work of one sample in each layer of a model.

    Args:
        model: any module, prepared or not.
        inputs: what the model is called with.
        policy: which layers stay float, if the model is not prepared yet.
        samples: how many samples the inputs hold; by default the length of the first input.

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
    quantised = _quantised(model, policy)
    on_meta = all(each.is_meta for each in inputs)
    tracer = _Tracer(unprepare(_copy(model, on_meta)))
    tracer.run(inputs)
    return ModelCount(tuple(_for_one(layer, samples, layer.name in quantised) for layer in tracer.layers.values()))


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


def _quantised(model: nn.Module, policy: str) -> set[str]:
    """Names of the layers `prepare_` converts, or has converted."""
    prepared = prepared_layers(model)
    if prepared:
        return set(prepared)
    if policy not in POLICIES:
        raise ValueError(f"unknown policy '{policy}'; there are: {', '.join(POLICIES)}")
    wanted = POLICIES[policy](model)
    return {name for name, module in model.named_modules() if type(module) in FORMS and wanted(module, name)}


def _for_one(layer: LayerCount, samples: int, quantised: bool) -> LayerCount:
    if samples < 1 or layer.macs % samples or layer.norm_elements % samples:
        work = layer.macs or layer.norm_elements
        raise ValueError(f"layer '{layer.name}' computes {work:,} for {samples} samples: not a whole number for each")
    macs, elements = layer.macs // samples, layer.norm_elements // samples
    return replace(layer, macs=macs, norm_elements=elements, quantised=quantised)


def _copy(model: nn.Module, on_meta: bool) -> nn.Module:
    """A copy to run; on the meta device it shares nothing and holds nothing."""
    known: dict[int, object] = {id(layer.cpt): layer.cpt for layer in prepared_layers(model).values()}
    if not on_meta:
        return copy.deepcopy(model, known)
    known |= {id(each): each.to("meta") for each in model.buffers()}
    for each in model.parameters():
        known[id(each)] = nn.Parameter(each.detach().to("meta"), requires_grad=False)
    copied = copy.deepcopy(model, known)
    for module in copied.modules():
        if isinstance(module, _BatchNorm):  # keeps the shape, and takes three quarters of the time
            module.forward = lambda input: input  # type: ignore[method-assign]
    return copied


class _Tracer:
    """Runs a model and notes where it is whenever a product is computed."""

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self.layers: dict[str, LayerCount] = {}
        self._inside: list[tuple[str, nn.Module]] = []

    def run(self, inputs: tuple[Tensor, ...]) -> None:
        with ExitStack() as stack:
            for name, module in self.model.named_modules():
                stack.callback(module.register_forward_pre_hook(self._enter(name)).remove)
                stack.callback(module.register_forward_hook(self._leave).remove)
            stack.enter_context(torch.no_grad())
            stack.enter_context(_no_fused_attention())
            stack.enter_context(Products(self._product))
            self.model(*inputs)

    def _enter(self, name: str) -> Callable[[nn.Module, object], None]:
        return lambda module, inputs: self._inside.append((name, module))

    def _leave(self, module: nn.Module, inputs: object, output: object) -> None:
        name, _ = self._inside.pop()
        if isinstance(module, _BatchNorm) and isinstance(output, Tensor):
            self._add(LayerCount(name, type(module).__name__, norm_elements=output.numel()))
        if isinstance(module, nn.RNNBase):
            self._add(LayerCount(name, type(module).__name__, _recurrent(module, inputs)))

    def _product(self, called: str, macs: int | None) -> None:
        place, kind = self._inside[-1][0] if self._inside else "", "product"
        for name, module in self._inside:
            if isinstance(module, nn.RNNBase):
                return  # counted as a whole: its products may be fused into one call
            if isinstance(module, LAYERS):
                place, kind = name, type(module).__name__
                break
        if macs is None:
            raise ValueError(f"layer '{place}' calls {called}, whose multiply-accumulates are not known")
        self._add(LayerCount(place, kind, macs))

    def _add(self, more: LayerCount) -> None:
        so_far = self.layers.get(more.name, replace(more, macs=0, norm_elements=0))
        self.layers[more.name] = replace(
            so_far, macs=so_far.macs + more.macs, norm_elements=so_far.norm_elements + more.norm_elements
        )


def _recurrent(module: nn.RNNBase, inputs: object) -> int:
    """Every weight of every gate is used once in each step of each sequence."""
    assert isinstance(inputs, tuple)
    features = inputs[0]
    if not isinstance(features, Tensor):
        raise TypeError("packed sequences have no shape to count; trace the model with a padded one")
    weights = sum(weight.numel() for name, weight in module.named_parameters() if name.startswith("weight_"))
    return weights * features.shape[:-1].numel()


@contextmanager
def _no_fused_attention() -> Iterator[None]:
    """Fused kernels would hide their products."""
    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with sdpa_kernel(SDPBackend.MATH):
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)
