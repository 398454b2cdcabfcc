"""How much of a model is quantised, and that too little of it is said."""

from __future__ import annotations

import logging

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from cpt_model import Config, prepare_
from cpt_model.coverage_report import coverage


class Attends(nn.Module):
    """8 × 8 projections; attention over the steps outside of any layer."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, -1)
        return self.out(functional.scaled_dot_product_attention(q, k, v))


def test_shares_of_layers_weights_and_multiply_accumulates() -> None:
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 2, 1), nn.Flatten(), nn.Linear(8, 5))
    prepare_(model)
    found = coverage(model, torch.empty(2, 3, 4, 4, device="meta"))
    assert found.layers == (2, 3)
    assert found.weights == (108 + 8) / (108 + 8 + 40)
    assert found.macs == (108 * 4 + 8 * 4) / (108 * 4 + 8 * 4 + 40)
    assert coverage(model).macs is None
    (last,) = (line for line in str(found).splitlines() if line.startswith("4 "))
    assert last.split(maxsplit=4) == ["4", "Linear", "40", "80", "left out by the policy or the filter"]


def test_products_outside_of_layers_are_named_and_counted() -> None:
    model = nn.Sequential(Attends())
    steps = 40
    with pytest.warns(UserWarning, match=r"much of the model stays float: .*1 products in Attends"):
        prepare_(model, Config(policy="none"), inputs=torch.empty(1, steps, 8, device="meta"))
    found = coverage(model, torch.empty(3, steps, 8, device="meta"))
    layers, attention = steps * 8 * 32, 2 * steps * steps * 8
    assert found.macs == layers / (layers + attention)
    assert [(part.name, part.macs) for part in found.parts if part.why_float] == [("0", 3 * attention)]


def test_below_90_percent_of_the_weights_is_a_warning() -> None:
    model = nn.Sequential(nn.Conv1d(4, 8, 3), nn.Flatten(), nn.Linear(16, 4), nn.Linear(4, 2))
    message = r"1 of 3 layers, 38\.1 % of their weights quantised; float: 1 Conv1d, 1 Linear"
    with pytest.warns(UserWarning, match=message):
        prepare_(model)


def test_what_policy_or_filter_leave_out_is_no_gap(caplog: pytest.LogCaptureFixture) -> None:
    """Warnings are errors here."""
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(90, 90), nn.Linear(40, 90))
    with caplog.at_level(logging.INFO, "cpt_model"):
        prepare_(model, Config(policy="cifar"), lambda module, name: name != "1")
    assert caplog.messages == ["1 of 3 layers, 0.0 % of their weights quantised; float: 2 Linear"]
