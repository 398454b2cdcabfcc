"""The contract's generator: its values, and that they look random."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.contract.noise import noise
from tests.tools import python_noise

COUNT = 1 << 16
SEEDS = (0, 1, 0x0123456789ABCDEF, 2**64 - 1)


def bits_of(words: npt.NDArray[np.uint32]) -> npt.NDArray[np.float64]:
    return (words[:, None] >> np.arange(32, dtype=np.uint32) & np.uint32(1)).astype(np.float64)


@given(st.integers(0, 2**64 - 1), st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=20))
def test_values_are_those_of_python_integers(seed: int, indices: list[int]) -> None:
    assert noise(seed, indices).tolist() == [python_noise(seed, index) for index in indices]


@pytest.mark.parametrize(("seed", "index", "value"), [(0, 1, 0xD2FFE018), (0x0123456789ABCDEF, 7, 0x4A033348)])
def test_values_printed_in_the_contract_hold(seed: int, index: int, value: int) -> None:
    assert noise(seed, index).tolist() == [value]


def test_the_shape_of_the_numbers_is_kept() -> None:
    numbers = np.arange(24).reshape(2, 3, 4)
    assert np.array_equal(noise(5, numbers).ravel(), noise(5, np.arange(24)))
    assert noise(5, numbers).shape == (2, 3, 4)


def test_numbers_count_modulo_two_to_the_thirty_two() -> None:
    assert noise(3, 2**32 + 9).tolist() == noise(3, 9).tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_each_bit_is_set_half_of_the_time(seed: int) -> None:
    means = bits_of(noise(seed, np.arange(COUNT))).mean(axis=0)
    assert np.abs(means - 0.5).max() < 5 * 0.5 / np.sqrt(COUNT)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_bit_predicts_another_of_the_same_word(seed: int) -> None:
    correlation = np.corrcoef(bits_of(noise(seed, np.arange(COUNT))), rowvar=False)
    assert np.abs(correlation - np.eye(32)).max() < 6 / np.sqrt(COUNT)


@pytest.mark.parametrize("lag", [1, 2, 16, 32, 1024])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_value_predicts_a_later_one(seed: int, lag: int) -> None:
    values = noise(seed, np.arange(COUNT)).astype(np.float64)
    assert abs(np.corrcoef(values[:-lag], values[lag:])[0, 1]) < 6 / np.sqrt(COUNT)


@pytest.mark.parametrize("flipped", range(32))
def test_flipping_a_bit_of_the_number_flips_each_bit_half_of_the_time(flipped: int) -> None:
    numbers = np.arange(COUNT, dtype=np.uint32)
    changed = bits_of(noise(77, numbers) ^ noise(77, numbers ^ np.uint32(1 << flipped)))
    assert np.abs(changed.mean(axis=0) - 0.5).max() < 0.05


def test_a_stream_holds_no_value_too_often() -> None:
    assert len(np.unique(noise(8, np.arange(COUNT)))) > 0.99 * COUNT


@pytest.mark.parametrize("other", [1, 2, 1 << 31, 1 << 32, 1 << 63, 0xDEADBEEF << 32])
def test_another_seed_gives_another_stream(other: int) -> None:
    assert (noise(0, np.arange(4096)) != noise(other, np.arange(4096))).mean() > 0.99


@pytest.mark.parametrize("high", [0, 5, 12345])
def test_seeds_with_neighbouring_high_words_give_unrelated_streams(high: int) -> None:
    one, other = (noise(seed << 32, np.arange(COUNT)) for seed in (high, high + 1))
    assert abs(np.corrcoef(one, other)[0, 1]) < 6 / np.sqrt(COUNT)


def test_seeds_with_neighbouring_low_words_do_not_share_their_values() -> None:
    shared = np.intersect1d(noise(4, np.arange(4096)), noise(5, np.arange(4096)))
    assert len(shared) < 41
