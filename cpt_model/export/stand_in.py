"""What a quantised layer computes while it is exported: float products behind quantisers that are nodes.

First it runs on values and finds every quantiser's parameters, which become buffers of the layer; then it is traced.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.nn import functional

from cpt_model.export.quant import Quant
from cpt_model.layers.state import LayerState
from host.compiler.layer import Conv, Pass

PREFIX = "cpt_export_"
CODES = "codes"


class ExportedProducts:
    """Of one layer; `traced` is what changes between the two runs."""

    def __init__(self, module: nn.Module, state: LayerState) -> None:
        self.module, self.state = module, state
        self.traced = False
        self._quants: dict[str, Quant] = {}

    def convolve(self, x: Tensor, weights: Tensor, layer: Conv, what: str) -> Tensor:
        left, right = self._activation(x, what), self._weights(weights, what, layer.groups)
        return functional.conv2d(left, right, None, layer.stride, layer.padding, groups=layer.groups)

    def multiply(self, rows: Tensor, weights: Tensor, what: str) -> Tensor:
        """As a product of matrices, weights (in, out): few tools read another form."""
        return self._activation(rows, what) @ self._weights(weights, what, transposed=True)

    def matmul(self, a: Tensor, b: Tensor, what: str) -> Tensor:
        left, right = (self._activation(x, name) for name, x in zip(what.split(), (a, b), strict=True))
        return left @ right.mT

    def _activation(self, x: Tensor, what: str) -> Tensor:
        if not self.traced and what not in self._quants:
            with self.state.blamed(what):
                grid = self.state.quantiser.evaluation_grid(self.state.bits.forward, self.state.range_of(what))
                self._keep(what, Quant.of_grid(grid))
        return self._applied(x, what)

    def _weights(self, weights: Tensor, what: str, groups: int = 1, transposed: bool = False) -> Tensor:
        """Whole numbers, then their values (constants that tools fold), then the quantiser that says what they are."""
        name = f"{what}_weights"
        if not self.traced and name not in self._quants:
            four = weights.detach().reshape(*weights.shape, *(1,) * (4 - weights.ndim))
            with self.state.blamed("weights"):
                made = self.state.quantiser.pass_weights(four, self.state.bits.forward, Pass.FORWARD, groups).quantised
            shape = (-1, *(1,) * (weights.ndim - 1))
            tensors = made.codes.reshape(weights.shape), made.scale.reshape(shape), made.offset.reshape(shape)
            codes, scale, offset = (each.mT.contiguous() if transposed else each for each in tensors)
            made = replace(made, codes=codes, scale=scale, offset=offset)
            whole = torch.int8 if made.bits <= 8 else torch.int16
            self.module.register_buffer(f"{PREFIX}{name}_{CODES}", made.codes.to(whole))
            self.module.register_buffer(f"{PREFIX}{name}_offset", offset)
            self._keep(name, Quant.of_weights(made))
        codes, offset = (self.module.get_buffer(f"{PREFIX}{name}_{part}") for part in (CODES, "offset"))
        return self._applied(codes.float() * self._quant(name).scale + offset, name)

    def _keep(self, name: str, quant: Quant) -> None:
        for part in ("scale", "zero", "bits"):
            self.module.register_buffer(f"{PREFIX}{name}_{part}", getattr(quant, part))
        self._quants[name] = quant

    def _quant(self, name: str) -> Quant:
        """With the tensors that the module has now: a tracer puts its own in their place."""
        scale, zero, bits = (self.module.get_buffer(f"{PREFIX}{name}_{part}") for part in ("scale", "zero", "bits"))
        return replace(self._quants[name], scale=scale, zero=zero, bits=bits)

    def _applied(self, x: Tensor, name: str) -> Tensor:
        quant = self._quant(name)
        return quant.node(x) if self.traced else quant(x)
