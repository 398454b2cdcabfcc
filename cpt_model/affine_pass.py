"""A layer's pass in PyTorch alone, quantised as the contract says and unquantised: what the accelerator must match."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from cpt_model.arithmetic import passes
from cpt_model.arithmetic.affine import Quantised, quantise
from cpt_model.arithmetic.integer import torch_pass
from cpt_model.quantisers import SBM
from host.compiler.bits import Bits
from host.compiler.layer import Conv, Pass
from host.compiler.precision import Output
from host.compiler.results import Results

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


def quantised_pass(layer: Conv, which: Pass, a: Floats, b: Floats, bits: Bits, seed: int | None) -> TorchPass:
    """The pass on codes, as a training step runs it."""
    left, right = torch.from_numpy(a), torch.from_numpy(b)
    seen: list[Tensor] = []

    def watch(layer: Conv, which: Pass, a: Quantised, b: Quantised, output: Output, acc: Tensor) -> Tensor:
        seen.append(acc)
        return acc

    if which is Pass.WEIGHT_GRADIENT:
        x, error = quantise(left, bits.forward, signed=False), quantise(right, bits.backward, signed=True, seed=seed)
        values = passes.gradient(layer, x, error, watch)
    else:
        weights = SBM().pass_weights(right, bits.forward, which, layer.groups)
        forward = which is Pass.FORWARD
        operand = quantise(left, bits.forward, False) if forward else quantise(left, bits.backward, True, seed=seed)
        values = (passes.forward if forward else passes.input_error)(layer, operand, weights, watch, Results.EXACT)
    return TorchPass(values.numpy(), seen[0].numpy().astype(np.int64))
