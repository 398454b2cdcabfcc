"""What a quantiser decides: the grid of each kind of tensor, and how gradients pass through.

Codes and products are the same for all of them (`cpt_model.arithmetic.affine`, `cpt_model.arithmetic.passes`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from torch import Tensor

from cpt_model.arithmetic.affine import Grid, Quantised, encode
from cpt_model.arithmetic.weights import Weights, by_input_channel
from cpt_model.quantisers.running_range import RunningRange
from host.compiler.layer import Pass


class Quantiser(ABC):
    """Weights, activations, errors and weight gradients to codes. Activations come as (n, c, h, w)."""

    name: str
    per_channel_weights = False  # then the input-error pass needs weights quantised again, by input channel
    exact_input_error = True  # whether the input-error pass multiplies codes, or float32 values
    stochastic_errors = True
    tracks_ranges = True  # evaluation needs the ranges of activations seen in training

    @abstractmethod
    def weight(self, weights: Tensor, bits: int) -> Quantised:
        """Signed codes; one scale, or one for each index of dimension 0."""

    @abstractmethod
    def activation_grid(self, x: Tensor, bits: int, seen: RunningRange, training: bool) -> Grid:
        """The grid of an activation: in training from the batch (and `seen` is updated), in evaluation from `seen`."""

    @abstractmethod
    def evaluation_grid(self, bits: int, seen: RunningRange) -> Grid:
        """The grid of an activation in evaluation; where ranges are tracked, `seen` is not empty."""

    @abstractmethod
    def error_grid(self, error: Tensor, bits: int) -> Grid:
        """The grid of the error of a layer's output, whole tensor."""

    def pass_weights(self, weights: Tensor, bits: int, which: Pass, groups: int) -> Weights:
        """Weights (out, in / groups, kh, kw) for the forward or the input-error pass."""
        if which is Pass.FORWARD or not self.per_channel_weights:
            return Weights.of(self.weight(weights, bits), which, groups)
        return Weights.of(by_input_channel(lambda rows: self.weight(rows, bits), weights, groups), which, groups)

    def activation(self, x: Tensor, bits: int, seen: RunningRange, training: bool = True) -> Quantised:
        return encode(x, self.activation_grid(x, bits, seen, training))

    def error(self, error: Tensor, bits: int, seed: int) -> Quantised:
        """Signed codes, stored from the one nearest 0."""
        grid = self.error_grid(error, bits)
        return encode(error, grid, seed if self.stochastic_errors else None, zero=grid.code_of_zero)

    def gradient(self, gradient: Tensor, bits: int, seed: int) -> Tensor:
        """A weight gradient rounded stochastically to a grid of its own range: values, not codes."""
        return encode(gradient, self.error_grid(gradient, bits), seed).values()

    def through_weight(self, weights: Tensor, gradient: Tensor, bits: int) -> Tensor:
        """Gradient of the master weights; straight through unless a quantiser says otherwise."""
        return gradient

    def through_activation(self, x: Tensor) -> Tensor | None:
        """A 0/1 mask on the input's gradient; none where it passes straight through."""
        return None
