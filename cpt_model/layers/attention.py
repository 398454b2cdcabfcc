"""Multi-head attention on codes: all four kinds of products are quantised, softmax and scaling are float32.

projections of query, key and value  →  scores = Q·Kᵀ  →  softmax  →  context = P·V  →  output projection
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from cpt_model.layers.base import QuantLayer, not_traced
from cpt_model.layers.matmul import matmul
from cpt_model.layers.product import multiply


class QuantMultiheadAttention(QuantLayer, nn.MultiheadAttention):
    """A MultiheadAttention whose class was changed by `prepare_`."""

    original = nn.MultiheadAttention

    def activations(self) -> tuple[str, ...]:
        return "q_in", "k_in", "v_in", "query", "key", "weights", "value", "context"

    @not_traced
    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        if is_causal and attn_mask is None:
            what = "is_causal is only a hint that goes with attn_mask, as in PyTorch; give the mask too"
            raise ValueError(f"{self.cpt.name}: {what}")
        self.cpt.check(query, key, value, *self.parameters())
        unbatched = query.ndim == 2
        if unbatched:
            query, key, value = (each[:, None] for each in (query, key, value))
            key_padding_mask = None if key_padding_mask is None else key_padding_mask[None]
        elif self.batch_first:
            query, key, value = (each.transpose(0, 1) for each in (query, key, value))
        steps, batch = query.shape[:2]
        heads = [self._split(each) for each in self._projections(query, key, value)]
        q, k, v = heads[0], *self._extra_positions(*heads[1:])
        scores = matmul(q / math.sqrt(self.head_dim), k, self.cpt, "query key", self.training)
        mask = self._mask(attn_mask, key_padding_mask, scores)
        weights = torch.softmax(scores if mask is None else scores + mask, dim=-1)
        dropped = functional.dropout(weights, self.dropout, self.training) if self.dropout else weights
        context = matmul(dropped, v.mT.contiguous(), self.cpt, "weights value", self.training)
        context = context.transpose(0, 1).reshape(steps, batch, self.embed_dim)
        out = self._linear(context, self.out_proj.weight, self.out_proj.bias, "context")
        shown = dropped.unflatten(0, (batch, self.num_heads)) if need_weights else None
        if shown is not None and average_attn_weights:
            shown = shown.mean(1)
        if unbatched:
            return out[:, 0], None if shown is None else shown[0]
        return out.transpose(0, 1) if self.batch_first else out, shown

    def _projections(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        weights = (
            self.in_proj_weight.chunk(3)
            if self.in_proj_weight is not None
            else (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        )
        biases = self.in_proj_bias.chunk(3) if self.in_proj_bias is not None else (None,) * 3
        operands = zip((query, key, value), weights, biases, ("q_in", "k_in", "v_in"), strict=True)
        return tuple(self._linear(*operand) for operand in operands)

    def _linear(self, rows: Tensor, weights: Tensor, bias: Tensor | None, what: str) -> Tensor:
        y = multiply(rows, weights, self.cpt, what, self.training)
        return y if bias is None else y + bias

    def _split(self, x: Tensor) -> Tensor:
        """(steps, batch, embed) → (batch · heads, steps, head_dim)."""
        steps, batch = x.shape[:2]
        return x.reshape(steps, batch * self.num_heads, self.head_dim).transpose(0, 1).contiguous()

    def _extra_positions(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Learned and zero positions behind the keys and values, where the layer has them."""
        if self.bias_k is not None and self.bias_v is not None:
            batch = k.shape[0] // self.num_heads
            k, v = (
                torch.cat([each, bias.reshape(self.num_heads, 1, self.head_dim).repeat(batch, 1, 1)], dim=1)
                for each, bias in ((k, self.bias_k), (v, self.bias_v))
            )
        if self.add_zero_attn:
            k, v = (torch.cat([each, each.new_zeros(each.shape[0], 1, self.head_dim)], dim=1) for each in (k, v))
        return k, v

    def _mask(self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, scores: Tensor) -> Tensor | None:
        """Both masks as one that is added to the scores (batch · heads, steps, keys)."""
        keys = scores.shape[2]  # learned and zero positions included: masks do not reach those
        total = None
        if attn_mask is not None:
            total = _additive(attn_mask, scores)
            total = functional.pad(total, (0, keys - total.shape[-1]))
        if key_padding_mask is not None:
            padding = functional.pad(_additive(key_padding_mask, scores), (0, keys - key_padding_mask.shape[-1]))
            padding = padding.repeat_interleave(self.num_heads, 0)[:, None]
            total = padding if total is None else total + padding
        return total


def _additive(mask: Tensor, like: Tensor) -> Tensor:
    if mask.dtype != torch.bool:
        return mask.to(like.dtype)
    return torch.zeros(mask.shape, dtype=like.dtype, device=like.device).masked_fill_(mask, -math.inf)
