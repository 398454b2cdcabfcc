"""What the callbacks share: a plan that steps, evaluates at stated bits, adds up its cost and resumes."""

from __future__ import annotations

import copy
import io
from typing import Any

import pytest
import torch
from torch import nn

from cpt_model import Bits, get_precision, prepare_, quantisation_state
from cpt_model.model_precision import layer_states
from cpt_model.precision_run import Plan, PrecisionRun
from cpt_model.schedules import CPT, CosineAnnealing, ScheduleError


def network() -> nn.Module:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(2, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16, 3))
    return prepare_(model)


def train(model: nn.Module, run: PrecisionRun, steps: range) -> None:
    """Plain steps of descent; every batch depends on its number alone."""
    for step in steps:
        generator = torch.Generator().manual_seed(step)
        x, target = torch.randn(6, 2, 4, 4, generator=generator), torch.arange(6) % 3
        model.zero_grad()
        nn.functional.cross_entropy(model(x), target).backward()
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.grad is not None:
                    parameter.sub_(0.1 * parameter.grad)
        run.step()


def test_metrics_are_the_bits_of_the_step_done_and_the_cost_so_far() -> None:
    model, schedule = network(), CPT(3, 8, cycles=1)
    run = PrecisionRun(model, Plan(schedule, backward=6, cost=lambda bits: bits.forward * bits.backward), total_steps=5)
    spent = 0
    for bits in schedule.bits(range(5), 5).tolist():
        assert get_precision(model) == Bits(bits, 6)
        run.step()
        spent += 6 * bits
        assert run.metrics() == {"bits/forward": bits, "bits/backward": 6, "cost": spent}
    assert "cost" not in PrecisionRun(model, Plan(schedule), total_steps=5).metrics()


@pytest.mark.parametrize(
    ("stated", "expected"), [(None, Bits(8, 7)), (4, Bits(4, 7)), (Bits(5, 3), Bits(5, 3)), (Bits(0, 0), Bits(0, 0))]
)
def test_evaluation_is_at_the_stated_bits_or_the_highest_and_training_goes_on_where_it_was(
    stated: Bits | int | None, expected: Bits
) -> None:
    model = network()
    run = PrecisionRun(model, Plan(CosineAnnealing(3, 8, cycles=1), backward=7, evaluate_at=stated), total_steps=10)
    for _ in range(9):
        run.step()
    assert get_precision(model) == Bits(3, 7)
    run.begin_evaluation()
    assert get_precision(model) == expected
    run.end_evaluation()
    assert get_precision(model) == Bits(3, 7)


def test_a_run_that_was_saved_goes_on_bit_for_bit() -> None:
    plan = Plan(CPT(3, 8, cycles=2), cost=lambda bits: float(bits.forward))
    whole = network()
    run = PrecisionRun(whole, plan, total_steps=12)
    train(whole, run, range(5))
    file = io.BytesIO()
    torch.save({"model": whole.state_dict(), "run": run.state_dict()}, file)
    logged = run.metrics()
    train(whole, run, range(5, 12))

    file.seek(0)
    saved: dict[str, Any] = torch.load(file, weights_only=True)
    resumed = network()
    resumed.load_state_dict(saved["model"])
    again = PrecisionRun(resumed, plan, total_steps=12)
    again.load_state_dict(saved["run"])
    assert again.metrics() == logged
    train(resumed, again, range(5, 12))
    for name, value in whole.state_dict().items():
        assert torch.equal(resumed.state_dict()[name], value)
    assert quantisation_state(resumed) == quantisation_state(whole)
    assert again.metrics() == run.metrics()
    assert get_precision(resumed) == get_precision(whole)


@pytest.mark.parametrize("rank", [0, 1])
def test_only_other_processes_of_a_run_may_have_seeds_of_their_own(monkeypatch: pytest.MonkeyPatch, rank: int) -> None:
    """The first process writes the checkpoint of all."""
    saved = copy.deepcopy(PrecisionRun(network(), Plan(CPT(3, 8)), total_steps=99).state_dict())
    for layer in saved["quantisation"].values():
        layer["seed"] += 1
        layer["draws"] = 7
    monkeypatch.setattr("torch.distributed.is_initialized", lambda: True)
    monkeypatch.setattr("torch.distributed.get_rank", lambda: rank)
    model = network()
    seeds = [state.seed for state in layer_states(model).values()]
    run = PrecisionRun(model, Plan(CPT(3, 8)), total_steps=99)
    if rank:
        run.load_state_dict(saved)
        assert {state.draws for state in layer_states(model).values()} == {7}
    else:
        with pytest.raises(ValueError, match="was saved with seed"):
            run.load_state_dict(saved)
    assert [state.seed for state in layer_states(model).values()] == seeds


def test_a_run_of_another_length_is_refused() -> None:
    state = copy.deepcopy(PrecisionRun(network(), Plan(CPT(3, 8)), total_steps=100).state_dict())
    with pytest.raises(ScheduleError, match="total_steps = 100"):
        PrecisionRun(network(), Plan(CPT(3, 8)), total_steps=99).load_state_dict(state)


def test_the_plans_own_length_and_pace_come_first() -> None:
    run = PrecisionRun(network(), Plan(CPT(3, 8, cycles=1), total_steps=40, every=10), total_steps=7)
    assert run.scheduler.total_steps == 40
    assert run.highest() == Bits(int(CPT(3, 8, cycles=1).bits(range(4), 4).max()), 8)
