"""Bundles of groups: which channels they take, and the dense weights inside them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.compiler.groups import Bundle, bundles
from host.compiler.layer import Conv
from tests.tools import draw_codes, layers


@given(layers())
def test_bundles_take_every_group_once_and_in_order(layer: Conv) -> None:
    taken = [
        group for bundle in bundles(layer) for group in range(bundle.first_group, bundle.first_group + bundle.groups)
    ]
    assert taken == list(range(layer.groups))


@given(layers())
def test_bundles_start_on_blocks_on_both_sides(layer: Conv) -> None:
    for bundle in bundles(layer):
        assert bundle.in_start % 16 == bundle.out_start % 16 == 0
        assert bundle.in_start == bundle.first_group * layer.in_channels // layer.groups
        assert bundle.out_start == bundle.first_group * layer.out_channels // layer.groups


@given(st.integers(1, 33), st.integers(1, 33))
def test_a_bundle_is_no_larger_than_it_must_be(group_in: int, group_out: int) -> None:
    layer = Conv(1, 64 * group_in, 64 * group_out, 1, 1, groups=64)
    least = next(count for count in range(1, 65) if count * group_in % 16 == count * group_out % 16 == 0)
    assert [bundle.groups for bundle in bundles(layer)] == [least] * (64 // least)


@pytest.mark.parametrize(
    ("channels", "groups", "sizes"),
    [((20, 20), 20, [16, 4]), ((32, 64), 2, [1, 1]), ((32, 48), 2, [2]), ((40, 8), 1, [1]), ((6, 12), 6, [6])],
)
def test_examples(channels: tuple[int, int], groups: int, sizes: list[int]) -> None:
    assert [bundle.groups for bundle in bundles(Conv(1, *channels, 3, 3, groups=groups))] == sizes


@settings(max_examples=50)
@given(layers())
def test_dense_weights_stand_where_both_channels_are_of_one_group(layer: Conv) -> None:
    weights = draw_codes(1, layer.weight_shape, 8, True)
    group_in, group_out = layer.in_channels // layer.groups, layer.out_channels // layer.groups
    for bundle in bundles(layer):
        dense = bundle.dense(weights)
        for o, i in np.ndindex(dense.shape[:2]):
            out_channel, in_channel = bundle.out_start + o, bundle.in_start + i
            expected = np.zeros(layer.kernel)
            if out_channel // group_out == in_channel // group_in:
                expected = weights[out_channel, in_channel % group_in]
            assert np.array_equal(dense[o, i], expected)


@given(layers())
def test_sparse_is_the_inverse_of_dense(layer: Conv) -> None:
    weights = draw_codes(2, layer.weight_shape, 8, True)
    assert np.array_equal(np.concatenate([bundle.sparse(bundle.dense(weights)) for bundle in bundles(layer)]), weights)


def test_transposing_exchanges_the_two_sides() -> None:
    bundle = Bundle(first_group=16, groups=8, group_in=3, group_out=5)
    other = bundle.transposed()
    assert (other.in_start, other.in_channels, other.in_blocks) == (80, 40, 3)
    assert (other.out_start, other.out_channels, other.out_blocks) == (48, 24, 2)
    assert other.transposed() == bundle
