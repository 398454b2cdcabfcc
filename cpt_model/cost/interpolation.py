"""Cycles between whole bits, with a gradient, for searches that learn widths."""

from __future__ import annotations

import torch
from torch import Tensor


def interpolated(table: Tensor, first: Tensor, second: Tensor) -> Tensor:
    """Cycles at any bits from a lookup table of `cpt cost --export`, linear between whole ones in either width.

    Bits outside the table are refused. At whole bits the gradient is that of the step upwards, at the widest of the
    step before.

    Args:
        table: layers × i × j.
        first: bits of the first operand of each layer, from 1.
        second: bits of the other one.

    >>> table = torch.tensor([[[1.0, 2.0], [3.0, 6.0]]])
    >>> bits = torch.tensor([1.5], requires_grad=True)
    >>> cycles = interpolated(table, bits, torch.tensor([2.0]))
    >>> cycles.sum().backward()
    >>> cycles.tolist(), bits.grad.tolist()
    ([4.0], [4.0])
    """
    layers, most = len(table), table.shape[1:]
    for name, bits, limit in (("first", first, most[0]), ("second", second, most[1])):
        if bits.shape != (layers,) or not bool(((bits >= 1) & (bits <= limit)).all()):
            raise ValueError(
                f"{name}: a number in 1..{limit} for each of {layers} layers is needed, not {bits.tolist()}"
            )
    (i, u), (j, v) = (_split(bits, limit) for bits, limit in ((first, most[0]), (second, most[1])))
    each, cycles = torch.arange(layers), table.to(first.dtype)
    low = cycles[each, i, j] * (1 - v) + cycles[each, i, j + 1] * v
    high = cycles[each, i + 1, j] * (1 - v) + cycles[each, i + 1, j + 1] * v
    return low * (1 - u) + high * u


def _split(bits: Tensor, limit: int) -> tuple[Tensor, Tensor]:
    """The index of the whole bits below, and what is above them."""
    below = bits.detach().floor().clamp(max=limit - 1)
    return below.long() - 1, bits - below
