"""Precision that follows the training, on a model: applied, counted, saved; diversity of gradients by its formula."""

from __future__ import annotations

import io

import pytest
import torch
from torch import nn

from cpt_model import PFQ, Bits, GradientDiversity, MuPPET, closed_loop, get_precision, prepare_
from cpt_model.cost import count, step_cost


def made() -> nn.Sequential:
    torch.manual_seed(0)
    return prepare_(nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(16, 2)))


def test_bits_are_applied_and_the_cost_is_known_afterwards() -> None:
    model = made()
    bits = closed_loop(model, PFQ([(3, 8), (8, 8)], window=2))
    assert get_precision(model) == Bits(3, 8)
    for loss, steps in ((2.0, 3), (1.0, 4), (0.99, 5), (0.5, 6)):
        for _ in range(steps):
            bits.step()
        bits.observe(loss)
    assert get_precision(model) == Bits(8, 8)
    assert bits.steps_at == {Bits(3, 8): 12, Bits(8, 8): 6}
    cost = step_cost(count(model, torch.empty(1, 3, 4, 4, device="meta")), batch=2)
    assert bits.cost(cost) == 12 * cost(Bits(3, 8)) + 6 * cost(Bits(8, 8))


def test_a_run_is_saved_and_goes_on() -> None:
    states = []
    for stop in (False, True):
        model = made()
        bits, diversity = closed_loop(model, MuPPET([(4, 8), (8, 8)], patience=1)), GradientDiversity(model, window=2)
        for epoch in range(8):
            if stop and epoch == 4:
                file = io.BytesIO()
                torch.save({"bits": bits.state_dict(), "diversity": diversity.state_dict()}, file)
                file.seek(0)
                saved = torch.load(file, weights_only=True)
                model = made()
                bits, diversity = closed_loop(model, MuPPET([(4, 8), (8, 8)], patience=1)), GradientDiversity(model, 2)
                bits.load_state_dict(saved["bits"])
                diversity.load_state_dict(saved["diversity"])
                assert get_precision(model) == bits.get_last_bits()
            generator = torch.Generator().manual_seed(epoch if epoch < 3 else 3)  # from the fourth on, alike
            model[0].weight.grad = torch.randn(4, 3, 3, 3, generator=generator)
            bits.step()
            measured = diversity.measure()
            if measured is not None:
                bits.observe(measured)
        states.append((bits.state_dict(), get_precision(model)))
    assert states[0] == states[1]
    assert states[0][1] == Bits(8, 8)


def test_diversity_is_the_mean_of_the_layers() -> None:
    model = prepare_(nn.Sequential(nn.Linear(2, 1), nn.Linear(1, 3), nn.Linear(3, 2)))  # the last stays float
    diversity = GradientDiversity(model, window=3)
    for gradient in ([3.0, 0.0], [0.0, 4.0], [3.0, 0.0]):
        model[0].weight.grad = torch.tensor([gradient])
        model[1].weight.grad = torch.ones(3, 1)
        model[2].weight.grad = torch.randn(2, 3)
        measured = diversity.measure()
    assert measured == pytest.approx(((9 + 16 + 9) / (36 + 16) + 1 / 3) / 2)


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(ValueError, match="no quantised layer has a gradient"):
        GradientDiversity(made()).measure()
    with pytest.raises(ValueError, match="at least 2 epochs"):
        GradientDiversity(made(), window=1)
    with pytest.raises(ValueError, match="saved with a window of 2, this one has 3"):
        GradientDiversity(made()).load_state_dict(GradientDiversity(made(), 2).state_dict())
