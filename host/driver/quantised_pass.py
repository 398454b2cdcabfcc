"""A layer's pass from float32 to float32: quantise both operands, and turn results back into values.

The arithmetic is the contract's (section 15, `sim.reference.affine`); the product in between runs on any device.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from host.compiler.bits import Bits
from host.compiler.geometry import geometry
from host.compiler.groups import bundles
from host.compiler.layer import Conv, Pass
from host.compiler.precision import EXACT, Output, Precision
from host.driver.execute import run_pass
from host.driver.outcome import ListOutcome
from sim.contract import Executor
from sim.reference.affine import Quantised, column_sums, combine, group_row_sums, quantise, term_counts

if TYPE_CHECKING:
    from host.driver.accelerator import Accelerator

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class QuantisedPass:
    """A float32 result, and the integers behind it; of rounded results, what they stand for."""

    values: Floats
    a: Quantised
    b: Quantised
    accumulators: npt.NDArray[np.integer]
    outcome: ListOutcome


def transpose_weights(weights: npt.NDArray, groups: int) -> npt.NDArray:
    """(out, in / groups, kh, kw) seen from the other side: (in, out / groups, kh, kw). Twice gives it back."""
    out, group_in, *kernel = weights.shape
    by_group = weights.reshape(groups, out // groups, group_in, *kernel).transpose(0, 2, 1, 3, 4)
    return by_group.reshape(groups * group_in, out // groups, *kernel)


def quantise_operands(
    layer: Conv, which: Pass, a: Floats, b: Floats, bits: Bits, seed: int | None = None
) -> tuple[Quantised, Quantised]:
    """Codes of both operands: activations unsigned, weights and errors signed, errors stochastic with a seed.

    Weights are given, and returned, in the layer's shape; their scales follow the result's channels.
    """
    if which is Pass.FORWARD:
        return quantise(a, bits.forward, signed=False), quantise(b, bits.forward, signed=True, per_channel=True)
    if which is Pass.WEIGHT_GRADIENT:
        return quantise(a, bits.forward, signed=False), quantise(b, bits.backward, signed=True, seed=seed)
    seen_from_input = quantise(transpose_weights(b, layer.groups), bits.forward, signed=True, per_channel=True)
    weights = replace(seen_from_input, codes=transpose_weights(seen_from_input.codes, layer.groups))
    return quantise(a, bits.backward, signed=True, seed=seed), weights


def run_quantised(
    device: Accelerator | Executor,
    layer: Conv,
    which: Pass,
    a: Floats,
    b: Floats,
    bits: Bits,
    seed: int | None,
    output: Output = EXACT,
) -> QuantisedPass:
    """One pass of the layer on the device: input and weights, error and weights, or input and error."""
    left, right = quantise_operands(layer, which, a, b, bits, seed)
    precision = Precision(left.bits, right.bits, left.signed, right.signed)
    merged_groups = which is not Pass.WEIGHT_GRADIENT and any(part.groups > 1 for part in bundles(layer))
    wanted = replace(output, row_sums=not merged_groups)
    done = run_pass(device, layer, which, precision, left.codes, right.codes, wanted)
    accumulators = done.result.astype(np.int64) << output.shift
    sums = done.row_sums
    if sums is None:
        channels = layer.out_channels if which is Pass.FORWARD else layer.in_channels
        sums = group_row_sums(left.codes, geometry(layer, which), layer.groups, channels)
    values = _values(layer, which, accumulators, sums, left, right)
    return QuantisedPass(values, left, right, accumulators, done.outcome)


def _values(layer: Conv, which: Pass, acc: npt.NDArray, row_sums: npt.NDArray, a: Quantised, b: Quantised) -> Floats:
    command = geometry(layer, which)
    if which is Pass.WEIGHT_GRADIENT:
        sums_of_b = column_sums(b.codes, command).transpose(1, 0, 2, 3)
        return combine(acc, row_sums, sums_of_b, term_counts(1, command), a, b.scale, b.offset)
    codes = b.codes
    if which is Pass.INPUT_ERROR:
        codes = transpose_weights(codes, layer.groups)[:, :, ::-1, ::-1]
    scale, offset = (per_channel.reshape(1, -1, 1, 1) for per_channel in (b.scale, b.offset))
    counts = term_counts(codes.shape[1], command)
    return combine(acc, row_sums, column_sums(codes, command), counts, a, scale, offset)
