"""Weights as an operand: seen from either side, and the sums a pass needs of them, against plain loops."""

from __future__ import annotations

import pytest
import torch

from cpt_model.arithmetic.affine import quantise
from cpt_model.arithmetic.weights import Weights, other_side
from cpt_model.quantisers import quantiser
from host.compiler.layer import Pass

GROUPS = [1, 2, 4]


@pytest.mark.parametrize("groups", GROUPS)
def test_the_other_side_twice_is_the_same(groups: int) -> None:
    weights = torch.randn(8, 3, 2, 3)
    seen = other_side(weights, groups)
    assert seen.shape == (3 * groups, 8 // groups, 2, 3)
    assert torch.equal(other_side(seen, groups), weights)
    for group in range(groups):
        for out in range(8 // groups):
            for channel in range(3):
                expected = weights[group * 8 // groups + out, channel]
                assert torch.equal(seen[group * 3 + channel, out], expected)


@pytest.mark.parametrize("groups", GROUPS)
@pytest.mark.parametrize("which", [Pass.FORWARD, Pass.INPUT_ERROR])
@pytest.mark.parametrize("name", ["sbm", "dorefa", "wageubn"])
def test_sums_by_tap_and_the_greatest_of_magnitudes(name: str, which: Pass, groups: int) -> None:
    weights = torch.randn(8, 3, 2, 3, generator=torch.Generator().manual_seed(0))
    made = quantiser(name).pass_weights(weights, 5, which, groups)
    rows = made.quantised.codes if which is Pass.FORWARD else other_side(made.quantised.codes, groups)
    assert made.quantised.codes.shape == weights.shape
    assert torch.equal(made.tap_sums.double(), rows.double().sum(1).permute(1, 2, 0))
    assert made.greatest_sum == max(row.abs().sum().item() for row in rows)


def test_codes_by_input_channel_serve_the_input_error_alone() -> None:
    weights = torch.randn(4, 3, 1, 1) * torch.tensor([1.0, 10.0, 100.0])[None, :, None, None]
    made: Weights = quantiser("sbm").pass_weights(weights, 4, Pass.INPUT_ERROR, 1)
    for channel in range(3):
        alone = quantise(weights[:, channel : channel + 1].transpose(0, 1), 4, True)
        assert torch.equal(made.quantised.codes[:, channel].flatten(), alone.codes.flatten())
        assert made.quantised.scale.flatten()[channel] == alone.scale.item()
