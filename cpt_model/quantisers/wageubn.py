"""WAGEUBN's shift quantisation (Yang et al. 2020): symmetric integers with power-of-two scales, no offsets.

    x̂ = R · clip(round(x/R · 2^(b−1)), ±(2^(b−1) − 1)) / 2^(b−1),    R a power of two near max|x|

Errors use the paper's R = 2^round(log2 max|x|) and plain rounding; gradients of weights are rounded stochastically. The
paper quantises weights and activations directly (R = 1), which leaves nothing of weights below 8 bits; here R is
2^⌈log2 max|x|⌉, so only the greatest may lose up to one step. Offsets are 0, so a product needs no sums of codes.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from torch import Tensor

from cpt_model.arithmetic.affine import Grid, Quantised, encode, value_range
from cpt_model.quantisers.base import Quantiser
from cpt_model.quantisers.running_range import RunningRange
from sim.reference.affine import LEAST_SCALE, check_operand_bits


class WAGEUBN(Quantiser):
    """Integers and shifts only. One bit would leave the code 0 alone: 2 or more are needed."""

    name = "wageubn"
    stochastic_errors = False

    def weight(self, weights: Tensor, bits: int) -> Quantised:
        low, high = value_range(weights)
        return encode(weights, _shift_grid(max(-low, high), bits, math.ceil))

    def activation_grid(self, x: Tensor, bits: int, seen: RunningRange, training: bool) -> Grid:
        low, high = seen.choose(*value_range(x), training)
        return _shift_grid(max(-low, high), bits, math.ceil)

    def evaluation_grid(self, bits: int, seen: RunningRange) -> Grid:
        low, high = seen.range()
        return _shift_grid(max(-low, high), bits, math.ceil)

    def error_grid(self, error: Tensor, bits: int) -> Grid:
        low, high = value_range(error)
        return _shift_grid(max(-low, high), bits, round)


def _shift_grid(greatest: float, bits: int, rounding: Callable[[float], int]) -> Grid:
    check_operand_bits(bits)
    if bits < 2:
        raise ValueError("WAGEUBN codes of 1 bit are all 0: take 2 or more")
    exponent = rounding(math.log2(greatest)) if greatest > 0 else -126
    scale = max(math.ldexp(1.0, exponent + 1 - bits), float(LEAST_SCALE))
    most = (1 << bits - 1) - 1
    return Grid(-most * scale, scale, 2 * most, bits, most)
