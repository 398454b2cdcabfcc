"""LSTM on codes: the products of each gate matrix are quantised, the gates themselves are float32.

Inputs of all steps are multiplied at once, the hidden state step by step. Each tensor has a range of its own.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import PackedSequence

from cpt_model.layers.base import QuantLayer, not_traced
from cpt_model.layers.product import WeightCodes, multiply

Pair = tuple[Tensor, Tensor]


class QuantLSTM(QuantLayer, nn.LSTM):
    """An LSTM whose class was changed by `prepare_`: several layers, both directions, dropout, batch_first."""

    original = nn.LSTM

    def activations(self) -> tuple[str, ...]:
        sides = ("", "_reverse") if self.bidirectional else ("",)
        return tuple(f"{kind}_l{at}{side}" for at in range(self.num_layers) for side in sides for kind in ("ih", "hh"))

    @not_traced
    def forward(self, input: Tensor, hx: Pair | None = None) -> tuple[Tensor, Pair]:
        if isinstance(input, PackedSequence):
            raise TypeError(f"{self.cpt.name}: packed sequences are not quantised; pad them, or filter this layer out")
        self.cpt.check(input, *self.parameters())
        unbatched = input.ndim == 2
        steps = input[:, None] if unbatched else input.transpose(0, 1) if self.batch_first else input
        if not steps.numel():
            return super().forward(input, hx)
        directions = 2 if self.bidirectional else 1
        shape = (self.num_layers * directions, steps.shape[1], self.hidden_size)
        hidden, cell = (steps.new_zeros(shape),) * 2 if hx is None else hx
        if unbatched and hx is not None:
            hidden, cell = hidden[:, None], cell[:, None]
        last: list[Pair] = []
        for depth in range(self.num_layers):
            outputs = []
            for direction in range(directions):
                at = depth * directions + direction
                output, final = self._run(steps, (hidden[at], cell[at]), depth, direction)
                outputs.append(output)
                last.append(final)
            steps = torch.cat(outputs, dim=-1)
            if self.dropout and depth < self.num_layers - 1:
                steps = functional.dropout(steps, self.dropout, self.training)
        hidden, cell = (torch.stack(states) for states in zip(*last, strict=True))
        if unbatched:
            return steps[:, 0], (hidden[:, 0], cell[:, 0])
        return steps.transpose(0, 1) if self.batch_first else steps, (hidden, cell)

    def _run(self, steps: Tensor, state: Pair, depth: int, direction: int) -> tuple[Tensor, Pair]:
        """One layer in one direction over all steps."""
        suffix = f"l{depth}" + ("_reverse" if direction else "")
        from_input = self._multiply(steps, "ih", suffix)
        recurrent = getattr(self, f"weight_hh_{suffix}")
        codes = WeightCodes(recurrent.detach()[:, :, None, None], self.cpt)  # quantised once, used in every step
        hidden, cell = state
        outputs: list[Tensor] = [hidden] * len(steps)
        for t in reversed(range(len(steps))) if direction else range(len(steps)):
            gates = from_input[t] + self._multiply(hidden, "hh", suffix, codes)
            entry, forget, candidate, exit_ = gates.chunk(4, dim=-1)
            cell = forget.sigmoid() * cell + entry.sigmoid() * candidate.tanh()
            hidden = exit_.sigmoid() * cell.tanh()
            outputs[t] = hidden
        return torch.stack(outputs), (hidden, cell)

    def _multiply(self, rows: Tensor, kind: str, suffix: str, codes: WeightCodes | None = None) -> Tensor:
        weights = getattr(self, f"weight_{kind}_{suffix}")
        y = multiply(rows, weights, self.cpt, f"{kind}_{suffix}", self.training, codes)
        return y + getattr(self, f"bias_{kind}_{suffix}") if self.bias else y
