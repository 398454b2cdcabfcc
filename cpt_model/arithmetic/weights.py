"""A layer's weights as the second operand of a forward or input-error pass, with the sums that pass needs of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from cpt_model.arithmetic import native
from cpt_model.arithmetic.affine import Quantised, laid_out_as
from cpt_model.arithmetic.exact import greatest_weight_sum
from host.compiler.layer import Pass
from sim.reference.affine import check_operand_bits


@dataclass(frozen=True)
class Weights:
    """Codes in the layer's own shape; scale and offset by output channel of the pass, or one for all."""

    quantised: Quantised
    tap_sums: Tensor  # (kh, kw, c), over the other channels of the group
    greatest_sum: float  # of magnitudes, over the output channels of the pass

    @classmethod
    def of(cls, quantised: Quantised, which: Pass, groups: int) -> Weights:
        codes = quantised.codes
        if which is Pass.FORWARD:
            by_channel = codes.sum(1, dtype=torch.float64)
        else:
            by_channel = codes.unflatten(0, (groups, -1)).sum(1, dtype=torch.float64).flatten(0, 1)
        return cls(quantised, by_channel.permute(1, 2, 0), greatest_weight_sum(which, codes, groups))


def affine_weights(weights: Tensor, bits: int, by_input: bool) -> Weights:
    """The contract's codes of a dense layer's weights, in one call."""
    check_operand_bits(bits)
    made = native.weights(weights, bits, by_input)
    if made is None:
        raise ValueError("cannot quantise: weights are not finite, or their range is not a float32")
    codes, scale, offset, tap_sums, greatest = made
    return Weights(Quantised(codes, scale, offset, bits, signed=True), tap_sums, greatest)


def by_input_channel(quantise: Callable[[Tensor], Quantised], weights: Tensor, groups: int) -> Quantised:
    """Weights quantised for the input-error pass: scales by input channel, codes in the layer's shape."""
    quantised = quantise(other_side(weights, groups))
    return replace(quantised, codes=laid_out_as(weights, other_side(quantised.codes, groups)))


def other_side(weights: Tensor, groups: int) -> Tensor:
    """(out, in / groups, kh, kw) → (in, out / groups, kh, kw). Twice gives it back."""
    return weights.unflatten(0, (groups, -1)).transpose(1, 2).flatten(0, 1)
