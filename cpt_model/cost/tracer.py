"""A run of a model that notes where it is whenever a product is computed."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.conv import _ConvNd

from cpt_model.cost.counts import LayerCount
from cpt_model.cost.products import Products
from cpt_model.cost.recurrent import recurrent_products
from cpt_model.cost.shapes import Shapes
from cpt_model.model_precision import prepared_layers
from cpt_model.prepare import unprepare
from host.compiler.layer import LayerError

# What a product is attributed to: the outermost of these it is computed in.
LAYERS = (_ConvNd, nn.Linear, nn.RNNBase, nn.MultiheadAttention)


def copy_to_run(model: nn.Module, on_meta: bool) -> nn.Module:
    """A copy in plain PyTorch layers; on the meta device it holds no numbers."""
    known: dict[int, object] = {id(layer.cpt): layer.cpt for layer in prepared_layers(model).values()}
    if not on_meta:
        return unprepare(copy.deepcopy(model, known))
    known |= {id(each): each.to("meta") for each in model.buffers()}
    for each in model.parameters():
        known[id(each)] = nn.Parameter(each.detach().to("meta"), requires_grad=False)
    copied = unprepare(copy.deepcopy(model, known))
    for module in copied.modules():
        if isinstance(module, _BatchNorm):  # keeps the shape, and takes three quarters of the time
            module.forward = lambda input: input  # type: ignore[method-assign]
    return copied


class Tracer:
    """Runs a model; `layers` is the work of the whole input in each layer, in the order of their first use.

    >>> tracer = Tracer(nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8)))
    >>> tracer.run((torch.zeros(5, 4),))
    >>> [(layer.kind, layer.macs, layer.norm_elements) for layer in tracer.layers.values()]
    [('Linear', 160, 0), ('BatchNorm1d', 0, 40)]
    """

    def __init__(self, model: nn.Module, samples: int = 1) -> None:
        self.model = model
        self.samples = samples
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
            self._add(self._recurrent(name, module, inputs))

    def _product(self, called: str, macs: int | None, shapes: Shapes | None) -> None:
        place, kind = self._inside[-1][0] if self._inside else "", "product"
        for name, module in self._inside:
            if isinstance(module, nn.RNNBase):
                return  # counted as a whole: its products may be fused into one call
            if isinstance(module, LAYERS):
                place, kind = name, type(module).__name__
                break
        if macs is None or shapes is None:
            raise ValueError(f"layer '{place}' calls {called}, whose multiply-accumulates are not known")
        try:
            self._add(LayerCount(place, kind, macs, products=(shapes.product(self.samples),)))
        except LayerError as problem:
            self._add(LayerCount(place, kind, macs, foreign=(str(problem),)))

    def _recurrent(self, name: str, module: nn.RNNBase, inputs: object) -> LayerCount:
        try:
            products = recurrent_products(module, _features(inputs).shape, self.samples)
        except LayerError as problem:
            return LayerCount(name, type(module).__name__, _recurrent_macs(module, inputs), foreign=(str(problem),))
        return LayerCount(name, type(module).__name__, _recurrent_macs(module, inputs), products=products)

    def _add(self, more: LayerCount) -> None:
        so_far = self.layers.get(more.name)
        if so_far is None:
            self.layers[more.name] = more
            return
        self.layers[more.name] = replace(
            so_far,
            macs=so_far.macs + more.macs,
            norm_elements=so_far.norm_elements + more.norm_elements,
            products=so_far.products + more.products,
            foreign=so_far.foreign + more.foreign,
        )


def _recurrent_macs(module: nn.RNNBase, inputs: object) -> int:
    """Every weight of every gate is used once in each step of each sequence."""
    weights = sum(weight.numel() for name, weight in module.named_parameters() if name.startswith("weight_"))
    return weights * _features(inputs).shape[:-1].numel()


def _features(inputs: object) -> Tensor:
    assert isinstance(inputs, tuple)
    features = inputs[0]
    if not isinstance(features, Tensor):
        raise TypeError("packed sequences have no shape to count; trace the model with a padded one")
    return features


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
