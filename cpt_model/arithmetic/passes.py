"""The three matrix passes of a layer: codes in, float32 out, as the contract's section 15 puts them together.

    y = acc·(sA·sB) + ( rowsum·(sA·mB) + mA·( colsum·sB + count·mB ) )

Operands are (n, c, h, w); a fully connected layer is a 1 × 1 convolution of 1 × 1 maps. `watch`, if given, sees the
contract's integers of every pass and may put its own results in their place (`cpt_model.emulation`).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from cpt_model.arithmetic import native
from cpt_model.arithmetic.affine import EXACT_FLOAT32, Quantised, combine
from cpt_model.arithmetic.exact import (
    byte_gradient,
    convolve,
    geometry_numbers,
    lift_errors_to_bytes,
    lift_to_bytes,
    suits_native_product,
    weight_gradient,
)
from cpt_model.arithmetic.results import meant, output_of, stored
from cpt_model.arithmetic.taps import axes, between, by_tap
from cpt_model.arithmetic.weights import Weights
from host.compiler.layer import Conv, Pass
from host.compiler.precision import EXACT, Output
from host.compiler.results import Results

# (layer, pass, codes of a, codes of b, what the pass stores, its results) → results
Watch = Callable[[Conv, Pass, Quantised, Quantised, Output, Tensor], Tensor]


def forward(
    layer: Conv, x: Quantised, weights: Weights, watch: Watch | None = None, results: Results = Results.ROUNDED
) -> Tensor:
    """The layer's output; weights quantised by output channel."""
    return _convolution(layer, Pass.FORWARD, x, weights, watch, results)


def input_error(
    layer: Conv, error: Quantised, weights: Weights, watch: Watch | None = None, results: Results = Results.ROUNDED
) -> Tensor:
    """The error of the layer's input; weights quantised by input channel, codes in the layer's own shape."""
    return _convolution(layer, Pass.INPUT_ERROR, error, weights, watch, results)


def gradient(layer: Conv, x: Quantised, error: Quantised, watch: Watch | None = None) -> Tensor:
    """The gradient of the weights."""
    lift = lift_errors_to_bytes(layer, x, error)
    acc = weight_gradient(layer, x, error) if lift is None else byte_gradient(layer, x, error, lift)
    lacking = error.zero - (lift or 0)  # in the codes that were multiplied
    maps = x.sums.over_batch, error.sums.over_batch
    fusable = watch is None and layer.groups == 1 and maps[0].dtype == maps[1].dtype == torch.float32
    if fusable and native.usable(maps[0]):
        of_x, of_error = ((each.scale.item(), each.offset.item()) for each in (x, error))
        return native.finish_gradient(
            acc, layer.batch, geometry_numbers(layer), maps, of_x, of_error, error.zero, lacking
        )
    rows, columns = axes(layer, x.codes.device)
    row_sums = by_tap(rows.used, maps[0][0], columns.used)  # (ci, kh, kw)
    col_sums = by_tap(rows.inside, maps[1][0], columns.inside)  # (co, kh, kw), of stored codes
    counts = layer.batch * torch.outer(rows.inside.sum(1), columns.inside.sum(1))
    by_group = row_sums.unflatten(0, (layer.groups, -1)).repeat_interleave(layer.out_channels // layer.groups, 0)
    acc = acc + lacking * by_group
    if watch is not None:
        acc = watch(layer, Pass.WEIGHT_GRADIENT, x, error, EXACT, acc)
    col_sums = (col_sums + error.zero * counts)[:, None]
    return combine(acc, by_group, col_sums, counts, x, error.scale, error.offset)


def _convolution(
    layer: Conv, which: Pass, a: Quantised, weights: Weights, watch: Watch | None, results: Results
) -> Tensor:
    b = weights.quantised
    output = output_of(layer, which, a, b, results)
    terms = (layer.in_channels if which is Pass.FORWARD else layer.out_channels) // layer.groups
    row_sums_exact = a.greatest * terms * layer.kernel[0] * layer.kernel[1] <= EXACT_FLOAT32
    finishing = None
    if watch is None and layer.groups == 1 and row_sums_exact and native.usable(a.codes):
        finishing = native.Finishing(
            *(geometry_numbers(layer), which is Pass.INPUT_ERROR, a.sums.by_pixel, terms, weights.tap_sums),
            *((a.scale.item(), a.offset.item()), (b.scale, b.offset), a.zero, output.shift),
        )
        lift = lift_to_bytes(a, b)
        if suits_native_product(layer, which, a, weights.greatest_sum, lift is not None):
            return native.product(a.codes, b.codes, finishing, lift)
    acc = convolve(layer, which, a, b, weights.greatest_sum)
    if finishing is not None and acc.dtype == torch.float32:
        return native.finish_(native.dense(acc), finishing)
    layout = torch.channels_last if native.channels_last(acc) else torch.contiguous_format
    row_sums, col_sums, counts = _sums(layer, which, a, weights, terms)
    acc = stored(acc.double() + a.zero * col_sums, output)
    if watch is not None:
        acc = watch(layer, which, a, b, output, acc)
    acc = meant(acc, output)
    b_scale, b_offset = (each.reshape(1, -1, 1, 1) for each in (b.scale, b.offset))
    y = combine(acc, row_sums + a.zero * counts, col_sums, counts, a, b_scale, b_offset)
    # As with the C++ kernels: sums of what comes next, of batch normalisation, depend on the order in memory.
    return y.contiguous(memory_format=layout)


def _sums(layer: Conv, which: Pass, a: Quantised, b: Weights, terms: int) -> tuple[Tensor, Tensor, Tensor]:
    """Row sums of stored codes, column sums and counts of terms, each over the taps inside the image, in float64."""
    rows, columns = axes(layer, a.codes.device)
    if which is Pass.FORWARD:
        taps = rows.inside, columns.inside
        connects = rows.connects.mT, columns.connects.mT
    else:
        taps = rows.used, columns.used
        connects = rows.connects, columns.connects
    col_sums = between(taps[0], b.tap_sums.double().permute(2, 0, 1), taps[1])[None]
    counts = terms * torch.outer(taps[0].sum(0), taps[1].sum(0))[None, None]
    if layer.groups > 1:
        by_group = a.codes.unflatten(1, (layer.groups, -1)).sum(2, dtype=torch.float64)
        row_sums = between(connects[0], by_group, connects[1])
        return row_sums.repeat_interleave(col_sums.shape[1] // layer.groups, 1), col_sums, counts
    return between(connects[0], a.sums.by_pixel.double(), connects[1]), col_sums, counts
