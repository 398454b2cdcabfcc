"""Master weights as the region has them: words [input channel][block of output channels][ky][kx][16], by bundle."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from host.compiler.groups import bundles
from host.compiler.step.fixed import Words
from host.compiler.step.network import Unit
from sim.contract import CHANNEL_BLOCK, blocks_of


def to_words(unit: Unit, weights: Words) -> Words:
    """From PyTorch's shape (out, in / groups, kh, kw); words that are no weights are 0."""
    layer = unit.layer
    if weights.shape != layer.weight_shape:
        raise ValueError(f"'{unit.name}': weights have shape {weights.shape}, expected {layer.weight_shape}")
    parts = bundles(layer)
    ins, blocks = CHANNEL_BLOCK * blocks_of(layer.in_channels), parts[0].out_blocks
    words = np.zeros((ins, blocks, *layer.kernel, CHANNEL_BLOCK), dtype=np.int32)
    for bundle in parts:
        dense = np.zeros((blocks * CHANNEL_BLOCK, bundle.in_channels, *layer.kernel), dtype=np.int32)
        dense[: bundle.out_channels] = bundle.dense(weights)
        by_block = dense.reshape(blocks, CHANNEL_BLOCK, *dense.shape[1:]).transpose(2, 0, 3, 4, 1)
        words[bundle.in_start : bundle.in_start + bundle.in_channels] = by_block
    return words


def from_words(unit: Unit, words: npt.NDArray[np.integer]) -> Words:
    """Back to PyTorch's shape."""
    parts = []
    for bundle in bundles(unit.layer):
        some = words[bundle.in_start : bundle.in_start + bundle.in_channels]
        dense = some.transpose(1, 4, 0, 2, 3).reshape(-1, *some.shape[:1], *some.shape[2:4])
        parts.append(bundle.sparse(dense[: bundle.out_channels]))
    return np.concatenate(parts).astype(np.int32)


def maxima(unit: Unit, weights: Words) -> tuple[Words, Words]:
    """The greatest magnitudes by output and by input channel, at most 2^31 − 1."""
    layer = unit.layer
    sizes = np.minimum(np.abs(weights.astype(np.int64)), (1 << 31) - 1)
    by_group = sizes.reshape(layer.groups, -1, *sizes.shape[1:])
    return sizes.max(axis=(1, 2, 3)).astype(np.int32), by_group.max(axis=(1, 3, 4)).ravel().astype(np.int32)
