"""Stochastic rounding of every quantiser: unbiased, repeatable, other with another seed."""

from __future__ import annotations

import pytest
import torch

from cpt_model.quantisers import QUANTISERS, quantiser

STOCHASTIC_ERRORS = ["sbm", "dorefa"]
DRAWS = 600


def values(fraction: float, count: int) -> torch.Tensor:
    """Many values at a fraction of a step above code 5 of a 4-bit grid over −1..1, whose ends are present."""
    x = torch.full((1, 1, 1, count), -1 + (5 + fraction) * 2 / 15)
    x[..., 0], x[..., -1] = -1, 1
    return x


@pytest.mark.parametrize("fraction", [0.0, 0.125, 0.5, 0.9])
@pytest.mark.parametrize("name", STOCHASTIC_ERRORS)
def test_errors_are_unbiased(name: str, fraction: float) -> None:
    count = 100_000
    x = values(fraction, count)
    got = quantiser(name).error(x, 4, 11).values()[..., 1:-1]
    mean = ((got + 1) * 15 / 2 - 5).mean().item()
    deviation = (fraction * (1 - fraction) / count) ** 0.5
    assert abs(mean - fraction) < 4 * deviation + 1e-4


@pytest.mark.parametrize("name", QUANTISERS)
def test_gradients_are_unbiased(name: str) -> None:
    x = torch.randn(4, 5, 3, 3)
    mean = torch.stack([quantiser(name).gradient(x, 4, seed) for seed in range(DRAWS)]).double().mean(0)
    step = 2 * x.abs().max() / 14
    inside = x.abs() < 0.6 * x.abs().max()  # WAGEUBN clips the greatest
    assert ((mean - x).abs()[inside] < 4.5 * step * 0.5 / DRAWS**0.5).all()
    assert abs((mean - x)[inside].mean()) < step * 0.5 / (DRAWS * inside.sum()) ** 0.5 * 4


@pytest.mark.parametrize("name", QUANTISERS)
def test_a_seed_repeats_and_another_differs(name: str) -> None:
    x = torch.randn(3, 4, 5, 5)
    made = quantiser(name)
    assert torch.equal(made.gradient(x, 4, 1), made.gradient(x, 4, 1))
    assert not torch.equal(made.gradient(x, 4, 1), made.gradient(x, 4, 2))
    assert not torch.equal(made.gradient(x, 4, 1), made.gradient(x, 4, 1 << 32))
    if name in STOCHASTIC_ERRORS:
        assert torch.equal(made.error(x, 4, 1).codes, made.error(x, 4, 1).codes)
        assert not torch.equal(made.error(x, 4, 1).codes, made.error(x, 4, 2).codes)


@pytest.mark.parametrize("name", QUANTISERS)
def test_the_memory_format_does_not_change_the_draws(name: str) -> None:
    x = torch.randn(3, 4, 5, 5)
    made = quantiser(name)
    last = x.contiguous(memory_format=torch.channels_last)
    assert torch.equal(made.gradient(x, 4, 1), made.gradient(last, 4, 1))
    assert torch.equal(made.error(x, 4, 1).codes, made.error(last, 4, 1).codes)


def test_unknown_quantisers_are_named_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="unknown quantiser 'sbn'; there are: sbm, sbm-authors, dorefa, wageubn"):
        quantiser("sbn")


@pytest.mark.parametrize("bits", [0, 17, -1])
@pytest.mark.parametrize("name", QUANTISERS)
def test_widths_outside_1_to_16_are_refused(name: str, bits: int) -> None:
    x, made = torch.randn(1, 2, 3, 3), quantiser(name)
    for attempt in (lambda: made.weight(x, bits), lambda: made.error(x, bits, 0), lambda: made.gradient(x, bits, 0)):
        with pytest.raises(ValueError, match="bits"):
            attempt()
