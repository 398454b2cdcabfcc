"""Rules that look at the training, on traces whose switches are worked out by hand."""

from __future__ import annotations

import json
import math

import pytest

from host.compiler.bits import Bits
from host.schedules import PFQ, ClosedLoop, MuPPET, ScheduleError

STAGES = [(3, 6), (4, 6), (6, 8), (8, 8)]


def switches(rule: ClosedLoop, trace: list[float]) -> list[int]:
    """Epochs, counted from 1, after which the bits changed."""
    return [epoch for epoch, value in enumerate(trace, 1) if rule.observe(value)]


class TestPFQ:
    def test_a_falling_loss_changes_nothing(self) -> None:
        assert switches(PFQ(STAGES), [2.0 - 0.1 * epoch for epoch in range(19)]) == []

    def test_a_constant_loss_switches_every_five_epochs_to_the_last_stage(self) -> None:
        rule = PFQ(STAGES)
        assert switches(rule, [1.0] * 40) == [5, 10, 15]
        assert rule.bits == Bits(8, 8)

    def test_the_threshold_is_relative_to_the_first_losses_and_inclusive(self) -> None:
        """The scale is 4 all along: 0.125 of it is exactly 0.5."""
        trace = [4.5, 4.0, 4.0, 3.5, 4.0]
        assert switches(PFQ(STAGES, threshold=0.125), trace) == [5]
        assert switches(PFQ(STAGES, threshold=0.125), [4.5, 4.0, 4.0, 3.49, 4.01]) == []

    def test_the_threshold_decays_at_the_first_two_switches_only(self) -> None:
        rule = PFQ([*STAGES, (9, 9)], threshold=0.1, decay=0.5)
        seen = []
        for _ in range(25):
            if rule.observe(1.0):
                seen.append(rule.threshold)
        assert seen == [0.05, 0.025, 0.025, 0.025]

    def test_losses_after_the_tenth_do_not_change_the_scale(self) -> None:
        """Ten losses of mean 1, then differences of 0.15 of it are allowed however small losses have become."""
        rule = PFQ(STAGES)
        trace = [0.1, 1.9] * 5 + [0.2, 0.15, 0.1, 0.1, 0.06]
        assert switches(rule, trace) == [15]

    def test_what_cannot_be_is_refused(self) -> None:
        for wrong in ({"threshold": 0}, {"threshold": math.nan}, {"decay": 0}, {"decay": 1.5}, {"window": 1}):
            with pytest.raises(ScheduleError, match="needed are"):
                PFQ(STAGES, **wrong)
        with pytest.raises(ScheduleError, match="at least one stage"):
            PFQ([])
        with pytest.raises(ScheduleError, match="observation 1 is nan"):
            PFQ(STAGES).observe(math.nan)


class TestMuPPET:
    def test_constant_diversity_changes_nothing(self) -> None:
        assert switches(MuPPET(STAGES), [2.0] * 60) == []

    def test_two_violations_raise_the_bits(self) -> None:
        """Thresholds of epochs 1.. are 2.357, 2.228, 2.111, 2.005, 1.910."""
        assert switches(MuPPET(STAGES), [1.0, 1 / 2.23, 1 / 2.12]) == [3]
        assert switches(MuPPET(STAGES), [1.0, 1 / 2.22, 1 / 2.12]) == []
        assert switches(MuPPET(STAGES), [1.0, 1 / 2.23, 1.0, 1.0, 1 / 1.92]) == [5]

    def test_a_new_stage_forgets_the_greatest_and_the_violations(self) -> None:
        rule = MuPPET(STAGES)
        assert switches(rule, [9.0, 1.0, 1.0]) == [3]
        assert switches(rule, [1.0] * 20) == []

    def test_the_epoch_is_that_of_the_whole_run(self) -> None:
        rule = MuPPET(STAGES)
        assert switches(rule, [1.0] * 40) == []  # the threshold is 1.025 by now
        assert switches(rule, [1 / 1.03, 1 / 1.03]) == [2]

    def test_what_cannot_be_is_refused(self) -> None:
        with pytest.raises(ScheduleError, match="none may be negative"):
            MuPPET(STAGES, beta=-1)
        with pytest.raises(ScheduleError, match="patience is at least 1"):
            MuPPET(STAGES, patience=0)
        with pytest.raises(ScheduleError, match="diversity of 0"):
            MuPPET(STAGES).observe(0.0)


@pytest.mark.parametrize("kind", [PFQ, MuPPET])
@pytest.mark.parametrize("stop", [0, 3, 5, 7, 11])
def test_a_saved_rule_goes_on_as_if_never_stopped(kind: type[PFQ] | type[MuPPET], stop: int) -> None:
    trace = [1.0, 0.3, 0.3, 0.3, 0.3, 0.3, 0.32, 0.1, 0.31, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
    whole, first, second = kind(STAGES), kind(STAGES), kind(STAGES)
    expected = [(whole.observe(value), whole.bits) for value in trace]
    assert whole.stage > 0
    got = [(first.observe(value), first.bits) for value in trace[:stop]]
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    got += [(second.observe(value), second.bits) for value in trace[stop:]]
    assert got == expected


def test_a_state_is_not_shared_with_the_rule_it_was_saved_from() -> None:
    rule = PFQ(STAGES)
    rule.observe(1.0)
    state = rule.state_dict()
    rule.observe(2.0)
    assert state["losses"] == [1.0]


def test_another_rules_state_is_refused() -> None:
    with pytest.raises(ScheduleError, match=r"saved with the rule PFQ\(3/6.*threshold=0.15.*this one is PFQ"):
        PFQ(STAGES, threshold=0.2).load_state_dict(PFQ(STAGES).state_dict())
