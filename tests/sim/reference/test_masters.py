"""UPDATE and WEIGHTS: grouped layers against dense ones, and the arithmetic against Python's integers."""

import numpy as np
import pytest

from host.compiler.groups import bundles
from host.compiler.layer import Conv
from sim.contract import WeightCommand
from sim.contract.operands import bundle_channels
from sim.reference import masters, momentum
from sim.reference.epilogue import shift_half_even
from sim.reference.masters import _live, saturate, sides


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


@pytest.mark.parametrize("shift", [-70, -33, -32, -31, -1, 0, 1, 15, 23, 24, 25, 40, 47, 48, 60, 72, 85, 90, 200])
def test_gradients_are_those_of_plain_integers(shift):
    rng = np.random.default_rng(shift + 100)
    edges = [0, 1, -1, (1 << 47) - 1, 1 - (1 << 47), 1 << 23, 3 << 23, -(1 << 23), 1 << 46]
    acc = np.concatenate([edges, rng.integers(-(1 << 47), 1 << 47, 300) >> rng.integers(0, 47, 300)])
    for multiplier in (1 << 23, (1 << 24) - 1, -(1 << 24), int(rng.integers(1 << 23, 1 << 24))):
        found = momentum.gradients(acc, multiplier, shift)
        products = [each * multiplier << max(0, -shift) for each in acc.tolist()]
        assert found.tolist() == [saturate(shift_half_even(each, max(0, shift))) for each in products]


def test_moves_are_those_of_plain_integers():
    rng = np.random.default_rng(1)
    ends = [-(1 << 31), (1 << 31) - 1, 0, 1, -1]
    for rates in ([(1 << 32) - 1] * 3, [0] * 3, [15099494, 210, 13421773], [1 << 24, 1 << 23, 1 << 23]):
        rows = [np.concatenate([rng.permutation(ends), rng.integers(-(1 << 31), 1 << 31, 300)]) for _ in range(3)]
        wanted = [masters.moved(*each, *rates) for each in zip(*(row.tolist() for row in rows), strict=True)]
        found = momentum.moved(*rows, *rates)
        assert list(zip(*(each.tolist() for each in found), strict=True)) == wanted
