"""The scheduler object behaves as `torch.optim.lr_scheduler` taught people to expect."""

from __future__ import annotations

import itertools

import pytest

from cpt_model.schedules import CPT, Bits, PrecisionScheduler, ScheduleError, Static


def test_step_zero_is_applied_on_construction() -> None:
    applied: list[Bits] = []
    scheduler = PrecisionScheduler(applied.append, CPT(3, 8, cycles=1), 6, total_steps=10)
    assert applied == [Bits(3, 6)]
    assert scheduler.get_last_bits() == Bits(3, 6)


def test_every_step_has_the_schedules_bits_and_only_changes_are_applied() -> None:
    applied: list[Bits] = []
    forward, backward = CPT(3, 8, cycles=2), CPT(6, 8, cycles=1)
    scheduler = PrecisionScheduler(applied.append, forward, backward, total_steps=50)
    seen = [scheduler.get_last_bits()]
    for _ in range(49):
        scheduler.step()
        seen.append(scheduler.get_last_bits())
    assert [bits.forward for bits in seen] == forward.bits(range(50), 50).tolist()
    assert [bits.backward for bits in seen] == backward.bits(range(50), 50).tolist()
    assert all(one != other for one, other in itertools.pairwise(applied))


def test_per_epoch_precision_changes_only_between_epochs() -> None:
    scheduler = PrecisionScheduler(lambda bits: None, CPT(3, 8, cycles=1), 8, total_steps=100, every=10)
    bits = [scheduler.bits_at(step).forward for step in range(100)]
    assert bits[::10] == CPT(3, 8, cycles=1).bits(range(10), 10).tolist()
    assert all(len(set(bits[start : start + 10])) == 1 for start in range(0, 100, 10))


@pytest.mark.parametrize("old", [False, True])
def test_a_resumed_scheduler_goes_on_as_if_never_stopped(old: bool) -> None:
    whole = PrecisionScheduler(lambda bits: None, CPT(3, 8, cycles=3), 8, total_steps=40)
    for _ in range(17):
        whole.step()
    applied: list[Bits] = []
    resumed = PrecisionScheduler(applied.append, CPT(3, 8, cycles=3), 8, total_steps=40)
    before = {{"backward": "gradient"}.get(name, name): value for name, value in whole.state_dict().items()}
    resumed.load_state_dict(before if old else whole.state_dict())
    assert applied[-1] == whole.get_last_bits()
    for _ in range(22):
        whole.step()
        resumed.step()
        assert resumed.get_last_bits() == whole.get_last_bits()


def test_behind_the_end_the_last_precision_stays() -> None:
    scheduler = PrecisionScheduler(lambda bits: None, CPT(3, 8, cycles=1), 8, total_steps=5)
    for _ in range(20):
        scheduler.step()
    assert scheduler.get_last_bits() == scheduler.bits_at(4)


def test_a_state_of_another_run_is_refused() -> None:
    scheduler = PrecisionScheduler(lambda bits: None, Static(8), 8, total_steps=5)
    with pytest.raises(ScheduleError, match="total_steps = 6"):
        scheduler.load_state_dict({"last_step": 1, "total_steps": 6, "every": 1})
    other = PrecisionScheduler(lambda bits: None, Static(6), 8, total_steps=scheduler.total_steps)
    with pytest.raises(ScheduleError, match="forward"):
        scheduler.load_state_dict(other.state_dict())
    with pytest.raises(ScheduleError, match="at least 1"):
        PrecisionScheduler(lambda bits: None, Static(8), 8, total_steps=0)
