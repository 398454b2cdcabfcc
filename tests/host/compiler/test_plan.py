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


def test_memory_that_is_too_small_is_refused_with_what_is_missing() -> None:
    plan = Plan()
    plan.add("x", 5000)
    plan.require(5056)
    with pytest.raises(PlanError, match=r"needs 5,056 bytes .* 5,000 are available: 56 too few"):
        plan.require(5000)


def test_the_description_shows_every_piece_and_the_total() -> None:
    plan = Plan()
    plan.add("input", 1000)
    plan.add("weights", 70)
    lines = [line.split() for line in plan.describe().splitlines()]
    assert ["0", "1,000", "input"] in lines
    assert ["1,024", "70", "weights"] in lines
    assert lines[-1][0] == "1,152"
