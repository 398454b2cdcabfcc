"""Requantisation: rounding against Python's fractions, noise against Python's integers, saturation."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.contract import Command, Flag, Format
from sim.reference.epilogue import requantise, rounding_bits, shift_half_even
from tests.tools import Codes, draw_codes, least_and_greatest, python_noise

STOCHASTIC = 1 << Flag.STOCHASTIC
OUT_SIGNED = 1 << Flag.OUT_SIGNED
ACCUMULATORS = st.one_of(st.integers(-(2**47), 2**47), st.integers(-40, 40))


def maps_of(*values: int) -> Codes:
    """A map whose first channels hold the values."""
    maps = np.zeros((1, 16, 1, -(-len(values) // 16)), dtype=np.int64)
    maps.ravel()[: len(values)] = values
    return maps


def command_for(bits: int = 16, shift: int = 0, flags: int = OUT_SIGNED, seed: int = 0) -> Command:
    return Command(
        out_format=Format.INT16, out_bits=bits, shift=shift, flags=flags, seed_lo=seed & 0xFFFFFFFF, seed_hi=seed >> 32
    )


@given(st.lists(ACCUMULATORS, min_size=1, max_size=8), st.integers(0, 47))
def test_rounding_is_that_of_fractions(values: list[int], shift: int) -> None:
    rounded = shift_half_even(np.array(values, dtype=np.int64), shift)
    assert rounded.tolist() == [round(Fraction(value, 2**shift)) for value in values]


@pytest.mark.parametrize("shift", [1, 2, 30, 47])
def test_a_tie_goes_to_the_even_code_on_both_sides_of_zero(shift: int) -> None:
    halves = np.array([-5, -3, -1, 1, 3, 5], dtype=np.int64) << shift - 1
    assert shift_half_even(halves, shift).tolist() == [-2, -2, 0, 0, 2, 2]


@pytest.mark.parametrize("flags", [0, STOCHASTIC])
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("bits", [1, 2, 7, 16])
def test_results_stop_at_the_ends_of_their_range(bits: int, signed: bool, flags: int) -> None:
    low, high = least_and_greatest(bits, signed)
    command = command_for(bits, flags=flags | (OUT_SIGNED if signed else 0))
    maps = maps_of(-(2**47), low - 1, low, high, high + 1, 2**47)
    assert requantise(maps, command).ravel()[:6].tolist() == [low, low, low, high, high, high]


def test_rounding_comes_before_saturation() -> None:
    assert requantise(maps_of(2 * 127 + 1), command_for(8, 1)).ravel()[0] == 127


@given(st.integers(0, 2**64 - 1), st.integers(0, 47))
def test_noise_is_numbered_in_storage_order(seed: int, shift: int) -> None:
    """Element (n, c, h, w) has the number it has in [n][c / 16][h][w][16]; its top bits are taken."""
    c, h, w = 32, 2, 3
    drawn = rounding_bits((2, c, h, w), seed, shift)
    for image, channel, y, x in ((0, 0, 0, 0), (0, 1, 0, 0), (0, 15, 1, 2), (0, 16, 0, 1), (1, 31, 1, 2), (1, 5, 0, 2)):
        number = (((image * (c // 16) + channel // 16) * h + y) * w + x) * 16 + channel % 16
        assert drawn[image, channel, y, x] == (python_noise(seed, number) << shift) >> 32


def test_noise_does_not_depend_on_how_the_results_lie_in_numpys_memory() -> None:
    maps = draw_codes(3, (2, 16, 3, 4), 16, True)
    command = command_for(8, 7, OUT_SIGNED | STOCHASTIC, seed=9)
    assert np.array_equal(requantise(np.asfortranarray(maps), command), requantise(maps, command))


def test_the_first_images_of_a_batch_are_rounded_as_if_they_were_alone() -> None:
    maps = draw_codes(4, (3, 16, 3, 4), 16, True)
    command = command_for(8, 7, OUT_SIGNED | STOCHASTIC, seed=10)
    assert np.array_equal(requantise(maps[:2], command), requantise(maps, command)[:2])


@given(st.lists(st.integers(-(2**46), 2**46), min_size=1, max_size=16), st.integers(0, 47), st.integers(0, 2**64 - 1))
def test_stochastic_rounding_gives_one_of_the_two_neighbours(values: list[int], shift: int, seed: int) -> None:
    command = command_for(16, shift, OUT_SIGNED | STOCHASTIC, seed)
    for value, code in zip(values, requantise(maps_of(*values), command).ravel().tolist(), strict=False):
        if abs(value) >> shift < 2**15 - 1:
            assert abs(Fraction(value, 2**shift) - code) < 1


@pytest.mark.parametrize("shift", [1, 8, 32, 40])
def test_a_value_on_the_grid_is_never_moved(shift: int) -> None:
    values = np.arange(-512, 512, dtype=np.int64).reshape(1, 16, 8, 8)
    command = command_for(16, shift, OUT_SIGNED | STOCHASTIC, seed=6)
    assert np.array_equal(requantise(values << shift, command), values)


@pytest.mark.parametrize(("value", "shift"), [(5, 3), (-5, 3), (1, 2), (-1, 8), (3 << 38, 40), (255, 8)])
def test_stochastic_rounding_is_right_on_average(value: int, shift: int) -> None:
    maps = np.full((16, 16, 16, 16), value, dtype=np.int64)
    codes = requantise(maps, command_for(16, shift, OUT_SIGNED | STOCHASTIC, seed=123456789))
    exact = value / 2**shift
    part = exact % 1
    assert abs(codes.mean() - exact) < 5 * np.sqrt(part * (1 - part) / codes.size)
