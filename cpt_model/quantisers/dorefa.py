"""DoReFa (Zhou et al. 2016): weights through tanh, activations clipped to 0..1, errors scaled by their greatest.

    weights      t = tanh(w) / max|tanh w|,   ŵ = 2·round((t + 1)/2 · L)/L − 1,   L = 2^b − 1;   1 bit: ±mean|w|
    activations  x̂ = round(clip(x, 0, 1) · L)/L;   no gradient outside 0..1
    errors       ê = 2M·[round((e/2M + ½)·L + U(−½, ½))/L − ½],   M = max|e|

The paper takes M for each sample. A scale for each sample does not factor out of the weight-gradient sum, which the
accelerator forms over the batch, so M is the tensor's. Activations of LSTM and attention layers have both signs: of
those the clip keeps only the positive part. Gradients of weights pass through tanh's derivative
(max|tanh w| as a constant), straight through at 1 bit.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from cpt_model.arithmetic import any_device
from cpt_model.arithmetic.affine import Grid, Quantised, check_scale, encode, value_range
from cpt_model.quantisers.base import Quantiser
from cpt_model.quantisers.running_range import RunningRange
from sim.reference.affine import LEAST_SCALE, check_operand_bits


class DoReFa(Quantiser):
    """Fixed range for activations, so evaluation needs no statistics."""

    name = "dorefa"
    tracks_ranges = False

    def weight(self, weights: Tensor, bits: int) -> Quantised:
        value_range(weights)
        if bits == 1:
            return encode(weights, _symmetric(any_device.read(weights.abs().mean()), 1))
        bounded = torch.tanh(weights)
        return encode(bounded / _greatest(bounded), _symmetric(1.0, bits))

    def through_weight(self, weights: Tensor, gradient: Tensor, bits: int) -> Tensor:
        if bits == 1:
            return gradient
        bounded = torch.tanh(weights)
        return gradient * (1 - bounded.square()) / _greatest(bounded)

    def activation_grid(self, x: Tensor, bits: int, seen: RunningRange, training: bool) -> Grid:
        value_range(x)
        return self.evaluation_grid(bits, seen)

    def evaluation_grid(self, bits: int, seen: RunningRange) -> Grid:
        check_operand_bits(bits)
        levels = (1 << bits) - 1
        return Grid(0.0, float(np.float32(1.0) / np.float32(levels)), levels, bits)

    def through_activation(self, x: Tensor) -> Tensor:
        return (x >= 0) & (x <= 1)

    def error_grid(self, error: Tensor, bits: int) -> Grid:
        low, high = value_range(error)
        return _symmetric(max(-low, high), bits)


def _greatest(bounded: Tensor) -> Tensor:
    """max |tanh w|; weights that are all 0 stay 0."""
    return bounded.abs().max().clamp_min(float(LEAST_SCALE))


def _symmetric(greatest: float, bits: int) -> Grid:
    """2^bits values from −greatest to greatest."""
    check_operand_bits(bits)
    levels = (1 << bits) - 1
    with np.errstate(over="ignore"):
        scale = np.maximum(np.float32(2 * greatest) / np.float32(levels), LEAST_SCALE)
    check_scale(float(scale))
    return Grid(-greatest, float(scale), levels, bits, 1 << bits - 1)
