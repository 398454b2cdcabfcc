"""The scalar unit's operations against exact fractions: random numbers, far exponents, the ends of every limit."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.reference import scalar as unit
from sim.reference.scalar import ZERO, Scalar
from tests.sim.second import numbers

END = 1 << 31
mantissas = st.one_of(
    st.sampled_from([END // 2, END // 2 + 1, END - 1, 3 << 29]), st.integers(END // 2, END - 1)
).flatmap(lambda m: st.sampled_from([m, -m]))
exponents = st.one_of(
    st.integers(-70, 10), st.integers(-16384, 16384), st.sampled_from([-16384, -16383, -1, 0, 1, 16383, 16384])
)
scalars = st.one_of(st.just(ZERO), st.builds(Scalar, mantissas, exponents))


def exact(a: Scalar) -> Fraction:
    return a.m * numbers.power(a.e)


def canonical(a: Scalar) -> bool:
    return a == ZERO or (END // 2 <= abs(a.m) < END and abs(a.e) <= 16384)


@given(st.one_of(st.integers(-(1 << 75), 1 << 75), st.integers(-9, 9)), st.integers(-(1 << 33), 1 << 33))
def test_any_integer_becomes_a_scalar(x: int, e: int) -> None:
    found = unit.scalar(x, e)
    assert canonical(found)
    assert exact(found) == numbers.scalar(x, e)


@given(scalars)
def test_a_scalar_stays_as_it_is(a: Scalar) -> None:
    assert unit.scalar(*a) == a
    assert numbers.parts(exact(a)) == a


@given(scalars, scalars)
def test_operations_are_the_true_ones_cut_to_31_bits(a: Scalar, b: Scalar) -> None:
    for name in ("mul", "div", "add"):
        found = getattr(unit, name)(a, b)
        assert canonical(found), name
        assert exact(found) == getattr(numbers, name)(exact(a), exact(b)), name
    assert unit.sub(a, b) == unit.add(a, -b)
    assert unit.greater(a, b) == (exact(a) > exact(b))
    assert exact(unit.greatest(a, b)) == max(exact(a), exact(b))


@given(st.builds(Scalar, mantissas, st.integers(-16000, 16000)), mantissas, st.integers(-40, 40))
def test_sums_of_neighbours(a: Scalar, m: int, apart: int) -> None:
    b = Scalar(m, a.e + apart)
    assert exact(unit.add(a, b)) == numbers.add(exact(a), exact(b))


@given(scalars)
def test_roots_are_floors(a: Scalar) -> None:
    found = unit.root(a)
    assert canonical(found)
    assert exact(found) == numbers.root(exact(a))
    if a.m > 0:
        step = numbers.power(found.e)
        assert exact(found) ** 2 <= exact(a) < (exact(found) + step) ** 2


@given(scalars, st.one_of(st.integers(-100, 100), st.integers(-40000, 40000)))
def test_scaling(a: Scalar, power: int) -> None:
    assert exact(unit.scaled(a, power)) == numbers.scaled(exact(a), power)


@given(scalars, st.integers(-20000, 20000), st.sampled_from([25, 32, 47]))
def test_whole_numbers(a: Scalar, power: int, bits: int) -> None:
    most = 2 ** (bits - 1) - 1
    expected = abs(exact(a)) * numbers.power(power)
    size = min(most, expected.numerator // expected.denominator)
    found = unit.whole(a, power, bits)
    assert found == numbers.whole(exact(a), power, bits) == (size if a.m >= 0 else -size)


@given(st.lists(scalars, max_size=4), st.sampled_from([30, 47]))
def test_room_is_the_most_with_which_nothing_is_limited(values: list[Scalar], most: int) -> None:
    found = unit.room(*values, most=most, bits=25)
    assert found == numbers.room(most, 25, [exact(value) for value in values])

    def fits(power: int) -> bool:
        return all(abs(exact(value)) * numbers.power(power) < 2**24 for value in values)

    assert 0 <= found <= most
    assert found == 0 or fits(found)
    assert found == most or not fits(found + 1)


@pytest.mark.parametrize(("m", "e"), [(0, 5), (1, 0), (-(1 << 31), 7), (3, 1 << 30), (-3, -(1 << 31)), (5, 16400)])
def test_what_a_host_wrote_is_made_a_scalar(m: int, e: int) -> None:
    stored = np.array((m, e), dtype=[("m", "<i4"), ("e", "<i4")])
    assert canonical(unit.get(stored))
    assert unit.get(stored) == unit.scalar(m, e)
