"""Ranges of evaluation: a running mean of the batches', corrected for its start; evaluation itself leaves no trace."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from cpt_model import Bits, Config, prepare_
from cpt_model.model_precision import layer_states
from cpt_model.quantisers.running_range import RunningRange, say_empty
from tests.cpt_model.layer_tools import batches_seen


@given(st.lists(st.tuples(st.floats(-9, 0), st.floats(0, 9)), min_size=1, max_size=30))
def test_the_corrected_mean_weighs_batches_by_powers_of_0_9(batches: list[tuple[float, float]]) -> None:
    seen = RunningRange()
    for low, high in batches:
        seen.observe(low, high)
    weights = 0.9 ** np.arange(len(batches))[::-1]
    expected = (np.array(batches) * weights[:, None]).sum(0) / weights.sum()
    np.testing.assert_allclose(seen.range(), expected, atol=1e-5)


def test_the_first_batch_is_its_own_range() -> None:
    seen = RunningRange()
    seen.observe(-2.0, 6.0)
    assert seen.range() == pytest.approx((-2.0, 6.0))


def layer(quantiser: str = "sbm") -> nn.Module:
    torch.manual_seed(0)
    return prepare_(nn.Conv2d(2, 3, 1, bias=False), Config(quantiser, bits=Bits(8, 8)))


def all_seen(model: nn.Module) -> int:
    return sum(batches_seen(seen) for state in layer_states(model).values() for seen in state.ranges.values())


def test_training_batches_are_remembered_and_evaluation_leaves_no_trace() -> None:
    model = layer()
    for count in (1, 2, 3):
        model(torch.randn(1, 2, 4, 4))
        assert all_seen(model) == count
    before = copy.deepcopy(model.state_dict())
    model.eval()
    with torch.no_grad():
        model(100 * torch.randn(1, 2, 4, 4))
    assert torch.equal(model.state_dict()["cpt_range_input"], before["cpt_range_input"])


def test_evaluation_without_ranges_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    say_empty.cache_clear()
    model = layer()
    model(torch.randn(1, 2, 4, 4))
    model.eval()(torch.randn(1, 2, 4, 4))
    assert not caplog.records
    for _ in range(2):
        layer().eval()(torch.randn(1, 2, 4, 4))
    assert [each.getMessage()[:43] for each in caplog.records] == ["evaluated without ranges of activations: ea"]


@pytest.mark.parametrize("quantiser", ["sbm", "wageubn"])
def test_evaluation_uses_the_running_range(quantiser: str) -> None:
    """Values outside what training saw get the end of the range."""
    model = layer(quantiser)
    seen = torch.linspace(-1, 1, 32).reshape(1, 2, 4, 4)
    for _ in range(5):
        model(seen)
    model.eval()
    within, outside = model(seen), model(seen * 50)
    limit = model(seen.sign())
    step = 2.1 / 127
    assert (outside[..., 0, 0] - limit[..., 0, 0]).abs().max() < 4 * step
    torch.testing.assert_close(within, model(seen))
    model.train()
    assert (model(seen * 50)[..., 0, 0] - limit[..., 0, 0]).abs().max() > 1


def test_evaluation_after_one_batch_is_not_shrunk_by_the_start_at_0() -> None:
    """Uncorrected, the range would be a tenth of the batch's."""
    model = layer()
    x = torch.linspace(-1, 1, 32).reshape(1, 2, 4, 4)
    trained = model(x)
    torch.testing.assert_close(model.eval()(x), trained)


def test_evaluation_before_any_training_takes_the_batchs_own_range() -> None:
    model = layer().eval()
    x = torch.randn(1, 2, 4, 4)
    before = model(x)
    assert all_seen(model) == 0
    assert torch.equal(model.train()(x), before)


def test_dorefa_needs_no_range() -> None:
    model = layer("dorefa")
    x = torch.rand(1, 2, 4, 4)
    trained = model(x)
    assert torch.equal(model.eval()(x), trained)
    assert all_seen(model) == 0
