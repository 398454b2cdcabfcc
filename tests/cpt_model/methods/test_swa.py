"""Weight averaging of prepared models: plain means of master weights, and statistics measured at stated bits."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import SWALR, AveragedModel

from cpt_model import Bits, get_precision, precision, prepare_, scheduler, set_precision
from cpt_model.methods.range_norm import convert_range_norm_
from cpt_model.methods.swa import update_statistics
from cpt_model.model_precision import layer_states
from cpt_model.schedules import CPT


def network(norm: bool = True) -> nn.Module:
    torch.manual_seed(0)
    middle = [nn.BatchNorm2d(6)] if norm else []
    model = nn.Sequential(nn.Conv2d(2, 6, 3, padding=1), *middle, nn.ReLU(), nn.Flatten(), nn.Linear(96, 3))
    return prepare_(model)


def batches(count: int = 6) -> list[tuple[Tensor, Tensor]]:
    generator = torch.Generator().manual_seed(4)
    classes = 2 * torch.randn(3, 2, 4, 4, generator=generator)
    targets = [torch.randint(3, (24,), generator=generator) for _ in range(count)]
    return [(classes[target] + torch.randn(24, 2, 4, 4, generator=generator), target) for target in targets]


def ranges(model: nn.Module) -> dict[str, Any]:
    states = layer_states(model).items()
    return {name: {what: seen.means.tolist() for what, seen in state.ranges.items()} for name, state in states}


def test_training_with_cyclic_precision_and_averaging_gives_the_mean_of_the_weights_and_a_good_model() -> None:
    """The whole recipe: cyclic precision, averages from the middle on, statistics and evaluation at 8 bits."""
    model, data = network(), batches()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    averaged, swa_lr = AveragedModel(model), SWALR(optimizer, swa_lr=0.02, anneal_epochs=2)
    bits = scheduler(model, CPT(3, 8, cycles=2), 8, total_steps=6 * len(data))
    snapshots = []
    for epoch in range(6):
        for x, target in data:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), target).backward()
            optimizer.step()
            bits.step()
        if epoch >= 3:
            averaged.update_parameters(model)
            swa_lr.step()
            snapshots.append(copy.deepcopy(model.state_dict()))
    for name, value in averaged.module.named_parameters():
        mean = torch.stack([snapshot[name] for snapshot in snapshots]).mean(0)
        torch.testing.assert_close(value.detach(), mean)
    update_statistics(averaged, data, bits=8)
    averaged.eval()
    with torch.no_grad(), precision(averaged, 8):
        right = sum(int((averaged(x).argmax(1) == target).sum()) for x, target in data)
    assert right >= 0.95 * 24 * len(data)


def test_the_average_has_quantisers_of_its_own() -> None:
    model = network()
    averaged = AveragedModel(model)
    set_precision(model, Bits(3, 5))
    assert get_precision(averaged) == Bits(8, 8)
    averaged(batches(1)[0][0])
    assert ranges(model)["0"] == {"input": [0, 0, 0]}
    averaged.update_parameters(model)
    assert ranges(averaged)["module.0"] == {"input": [0, 0, 0]}
    model(batches(1)[0][0])
    averaged.update_parameters(model)
    assert ranges(averaged)["module.0"] == ranges(model)["0"]  # those of the last weights, until they are measured


@pytest.mark.parametrize("converted", [False, True])
def test_batch_statistics_are_means_at_the_stated_bits_and_precision_comes_back(converted: bool) -> None:
    model, data = network(), batches(3)
    if converted:
        convert_range_norm_(model, chunks=4)
    found = {}
    for bits in (8, 2):
        update_statistics(model, data, bits=bits)
        with torch.no_grad(), precision(model, bits):
            means = [model[0](x).mean((0, 2, 3)) for x, _ in data]  # type: ignore[index]
        found[bits] = model[1].running_mean.clone()  # type: ignore[index]
        torch.testing.assert_close(found[bits], torch.stack(means).mean(0))
    assert not torch.allclose(found[8], found[2])
    assert get_precision(model) == Bits(8, 8)


@pytest.mark.parametrize("norm", [True, False])
def test_ranges_begin_anew_with_and_without_batch_normalisation(norm: bool) -> None:
    model, data = network(norm), batches(1)
    model(100 * data[0][0])
    model.eval()
    before = copy.deepcopy(model.state_dict())
    update_statistics(model, (x for x, _ in data), bits=8)
    (low, high, weight) = ranges(model)["0"]["input"]
    assert weight == pytest.approx(0.1)
    assert low == pytest.approx(0.1 * float(data[0][0].min()))
    assert high == pytest.approx(0.1 * float(data[0][0].max()))
    assert not model.training
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, before[name])


def test_no_data_is_refused_before_anything_is_forgotten() -> None:
    model = network()
    model(batches(1)[0][0])
    before, seen = copy.deepcopy(model.state_dict()), ranges(model)
    with pytest.raises(ValueError, match="no batches"):
        update_statistics(model, [], bits=8)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert ranges(model) == seen


@pytest.mark.parametrize("norm", [True, False])
@pytest.mark.parametrize(("bits", "spoilt"), [(99, 1.0), (8, float("nan"))])
def test_an_error_forgets_no_range(norm: bool, bits: int, spoilt: float) -> None:
    model, data = network(norm), batches(2)
    model(data[0][0])
    model.eval()
    seen = ranges(model)
    with pytest.raises(ValueError, match=r"bits = 99|not finite"):
        update_statistics(model, [data[0][0], spoilt * data[1][0]], bits=bits)
    assert ranges(model) == seen
    assert not model.training
