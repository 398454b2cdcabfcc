"""UPDATE and WEIGHTS: grouped layers against dense ones, and the arithmetic against Python's integers."""

import numpy as np
import pytest

from host.compiler.groups import bundles
from host.compiler.layer import Conv
from sim.contract import WeightCommand
from sim.contract.operands import bundle_channels
from sim.reference.masters import _live, sides


@pytest.mark.parametrize(
    ("ins", "outs", "groups"), [(32, 32, 32), (24, 24, 24), (60, 60, 20), (48, 96, 3), (64, 32, 16), (16, 32, 1)]
)
def test_words_of_groups_lie_bundle_by_bundle(ins, outs, groups):
    layer = Conv(1, ins, outs, 4, 4, (3, 3), padding=(1, 1), groups=groups)
    pair = (ins // groups, outs // groups) if groups > 1 else (0, 0)
    command = WeightCommand(in_channels=ins, out_channels=outs, group_in=pair[0], group_out=pair[1])
    weights = np.random.default_rng(0).integers(1, 1000, layer.weight_shape)
    parts = bundles(layer)
    assert bundle_channels(command) == (parts[0].in_channels, parts[0].out_channels)
    words = np.zeros((-(-ins // 16) * 16, parts[0].out_blocks, 3, 3, 16), dtype=np.int32)
    wanted = np.zeros((-(-outs // 16) * 16, parts[0].in_blocks * 16, 3, 3), dtype=np.int64)
    for bundle in parts:
        dense = np.zeros((bundle.out_blocks * 16, bundle.in_channels, 3, 3), dtype=np.int32)
        dense[: bundle.out_channels] = bundle.dense(weights)
        by_block = dense.reshape(-1, 16, *dense.shape[1:]).transpose(2, 0, 3, 4, 1)
        words[bundle.in_start : bundle.in_start + bundle.in_channels, : bundle.out_blocks] = by_block
        wanted[bundle.out_start :][: len(dense), : bundle.in_channels] = dense
    by_out, by_in = sides(command, words)
    assert np.array_equal(by_out, wanted)
    assert np.array_equal(by_in.sum(axis=(1, 2, 3)), words.sum(axis=(1, 2, 3, 4)))
    assert np.array_equal(_live(command, words.shape), words != 0)
