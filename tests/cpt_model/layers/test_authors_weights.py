"""The quantiser "sbm-authors": forward and gradient are SBM's, the input error has the authors' weights."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import conv_transpose2d

from cpt_model import Config, emulate, prepare_
from cpt_model.benchmarks.fake_quantised import fake, value_range
from cpt_model.quantisers import SBM
from tests.cpt_model.layer_tools import first_seed, patterns, trained_step


def made(quantiser: str, bits: int, groups: int = 1) -> tuple[nn.Conv2d, Tensor]:
    torch.manual_seed(bits)
    layer = nn.Conv2d(6, 8, 3, padding=1, groups=groups)
    with torch.no_grad():
        layer.weight *= torch.logspace(-1, 1, 8)[:, None, None, None]  # channels far apart
    return prepare_(layer, Config(quantiser, bits=(bits, 8), results="exact")), torch.randn(2, 6, 5, 7)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("bits", [1, 3, 8])
def test_the_input_error_is_the_product_of_what_the_authors_round(bits: int, groups: int) -> None:
    layer, x = made("sbm-authors", bits, groups)
    y, from_x = trained_step(layer, x)
    error = torch.randn(y.shape, generator=torch.Generator().manual_seed(0)) + 0.1
    rounded = SBM().error(error, 8, first_seed(layer)).values()
    weights = layer.weight.detach()
    by_output_channel = fake(weights, bits, value_range(weights, 3))
    expected = conv_transpose2d(rounded, by_output_channel, padding=1, groups=groups)
    torch.testing.assert_close(from_x, expected, rtol=1e-4, atol=1e-4 * float(expected.abs().max()))


@pytest.mark.parametrize("bits", [3, 8])
def test_only_the_input_error_differs_from_sbm(bits: int) -> None:
    results = []
    for quantiser in ("sbm", "sbm-authors"):
        layer, x = made(quantiser, bits)
        y, from_x = trained_step(layer, x)
        results.append((y, layer.weight.grad, from_x))
    (y, gradient, from_x), (their_y, their_gradient, their_from_x) = results
    assert gradient is not None
    assert their_gradient is not None
    assert (patterns(y) == patterns(their_y)).all()
    assert (patterns(gradient) == patterns(their_gradient)).all()
    assert ((from_x - their_from_x).norm() / their_from_x.norm()).item() > 1e-3


def test_no_device_does_it() -> None:
    layer, _ = made("sbm-authors", 3)
    with pytest.raises(ValueError, match="sbm-authors multiplies errors by weights in float32, which no device does"), \
            emulate(layer, "reference"):  # fmt: skip
        pass


def test_a_prepared_copy_keeps_it() -> None:
    layer, x = made("sbm-authors", 3)
    assert torch.equal(trained_step(layer, x)[1], trained_step(copy.deepcopy(made("sbm-authors", 3)[0]), x)[1])
