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

from cpt_model.copies import meta_copy, shared_states
from cpt_model.layers import multiplies
from cpt_model.restoring import unprepare
from cpt_model.tracing.counts import LayerCount
from cpt_model.tracing.products import Products
from cpt_model.tracing.recurrent import recurrent_products
from cpt_model.tracing.shapes import Shapes
from host.compiler.layer import LayerError


def copy_to_run(model: nn.Module, on_meta: bool) -> nn.Module:
    """A copy in plain PyTorch layers; on the meta device it holds no numbers."""
    if not on_meta:
        return unprepare(copy.deepcopy(model, shared_states(model)))
    copied = unprepare(meta_copy(model))
    for module in copied.modules():
        if isinstance(module, _BatchNorm):  # keeps the shape, and takes three quarters of the time
            module.forward = lambda input: input  # type: ignore[method-assign]
    return copied


def traced(model: nn.Module, inputs: tuple[Tensor, ...], samples: int = 1) -> Tracer:
    """What a copy of the model does with the inputs; if all are on the meta device it sees their shapes alone."""
    tracer = Tracer(copy_to_run(model, all(each.is_meta for each in inputs)), samples)
    tracer.run(inputs)
    return tracer


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
        self.order: list[str] = []  # of layers, by their first use
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
        def enter(module: nn.Module, inputs: object) -> None:
            self._inside.append((name, module))
            if multiplies(module) and name not in self.order:
                self.order.append(name)

        return enter

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
            if multiplies(module):  # the outermost is the one
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
