"""The plan of a region."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.compiler.plan import Plan, PlanError


@given(st.lists(st.integers(0, 1000), max_size=20))
def test_pieces_are_aligned_and_do_not_overlap(sizes: list[int]) -> None:
    plan = Plan()
    taken: set[int] = set()
    for number, size in enumerate(sizes):
        offset = plan.add(f"{number}", size)
        piece = set(range(offset, offset + size))
        assert offset % 64 == 0
        assert not piece & taken
        taken |= piece
    assert plan.bytes % 64 == 0
    assert plan.bytes >= len(taken)
    assert plan.bytes <= sum(size + 63 for size in sizes)


def test_a_name_is_given_once() -> None:
    plan = Plan()
    plan.add("x", 1)
    with pytest.raises(PlanError, match="'x' is already in the plan"):
        plan.add("x", 1)


def test_what_is_refused_leaves_the_plan_as_it_was() -> None:
    plan = Plan()
    plan.add("x", 100)
    with pytest.raises(PlanError):
        plan.add("huge", 1 << 33)
    assert plan.bytes == 128
    assert list(plan.pieces) == ["x"]


def test_a_region_is_as_large_as_its_registers_can_say() -> None:
    plan = Plan()
    assert plan.add("all", (1 << 32) - 64) == 0
    with pytest.raises(PlanError, match="'more' ends 64 bytes beyond"):
        plan.add("more", 1)
