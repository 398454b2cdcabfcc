"""Pieces with lifetimes: none that live at one moment share a byte, those that do not may."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.compiler.plan import Plan, PlanError
from host.compiler.step.space import Space, lifetimes, share

LIVES = st.tuples(st.integers(1, 700), st.integers(0, 12), st.integers(0, 12)).map(
    lambda piece: (piece[0], min(piece[1:]), max(piece[1:]))
)


@given(st.lists(LIVES, max_size=30))
def test_no_two_live_pieces_overlap(lives):
    pieces = {str(number): life for number, life in enumerate(lives)}
    offsets, size = share(pieces)
    for name, (bytes_, first, last) in pieces.items():
        assert offsets[name] % 64 == 0
        assert offsets[name] + bytes_ <= size
        for other, (other_bytes, other_first, other_last) in pieces.items():
            if other != name and first <= other_last and other_first <= last:
                apart = offsets[name] + bytes_ <= offsets[other] or offsets[other] + other_bytes <= offsets[name]
                assert apart, (name, other)


@given(st.lists(st.integers(1, 700), min_size=1, max_size=30))
def test_pieces_that_never_meet_take_the_room_of_the_largest(sizes):
    _, size = share({str(moment): (bytes_, moment, moment) for moment, bytes_ in enumerate(sizes)})
    assert size == -(-max(sizes) // 64) * 64


def test_lifetimes_are_from_the_first_use_to_the_last():
    space = Space()
    x, y = space.address("x", 64), space.address("y", 200)
    moments = [[(x, x + 64)], [(y + 64, y + 128)], [], [(y, y + 64), (x, x + 64)], []]
    assert lifetimes(space, moments) == {"x": (0, 3), "y": (1, 3)}


def test_kept_pieces_stay_where_they_are():
    space, plan = Space(), Plan()
    plan.add("before", 64)
    kept, passing = space.address("kept", 64, kept=True), space.address("passing", 64)
    settled = space.settle([[(passing, passing + 64)], [(kept, kept + 64)]], plan, {})
    assert settled.address("kept", 64, kept=True) == 64
    assert settled.address("passing", 10) == 128
    with pytest.raises(PlanError, match="'passing' needs 65 bytes, 1 more than were planned"):
        settled.address("passing", 65)
    with pytest.raises(PlanError, match="'other' is not in the plan"):
        settled.address("other", 1)
