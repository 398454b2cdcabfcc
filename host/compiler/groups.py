"""Grouped convolutions on an array that knows only blocks of 16 channels.

Groups are bundled until a bundle's channels fill whole blocks on both sides; inside a bundle the weights are dense,
with zeros between groups. Depthwise thus runs 16 channels at a time, and a layer without groups is one bundle.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, lcm

import numpy as np
import numpy.typing as npt

from host.compiler.layer import Conv
from sim.contract import CHANNEL_BLOCK, blocks_of

Codes = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Bundle:
    """Consecutive groups that run as one dense convolution; both channel ranges start on a block."""

    first_group: int
    groups: int
    group_in: int
    group_out: int

    @property
    def in_start(self) -> int:
        return self.first_group * self.group_in

    @property
    def out_start(self) -> int:
        return self.first_group * self.group_out

    @property
    def in_channels(self) -> int:
        return self.groups * self.group_in

    @property
    def out_channels(self) -> int:
        return self.groups * self.group_out

    @property
    def in_blocks(self) -> int:
        return blocks_of(self.in_channels)

    @property
    def out_blocks(self) -> int:
        return blocks_of(self.out_channels)

    def transposed(self) -> Bundle:
        """The same groups seen from the output: what the input-error pass reads and writes."""
        return Bundle(self.first_group, self.groups, self.group_out, self.group_in)

    def dense(self, weights: Codes) -> Codes:
        """The layer's weights (out, in / groups, kh, kw) of this bundle, as (out, in, kh, kw) with zeros."""
        out = np.zeros((self.out_channels, self.in_channels, *weights.shape[2:]), dtype=weights.dtype)
        for group in range(self.groups):
            out[self._outs(group), self._ins(group)] = weights[self._outs(group + self.first_group)]
        return out

    def sparse(self, dense: Codes) -> Codes:
        """The inverse: (out, in, kh, kw) of this bundle to its part (out, in / groups, kh, kw) of the weights."""
        return np.concatenate([dense[self._outs(group), self._ins(group)] for group in range(self.groups)])

    def _outs(self, group: int) -> slice:
        return slice(group * self.group_out, (group + 1) * self.group_out)

    def _ins(self, group: int) -> slice:
        return slice(group * self.group_in, (group + 1) * self.group_in)


def bundles(layer: Conv) -> list[Bundle]:
    """The dense convolutions that make up a layer, in channel order."""
    group_in, group_out = layer.in_channels // layer.groups, layer.out_channels // layer.groups
    size = lcm(CHANNEL_BLOCK // gcd(CHANNEL_BLOCK, group_in), CHANNEL_BLOCK // gcd(CHANNEL_BLOCK, group_out))
    return [
        Bundle(first, min(size, layer.groups - first), group_in, group_out) for first in range(0, layer.groups, size)
    ]
