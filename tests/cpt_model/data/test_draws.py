"""Draws: pinned values, so that a run of today can be resumed tomorrow, and independence."""

from __future__ import annotations

import numpy as np
import pytest

from host.data.draws import Purpose, check_seed, permutation, uniform, words


def test_values_stay_what_they_are() -> None:
    assert words(7, Purpose.ORDER, 3, 2).tolist() == [14235748561938599882, 10715015893532904190]
    assert permutation(0, 0, 10).tolist() == [5, 3, 7, 8, 2, 4, 1, 0, 6, 9]


def test_seed_purpose_and_number_all_count() -> None:
    drawn = [
        tuple(words(seed, purpose, number, 8).tolist())
        for seed in (0, 1, 2**64 - 1)
        for purpose in Purpose
        for number in (0, 1, 2**40)
    ]
    assert len({word for some in drawn for word in some}) == 8 * len(drawn)


def test_uniform_numbers_fill_the_interval() -> None:
    found = uniform(5, Purpose.AUGMENTATION, 0, (1000, 4))
    assert 0 <= found.min() < 0.01
    assert 0.99 < found.max() < 1
    assert abs(found.mean() - 0.5) < 0.02
    assert np.abs(np.corrcoef(found.T) - np.eye(4)).max() < 0.1


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_out_of_range_is_refused(seed: int) -> None:
    with pytest.raises(ValueError, match=r"from 0 to 2\^64"):
        check_seed(seed)
