"""The differentiable quantised product of an activation and weights: forward, input error and weight gradient on codes.

    forward       Q(x) ∗ Q(w)                        fw × fw bits
    input error   Q(e) ∗ Q(w, by input channel)      bw × fw bits
    gradient      Q(x) ∗ Q(e)                        fw × bw bits, the same Q(x) and Q(e)

(Of the quantiser "sbm-authors" the input error is a float32 product of Q(e) and the forward pass's Q(w).)

A width of 0 leaves a tensor unquantised; products with one are then float32 ones of the quantised values.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from cpt_model.arithmetic import passes
from cpt_model.arithmetic.affine import Quantised
from cpt_model.arithmetic.integer import torch_pass
from cpt_model.arithmetic.weights import Weights
from cpt_model.layers.float32 import float32_backward, float32_forward
from cpt_model.layers.state import LayerState
from host.compiler.bits import Bits
from host.compiler.layer import Conv, LayerError, Pass
from sim.contract import MAX_EXTENT, MAX_IMAGES

# Shapes are checked once, not in every step.
geometry = lru_cache(maxsize=1024)(Conv)


class WeightCodes:
    """One layer's weights (out, in / groups, kh, kw) as codes, each form made when first asked for."""

    def __init__(self, weights: Tensor, state: LayerState, groups: int = 1) -> None:
        self.weights = weights
        self.bits = state.bits.forward
        self.quantiser = state.quantiser
        self.groups = groups

    def _for(self, which: Pass) -> Weights:
        return self.quantiser.pass_weights(self.weights, self.bits, which, self.groups)

    @cached_property
    def by_output(self) -> Weights:
        return self._for(Pass.FORWARD)

    @cached_property
    def by_input(self) -> Weights:
        return self._for(Pass.INPUT_ERROR)


class _Product(torch.autograd.Function):
    @staticmethod
    @float32_forward
    def forward(
        ctx: Any,
        x: Tensor,
        weights: Tensor,
        layer: Conv,
        state: LayerState,
        codes: WeightCodes,
        what: str,
        training: bool,
        seeds: list[int],
    ) -> Tensor:
        with state.blamed(what):
            quantised = state.quantiser.activation(x, state.bits.forward, state.range_of(what), training)
        with state.blamed("weights"):
            weight_codes = codes.by_output
        mask = state.quantiser.through_activation(x) if ctx.needs_input_grad[0] else None
        ctx.layer, ctx.state, ctx.codes, ctx.bits, ctx.seeds = layer, state, codes, state.bits, seeds
        ctx.x = replace(quantised, codes=quantised.codes[:0])  # the codes themselves go through save_for_backward
        ctx.save_for_backward(quantised.codes, weights, mask, bits_tensor(state.bits))
        return passes.forward(layer, quantised, weight_codes, state.watch, state.results)

    @staticmethod
    @torch.autograd.function.once_differentiable
    @float32_backward
    def backward(ctx: Any, error: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        x_codes, weights, mask, computed_at = ctx.saved_tensors
        ctx.state.check_recomputed(ctx.bits, Bits(*computed_at.tolist()))
        x = replace(ctx.x, codes=x_codes)
        bits, quantiser, watch = ctx.bits, ctx.state.quantiser, ctx.state.watch
        wants_x, wants_weights = ctx.needs_input_grad[:2]
        from_x = from_weights = None
        if not bits.backward:
            from_x, from_weights = _float_backward(ctx, x, error)
        else:
            with ctx.state.blamed("error"):
                e = quantiser.error(error, bits.backward, ctx.seeds[0])
            if wants_x:
                from_x = _input_error(ctx, e)
            if wants_weights:
                from_weights = passes.gradient(ctx.layer, x, e, watch)
        if from_x is not None and mask is not None:
            from_x = from_x * mask
        if from_weights is not None:
            if ctx.state.gradient_bits:
                with ctx.state.blamed("weight gradient"):
                    from_weights = quantiser.gradient(from_weights, ctx.state.gradient_bits, ctx.seeds[1])
            from_weights = quantiser.through_weight(weights, from_weights, bits.forward)
        return from_x, from_weights, None, None, None, None, None, None


def bits_tensor(bits: Bits) -> Tensor:
    """Saved with the codes, so that it is recomputed with them where they are (activation checkpointing)."""
    return torch.tensor(tuple(bits), dtype=torch.uint8, device="cpu")


def _float_backward(ctx: Any, x: Quantised, error: Tensor) -> tuple[Tensor | None, Tensor | None]:
    layer: Conv = ctx.layer
    wants_x, wants_weights = ctx.needs_input_grad[:2]
    weights = ctx.codes.by_output.quantised.values()
    from_x = torch_pass(layer, Pass.INPUT_ERROR, error, weights) if wants_x else None
    from_weights = torch_pass(layer, Pass.WEIGHT_GRADIENT, x.values(), error) if wants_weights else None
    return from_x, from_weights


def _input_error(ctx: Any, e: Quantised) -> Tensor:
    state, codes = ctx.state, ctx.codes
    if not state.quantiser.exact_input_error:
        return torch_pass(ctx.layer, Pass.INPUT_ERROR, e.values(), codes.by_output.quantised.values())
    with state.blamed("weights"):
        weights = codes.by_input
    return passes.input_error(ctx.layer, e, weights, state.watch, state.results)


class _QuantiseError(torch.autograd.Function):
    """The identity whose backward pass quantises the error: for layers with float forward passes."""

    @staticmethod
    def forward(ctx: Any, y: Tensor, state: LayerState, bits: Bits) -> Tensor:
        ctx.state, ctx.bits, ctx.seed = state, bits, state.next_seed()
        return y.view_as(y)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, error: Tensor) -> tuple[Tensor, None, None]:
        with ctx.state.blamed("error"):
            rounded = ctx.state.quantiser.error(error.float(), ctx.bits.backward, ctx.seed).values()
        return rounded.to(error.dtype), None, None  # the output of a float layer may be narrower, under autocast


def quantise_error(y: Tensor, state: LayerState) -> Tensor:
    """The output (n, c, h, w) of a float product; if the layer has backward bits, its error will be quantised."""
    wanted = state.bits.backward and y.numel() and y.requires_grad
    return _QuantiseError.apply(y, state, state.bits) if wanted else y


def convolve(
    x: Tensor,
    weights: Tensor,
    layer: Conv,
    state: LayerState,
    what: str,
    training: bool,
    codes: WeightCodes | None = None,
) -> Tensor:
    """The layer's output (n, c, h, w), without bias."""
    if x.shape[1] != layer.in_channels:
        raise ValueError(
            f"layer '{state.name}', {what}: {x.shape[1]} features, the weights are for {layer.in_channels}"
        )
    state.begin_pass(training)
    if not x.numel() or not state.bits.forward:
        y = functional.conv2d(x, weights, None, layer.stride, layer.padding, groups=layer.groups)
        return quantise_error(y, state)
    if state.stand_in is not None:
        return state.stand_in.convolve(x, weights, layer, what)
    codes = codes or WeightCodes(weights.detach(), state, layer.groups)
    return _Product.apply(x, weights, layer, state, codes, what, training, state.seeds_for(2, x, weights))


def multiply(
    rows: Tensor, weights: Tensor, state: LayerState, what: str, training: bool, codes: WeightCodes | None = None
) -> Tensor:
    """rows (..., in) times weights (out, in) transposed: a 1 × 1 convolution of 1 × 1 maps."""
    if not rows.numel():
        return functional.linear(rows, weights)
    if state.stand_in is not None and state.bits.forward:
        return state.stand_in.multiply(rows, weights, what)
    count = rows.numel() // rows.shape[-1]
    height = _map_height(count)
    maps = rows.reshape(count // height, height, rows.shape[-1]).transpose(1, 2)[..., None]
    layer = geometry(count // height, weights.shape[1], weights.shape[0], height, 1)
    y = convolve(maps, weights[:, :, None, None], layer, state, what, training, codes)
    return y[..., 0].transpose(1, 2).reshape(*rows.shape[:-1], weights.shape[0])


def _map_height(rows: int) -> int:
    """Rows are images of one pixel, as the contract has fully connected layers; more than it counts become columns."""
    heights = range(-(-rows // MAX_IMAGES), MAX_EXTENT + 1)
    found = next((height for height in heights if rows % height == 0), None)
    if found is None:
        raise LayerError(f"{rows} rows do not divide into at most {MAX_IMAGES} images of at most {MAX_EXTENT} pixels")
    return found
