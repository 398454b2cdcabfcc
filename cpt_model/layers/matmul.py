"""The differentiable quantised product of two activations, batch by batch: A · Bᵀ, as attention needs it.

Both operands are per tensor, so the same codes serve forward and backward:

    y = A · Bᵀ (fw × fw bits)      error of A = E · B,   error of B = Eᵀ · A (bw × fw bits)

Each is rows times rows: result[m, n] = Σ_k a[m, k]·b[n, k], a fully connected layer of the accelerator for each matrix
of the batch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from cpt_model.arithmetic import any_device
from cpt_model.arithmetic.affine import EXACT_FLOAT32, Quantised, combine
from cpt_model.arithmetic.float32_probe import float32_is_exact
from cpt_model.arithmetic.passes import Watch
from cpt_model.arithmetic.results import meant, output_of, stored
from cpt_model.layers.float32 import float32_backward, float32_forward
from cpt_model.layers.product import bits_tensor, geometry, quantise_error
from cpt_model.layers.state import LayerState
from host.compiler.bits import Bits
from host.compiler.layer import Conv, Pass
from host.compiler.precision import Output
from host.compiler.results import Results


def rows_by_rows(
    a: Quantised,
    b: Quantised,
    watch: Watch | None = None,
    results: Results = Results.ROUNDED,
    which: Pass = Pass.FORWARD,
) -> Tensor:
    """(batch, m, k) and (batch, n, k) codes to float32 (batch, m, n); b's codes are stored as the contract's.

    Where a is an error, `which` says so: its results are as wide as those of an input-error pass.
    """
    row_sums = a.codes.sum(2, keepdim=True, dtype=torch.float64)
    col_sums = b.codes.sum(2, dtype=torch.float64)[:, None]
    count = torch.tensor(float(a.codes.shape[2]))
    (_, m, k), n = a.codes.shape, b.codes.shape[1]
    layer = geometry(m, k, n, 1, 1)  # of each matrix of the batch
    output = output_of(layer if which is Pass.FORWARD else geometry(m, n, k, 1, 1), which, a, b, results)
    acc = stored(_products(a, b).double() + a.zero * col_sums, output)
    if watch is not None:
        acc = torch.stack([_watched(watch, layer, a, b, output, index, acc[index]) for index in range(len(acc))])
    acc = meant(acc, output)
    row_sums = row_sums + a.zero * count
    return combine(acc, row_sums, col_sums, count, a, b.scale, b.offset)


def _products(a: Quantised, b: Quantised) -> Tensor:
    greatest = a.greatest + abs(a.zero)
    if any_device.is_elsewhere(a.codes):
        return any_device.multiply(a.codes, b.codes.mT, greatest * b.greatest)
    bound = greatest * b.codes.abs().sum(2, dtype=torch.float64).max().item()
    exact = bound <= EXACT_FLOAT32 and float32_is_exact()
    left, right = (a.codes, b.codes) if exact else (a.codes.double(), b.codes.double())
    return torch.bmm(left, right.mT)


def _watched(watch: Watch, layer: Conv, a: Quantised, b: Quantised, output: Output, index: int, acc: Tensor) -> Tensor:
    """One matrix of the batch, shown as a fully connected layer."""
    left, right = (replace(each, codes=each.codes[index, :, :, None, None]) for each in (a, b))
    return watch(layer, Pass.FORWARD, left, right, output, acc[:, :, None, None])[:, :, 0, 0]


def _matrices(quantised: Quantised) -> Quantised:
    """(batch, m, k, 1) codes as matrices."""
    scale, offset = quantised.scale[..., 0], quantised.offset[..., 0]
    return replace(quantised, codes=quantised.codes[..., 0], scale=scale, offset=offset, known_sums=None)


def _transposed(quantised: Quantised) -> Quantised:
    return replace(quantised, codes=quantised.codes.mT)


class _Matmul(torch.autograd.Function):
    @staticmethod
    @float32_forward
    def forward(
        ctx: Any, a: Tensor, b: Tensor, state: LayerState, what: str, training: bool, seeds: list[int]
    ) -> Tensor:
        operands = []
        for name, each in zip(what.split(), (a, b), strict=True):
            with state.blamed(name):
                quantised = state.quantiser.activation(
                    each[..., None], state.bits.forward, state.range_of(name), training
                )
            operands.append(_matrices(quantised))
        masks = [state.quantiser.through_activation(each) for each in (a, b)]
        ctx.state, ctx.bits, ctx.seeds = state, state.bits, seeds
        ctx.operands = [replace(each, codes=each.codes[:0]) for each in operands]
        ctx.save_for_backward(*(each.codes for each in operands), *masks, bits_tensor(state.bits))
        return rows_by_rows(operands[0], operands[1], state.watch, state.results)

    @staticmethod
    @torch.autograd.function.once_differentiable
    @float32_backward
    def backward(ctx: Any, error: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        *saved, computed_at = ctx.saved_tensors
        ctx.state.check_recomputed(ctx.bits, Bits(*computed_at.tolist()))
        codes, masks = saved[:2], saved[2:]
        a, b = (replace(each, codes=saved) for each, saved in zip(ctx.operands, codes, strict=True))
        wants_a, wants_b = ctx.needs_input_grad[:2]
        if not ctx.bits.backward:
            from_a = error @ b.values() if wants_a else None
            from_b = error.mT @ a.values() if wants_b else None
        else:
            with ctx.state.blamed("error"):
                e = _matrices(ctx.state.quantiser.error(error.contiguous()[..., None], ctx.bits.backward, ctx.seeds[0]))
            how = ctx.state.watch, ctx.state.results, Pass.INPUT_ERROR
            from_a = rows_by_rows(e, _transposed(b), *how) if wants_a else None
            from_b = rows_by_rows(_transposed(e), _transposed(a), *how) if wants_b else None
        results = [
            each if each is None or mask is None else each * mask
            for each, mask in zip((from_a, from_b), masks, strict=True)
        ]
        return *results, None, None, None, None


def matmul(a: Tensor, b: Tensor, state: LayerState, what: str, training: bool) -> Tensor:
    """a (batch, m, k) times b (batch, n, k) transposed; `what` names both operands, for their ranges."""
    state.begin_pass(training)
    if not state.bits.forward or not a.numel() or not b.numel():
        return quantise_error((a @ b.mT)[..., None], state)[..., 0]
    if state.stand_in is not None:
        return state.stand_in.matmul(a, b, what)
    return _Matmul.apply(a, b, state, what, training, state.seeds_for(1, a, b))
