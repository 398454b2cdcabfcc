"""SBM (Banner et al. 2018) as the CPT authors use it: affine grids from least to greatest value.

s = max((hi − lo) / (2^b − 1), 2^−126), q = round((x − lo) / s), x̂ = q·s + lo. Weights by output channel of the pass,
activations and errors by tensor, errors rounded stochastically. Straight-through gradients. Differences from the
authors' code: weights of the input-error pass are quantised by input channel (see the contract; `AuthorsSBM` takes
theirs), s may be as small as a float32, the range of evaluation is corrected for its start.
"""

from __future__ import annotations

from torch import Tensor

from cpt_model.arithmetic import native
from cpt_model.arithmetic.affine import Grid, Quantised, affine_grid, quantise, value_range
from cpt_model.arithmetic.weights import Weights, affine_weights
from cpt_model.quantisers.base import Quantiser
from cpt_model.quantisers.running_range import RunningRange
from host.compiler.layer import Pass


class SBM(Quantiser):
    """The contract's own quantiser, and the default."""

    name = "sbm"
    per_channel_weights = True

    def weight(self, weights: Tensor, bits: int) -> Quantised:
        return quantise(weights, bits, signed=True, per_channel=True)

    def pass_weights(self, weights: Tensor, bits: int, which: Pass, groups: int) -> Weights:
        if groups == 1 and native.usable(weights):
            return affine_weights(weights, bits, by_input=which is Pass.INPUT_ERROR)
        return super().pass_weights(weights, bits, which, groups)

    def activation_grid(self, x: Tensor, bits: int, seen: RunningRange, training: bool) -> Grid:
        return affine_grid(*seen.choose(*value_range(x), training), bits, signed=False)

    def evaluation_grid(self, bits: int, seen: RunningRange) -> Grid:
        return affine_grid(*seen.range(), bits, signed=False)

    def error_grid(self, error: Tensor, bits: int) -> Grid:
        return affine_grid(*value_range(error), bits, signed=True)


class AuthorsSBM(SBM):
    """SBM with the authors' weights in the input-error pass too: those of the forward pass, by output channel.

    Their scales do not factor out of a sum over output channels, so that product is one of float32 values: no device of
    this kit does it, and it is not the same to the bit on every processor.
    """

    name = "sbm-authors"
    exact_input_error = False
