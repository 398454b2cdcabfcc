"""The range test: its rules on known curves, a network that learns from a known width on, and what it leaves."""

from __future__ import annotations

import copy
import itertools
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from cpt_model import Bits, Config, get_precision, prepare_, quantisation_state, set_precision
from cpt_model.methods import range_test
from cpt_model.methods.range_test import (
    RangeTest,
    RangeTestError,
    first_gain,
    moving_average,
    narrowest_within,
    precision_range_test,
)

Batches = list[tuple[Tensor, Tensor]]


def images(count: int = 12, size: int = 32) -> Batches:
    """Noisy pictures of four classes, easy to tell apart."""
    generator = torch.Generator().manual_seed(3)
    classes = 2 * torch.randn(4, 2, 4, 4, generator=generator)
    targets = [torch.randint(4, (size,), generator=generator) for _ in range(count)]
    return [(classes[target] + torch.randn(size, 2, 4, 4, generator=generator), target) for target in targets]


def network() -> nn.Module:
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(2, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(128, 4)
    )
    return prepare_(model, Config(quantiser="sbm", seed=0))


def descent(parameters: Any) -> torch.optim.Optimizer:
    return torch.optim.SGD(parameters, lr=0.05, momentum=0.9)


def run(model: nn.Module, data: Any = None, **changes: Any) -> RangeTest:
    settings: dict[str, Any] = {"widths": (2, 4, 8), "steps": 12, "window": 4, "progress": False}
    batches = images() if data is None else data
    return precision_range_test(model, batches, nn.functional.cross_entropy, descent, **settings | changes)


class LearnsFrom(nn.Module):
    """A layer that is blind below a width; what `set_precision` is told arrives here."""

    def __init__(self, least: int) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 2)
        self.least = least
        self.width = 0

    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = self.linear(x if self.width >= self.least else torch.zeros_like(x))
        return output


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """The range test of `LearnsFrom`, without quantisers."""
    monkeypatch.setattr(range_test, "set_precision", lambda model, bits: setattr(model, "width", bits.forward))


def halves() -> Batches:
    """Two equally frequent classes told apart by the sign of one input."""
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(10, 64, 3, generator=generator)
    return [(batch, (batch[:, 0] > 0).long()) for batch in x]


@pytest.mark.parametrize("accuracy", [True, False])
@pytest.mark.parametrize("least", [1, 3, 6, 7])
@pytest.mark.usefixtures("bare")
def test_the_width_from_which_the_network_learns_is_the_lower_bound(least: int, accuracy: bool) -> None:
    judge = {} if accuracy else {"accuracy": None}
    found = run(LearnsFrom(least), halves(), widths=range(1, 7), threshold=0.15, **judge)
    assert found.lower == (least if least <= 6 else None)
    assert found.metric == ("accuracy" if accuracy else "loss")
    if found.lower_step is not None:
        assert (least - 1) * 12 <= found.lower_step < least * 12
        assert found.upper == least


@pytest.mark.usefixtures("bare")
def test_curves_have_an_entry_per_step_in_the_order_of_the_widths() -> None:
    found = run(LearnsFrom(3), halves(), widths=(2, 3, 5))
    assert found.bits == [2] * 12 + [3] * 12 + [5] * 12
    assert len(found.loss) == len(found.score) == len(found.average) == 36
    assert found.average[20] == pytest.approx(np.mean(found.score[17:21]))


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=40), st.integers(1, 9))
def test_moving_average_is_a_convolution(values: list[float], window: int) -> None:
    sums = np.convolve(values, np.ones(window))[: len(values)]
    np.testing.assert_allclose(moving_average(values, window), sums / np.minimum(np.arange(len(values)) + 1, window))


@given(st.lists(st.integers(-20, 20), min_size=24, max_size=24), st.integers(1, 3), st.integers(1, 15))
def test_first_gain_is_the_first_step_that_beats_every_narrower_width(
    average: list[int], window: int, threshold: int
) -> None:
    ends = {start: [average[window - 1], *(average[end] for end in range(5, start, 6))] for start in range(0, 24, 6)}
    passed = [
        start + step
        for start, step in itertools.product(range(0, 24, 6), range(window - 1, 6))
        if average[start + step] > max(ends[start]) + threshold
    ]
    assert first_gain(average, steps=6, window=window, threshold=threshold) == min(passed, default=None)


def test_making_good_a_loss_is_not_learning() -> None:
    lost_and_back = [0.1] * 6 + [0.02] * 6 + [0.1] * 6
    assert first_gain(lost_and_back, steps=6, window=2, threshold=0.05) is None


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=8), st.floats(0, 1))
def test_upper_bound_leaves_only_losses_within_the_tolerance_above_it(losses: list[float], tolerance: float) -> None:
    widths = list(range(2, 2 + len(losses)))
    upper = narrowest_within(widths, losses, tolerance)
    near = [value <= losses[-1] * (1 + tolerance) for value in losses]
    assert all(near[upper - 2 :])
    assert upper == 2 or not near[upper - 3]


def test_a_prepared_network_gets_sensible_bounds_and_is_left_as_it_was() -> None:
    model = network().eval()
    set_precision(model, Bits(5, 7))
    model.train()(images()[0][0])
    model.eval()
    weights, quantisation = copy.deepcopy(model.state_dict()), copy.deepcopy(quantisation_state(model))
    random = torch.get_rng_state()
    found = run(model, widths=(2, 3, 4, 8))
    assert found.lower is not None
    assert 2 <= found.lower <= found.upper <= 8
    assert found.loss[-1] < found.loss[0] / 2
    assert found.width_losses[0] > found.width_losses[-1]
    after = model.state_dict()
    assert all(torch.equal(after[name], value) for name, value in weights.items())
    assert same(quantisation_state(model), quantisation)
    assert get_precision(model) == Bits(5, 7)
    assert not any(module.training for module in model.modules())
    assert all(parameter.grad is None for parameter in model.parameters())
    assert torch.equal(torch.get_rng_state(), random)


def test_the_seed_decides_everything_random() -> None:
    model = nn.Sequential(nn.Dropout(0.3), network())
    one = run(model)
    torch.manual_seed(77)
    assert run(model) == one
    assert run(model, seed=1) != one


def test_json_keeps_everything_and_the_plot_is_a_picture(tmp_path: Path) -> None:
    found = run(network(), widths=(2, 3))
    assert RangeTest(**json.loads(found.to_json())) == found
    found.plot(tmp_path / "range.png")
    assert (tmp_path / "range.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"widths": ()}, "there are no widths"),
        ({"widths": (0, 2)}, r"width = 0 is not a whole number in 1\.\.16"),
        ({"widths": (8, 17)}, r"width = 17 is not a whole number in 1\.\.16"),
        ({"widths": (4, 3)}, "do not grow"),
        ({"steps": 0}, "fewer than two windows"),
        ({"steps": 7}, "fewer than two windows of 4"),
        ({"window": 0}, "fewer than two windows"),
        ({"threshold": 0.0}, "threshold = 0.0 must be above 0"),
        ({"tolerance": math.nan}, "tolerance = nan"),
        ({"backward": 17}, "backward = 17"),
        ({"data": []}, "no batches"),
    ],
)
def test_what_cannot_work_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RangeTestError, match=message):
        run(network(), **changes)


def test_an_iterator_that_runs_out_is_named() -> None:
    def once() -> Iterator[tuple[Tensor, Tensor]]:
        yield from images(count=3)

    with pytest.raises(RangeTestError, match="ran out"):
        run(network(), data=once())


@pytest.mark.usefixtures("bare")
def test_a_loss_that_is_not_a_number_is_named_with_its_place() -> None:
    batches = halves()
    batches[6][0][0, 0] = math.nan
    with pytest.raises(RangeTestError, match="the loss is nan at step 6, 1 bits"):
        run(LearnsFrom(1), batches, widths=(1, 2))


def test_weights_that_overflow_are_named_with_their_place() -> None:
    def leap(parameters: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(parameters, lr=math.inf)

    with pytest.raises(RangeTestError, match=r"step 1, 2 bits: .*not finite"):
        precision_range_test(network(), images(), nn.functional.cross_entropy, leap, (2,), progress=False)


def same(one: Any, other: Any) -> bool:
    """Equality of nested states with tensors in them."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(same(left, right) for left, right in zip(one, other, strict=True))
    return torch.equal(one, other) if isinstance(one, Tensor) else bool(one == other)
