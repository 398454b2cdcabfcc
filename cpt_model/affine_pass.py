"""A layer's pass in PyTorch alone, quantised as the contract says and unquantised: what the accelerator must match."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from cpt_model.affine import Quantised, combine, quantise
from cpt_model.integer import integer_pass, torch_pass
from host.layer import Conv, Pass

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class TorchPass:
    """A float32 result and its accumulators."""

    values: Floats
    accumulators: npt.NDArray[np.int64]


def float_pass(layer: Conv, which: Pass, a: Floats, b: Floats) -> npt.NDArray[np.float64]:
    """The unquantised pass, in float64."""
    left, right = torch.from_numpy(a).double(), torch.from_numpy(b).double()
    return torch_pass(layer, which, left, right).numpy()


def quantised_pass(
    layer: Conv, which: Pass, a: Floats, b: Floats, fw_bits: int, bw_bits: int, seed: int | None
) -> TorchPass:
    """The pass on codes; sums of codes come from the same pass with one operand replaced by ones."""
    left, right = torch.from_numpy(a), torch.from_numpy(b)
    qa = quantise(left, bw_bits, True, seed=seed) if which is Pass.INPUT_ERROR else quantise(left, fw_bits, False)
    if which is Pass.WEIGHT_GRADIENT:
        qb = quantise(right, bw_bits, True, seed=seed)
        b_scale, b_offset = qb.scale, qb.offset
    else:
        qb, b_scale, b_offset = _weights(layer, which, right, fw_bits)
    ones_a, ones_b = torch.ones_like(left).double(), torch.ones_like(right).double()
    acc = integer_pass(layer, which, qa.codes.numpy(), qb.codes.numpy())
    row_sums = torch_pass(layer, which, qa.codes.double(), ones_b)
    col_sums = torch_pass(layer, which, ones_a, qb.codes.double())
    counts = torch_pass(layer, which, ones_a, ones_b)
    values = combine(torch.from_numpy(acc), row_sums, col_sums, counts, qa, b_scale, b_offset)
    return TorchPass(values.numpy(), acc)


def _weights(layer: Conv, which: Pass, weights: Tensor, bits: int) -> tuple[Quantised, Tensor, Tensor]:
    """Weights with scales per channel of the result: output channels forward, input channels backward."""
    if which is Pass.FORWARD:
        q = quantise(weights, bits, True, per_channel=True)
        return q, q.scale.reshape(1, -1, 1, 1), q.offset.reshape(1, -1, 1, 1)
    by_group = weights.unflatten(0, (layer.groups, -1)).transpose(1, 2).flatten(0, 1)
    q = quantise(by_group, bits, True, per_channel=True)
    codes = q.codes.unflatten(0, (layer.groups, -1)).transpose(1, 2).flatten(0, 1)
    scale, offset = q.scale.reshape(1, -1, 1, 1), q.offset.reshape(1, -1, 1, 1)
    return Quantised(codes, q.scale, q.offset, bits, True), scale, offset
