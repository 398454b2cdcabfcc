"""Conversion in place and back: only classes change. What cannot be quantised is refused before anything is changed."""

from __future__ import annotations

import io
import pickle
from copy import deepcopy
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from cpt_model import Bits, Config, get_precision, prepare_, set_precision, unprepare
from cpt_model.layers import QuantConv2d, QuantLinear, QuantLSTM, QuantMultiheadAttention
from cpt_model.model_precision import layer_states
from host.compiler.layer import LayerError
from tests.cpt_model.layer_tools import batches_seen, trained_step


class Everything(nn.Module):
    """One layer of each kind."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.lstm = nn.LSTM(16, 6, batch_first=True)
        self.attention = nn.MultiheadAttention(6, 2, batch_first=True)
        self.hidden = nn.Linear(6, 5)
        self.head = nn.Linear(5, 3)

    def forward(self, x: Tensor) -> Tensor:
        maps = torch.relu(self.norm(self.conv(x)))
        steps, _ = self.lstm(maps.flatten(2))
        mixed, _ = self.attention(steps, steps, steps)
        return self.head(torch.relu(self.hidden(mixed.mean(1))))


def made(seed: int = 0) -> Everything:
    torch.manual_seed(seed)
    return Everything()


X = torch.randn(3, 2, 4, 4, generator=torch.Generator().manual_seed(9))


def test_classes_change_and_change_back() -> None:
    model = made()
    before = [type(module) for module in model.modules()]
    assert prepare_(model) is model
    kinds = (type(model.conv), type(model.lstm), type(model.attention), type(model.hidden), type(model.head))
    assert kinds == (QuantConv2d, QuantLSTM, QuantMultiheadAttention, QuantLinear, nn.Linear)
    assert type(model.attention.out_proj) is before[5]  # the attention runs it itself
    assert unprepare(model) is model
    assert [type(module) for module in model.modules()] == before
    assert vars(model.conv).keys() == vars(nn.Conv2d(1, 1, 1)).keys()


def test_parameters_names_and_order_are_untouched() -> None:
    model = made()
    before = dict(model.named_parameters())
    keys = list(model.state_dict())
    prepare_(model)
    after = dict(model.named_parameters())
    assert list(after) == list(before)
    assert all(after[name] is before[name] for name in before)
    assert [key for key in model.state_dict() if "cpt_range" not in key] == keys
    assert list(unprepare(model).state_dict()) == keys


def test_float_checkpoints_load_both_ways() -> None:
    plain, prepared = made(1), prepare_(made(2))
    trained_step(prepared, X)
    with pytest.warns(UserWarning, match="has no ranges of activations: evaluation takes each batch's own"):
        prepared.load_state_dict(plain.state_dict())
    assert all(torch.equal(a, b) for a, b in zip(plain.parameters(), prepared.parameters(), strict=True))
    assert all(seen.is_empty for state in layer_states(prepared).values() for seen in state.ranges.values())
    fresh = made(3)
    fresh.load_state_dict(unprepare(prepared).state_dict())
    assert torch.equal(fresh.eval()(X), plain.eval()(X))


@pytest.mark.parametrize("strict", [True, False])
def test_the_state_dict_alone_is_enough_to_evaluate(strict: bool) -> None:
    """Ranges included: evaluation on part of a batch would use that part's otherwise."""
    model, other = prepare_(made(1), Config(bits=Bits(3, 8))), prepare_(made(2), Config(bits=Bits(3, 8)))
    trained_step(model, X)
    other.load_state_dict(model.state_dict(), strict=strict)
    assert torch.equal(other.eval()(X[:1]), model.eval()(X[:1]))
    for state in layer_states(other).values():
        for seen in state.ranges.values():
            seen.means.zero_()
    assert not torch.equal(other(X[:1]), model(X[:1]))


def test_ranges_follow_the_model_from_device_to_device() -> None:
    model = prepare_(made())
    trained_step(model, X)
    state = layer_states(model)["conv"]
    assert state.ranges["input"].means is model.conv.cpt_range_input
    model.to("meta")
    assert state.ranges["input"].means.is_meta


def test_an_unprepared_model_is_float_again() -> None:
    plain, model = made(), prepare_(made())
    assert not torch.equal(model.eval()(X), plain.eval()(X))
    assert torch.equal(unprepare(model)(X), plain(X))


def test_unprepare_of_a_float_model_changes_nothing() -> None:
    model = made()
    assert type(unprepare(model).conv) is nn.Conv2d


def test_an_optimiser_made_before_trains_the_layers() -> None:
    model = made()
    optimiser = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    prepare_(model)
    before = model.conv.weight.detach().clone()
    trained_step(model, X)
    optimiser.step()
    assert not torch.equal(model.conv.weight, before)


def test_hooks_stay() -> None:
    model = made()
    calls: list[str] = []
    model.conv.register_forward_hook(lambda *_: calls.append("forward"))
    model.conv.register_forward_pre_hook(lambda *_: calls.append("before"))
    model.conv.register_full_backward_hook(lambda *_: calls.append("backward"))
    model.conv.weight.register_hook(lambda gradient: calls.append("gradient"))
    prepare_(model)
    trained_step(model, X)
    assert calls == ["before", "forward", "gradient", "backward"]
    unprepare(model)
    model(X)
    assert calls[4:] == ["before", "forward"]


def test_a_deep_copy_is_independent() -> None:
    model = prepare_(made(), Config(bits=Bits(4, 4)))
    copy = deepcopy(model)
    results = [trained_step(each, X)[0] for each in (model, copy)]
    assert torch.equal(*results)
    set_precision(copy, Bits(2, 2))
    trained_step(copy, X)
    assert get_precision(model) == Bits(4, 4)
    ours, theirs = (layer_states(each)["conv"] for each in (model, copy))
    assert (ours.draws, theirs.draws) == (2, 4)
    assert (batches_seen(ours.ranges["input"]), batches_seen(theirs.ranges["input"])) == (1, 2)


@pytest.mark.parametrize("way", ["pickle", "torch.save"])
def test_a_prepared_model_is_saved_whole(way: str) -> None:
    model = prepare_(made(), Config(bits=Bits(4, 6)))
    trained_step(model, X)
    if way == "pickle":
        loaded = pickle.loads(pickle.dumps(model))
    else:
        file = io.BytesIO()
        torch.save(model, file)
        file.seek(0)
        loaded = torch.load(file, weights_only=False)
    assert get_precision(loaded) == Bits(4, 6)
    for ours, theirs in zip(trained_step(model, X), trained_step(loaded, X), strict=True):
        assert torch.equal(ours, theirs)


def test_a_shared_layer_is_prepared_once() -> None:
    layer = nn.Conv2d(2, 2, 1)
    model = prepare_(nn.Sequential(layer, nn.ReLU(), layer))
    model(torch.randn(1, 2, 3, 3)).sum().backward()
    assert layer_states(model)["0"].draws == 4


@pytest.mark.parametrize("policy", ["cifar", "none"])
def test_filter_fn_adds_to_the_policy(policy: str) -> None:
    model = made()
    asked: list[str] = []

    def only_linear(module: nn.Module, name: str) -> bool:
        asked.append(name)
        return isinstance(module, nn.Linear)

    prepare_(model, Config(policy=policy), only_linear)
    assert [type(each) for each in (model.conv, model.lstm, model.attention, model.hidden, model.head)] == [
        nn.Conv2d, nn.LSTM, nn.MultiheadAttention, QuantLinear, QuantLinear if policy == "none" else nn.Linear,
    ]  # fmt: skip
    assert asked == ["conv", "lstm", "attention", "hidden", "head"][: None if policy == "none" else 4]


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (nn.Conv2d(1, 1, 3, dilation=2), r"dilation \(2, 2\)"),
        (nn.Conv2d(1, 1, 3, padding=1, padding_mode="reflect"), "padding_mode 'reflect'"),
        (nn.Conv2d(1, 1, (3, 2), padding="same"), r"padding 'same' of the kernel \(3, 2\): odd kernels"),
        (nn.Conv2d(1, 1, 3, padding=3), r"padding \(3, 3\): it must be below the kernel"),
        (nn.Conv2d(1, 1, (1, 3), padding=(1, 0)), r"padding \(1, 0\)"),
        (nn.Conv2d(1, 1, 16), r"kernel \(16, 16\)"),
        (nn.Conv2d(1, 1, 3, stride=(1, 16)), r"stride \(1, 16\)"),
        (nn.LSTM(2, 4, proj_size=2), "proj_size 2"),
        (nn.LSTM(1, 16381, device="meta"), r"weights \(65524, 16381\): 1\.\.65520 channels"),
        (nn.Linear(1, 65521), r"weights \(65521, 1\)"),
    ],
)
def test_layers_the_accelerator_cannot_run_are_refused_by_name(layer: nn.Module, message: str) -> None:
    model = nn.Sequential(nn.Conv2d(1, 1, 1), nn.Sequential(layer))
    with pytest.raises(LayerError, match=rf"layer '1\.0' cannot be quantised: {message}.*filter_fn"):
        prepare_(model, Config(policy="none"))
    assert type(model[0]) is nn.Conv2d
    prepare_(model, filter_fn=lambda module, name: name == "0")
    assert type(model[1][0]) is type(layer)  # type: ignore[index]


def test_preparing_twice_is_refused() -> None:
    model = prepare_(made())
    with pytest.raises(ValueError, match="prepared already"):
        prepare_(model)
    with pytest.raises(ValueError, match="prepared already"):
        prepare_(nn.Sequential(model, nn.Conv2d(1, 1, 1)))


def test_a_lone_layer_that_the_policy_keeps_is_named() -> None:
    with pytest.raises(ValueError, match="policy 'cifar' keeps the model's 1 in float32; policy 'none' does not"):
        prepare_(nn.Sequential(nn.Linear(2, 2)))
    assert prepare_(nn.Sequential(nn.Linear(2, 2)), Config(policy="none"))


@pytest.mark.parametrize(
    ("model", "filter_fn"),
    [(nn.ReLU(), None), (nn.Sequential(nn.Linear(2, 2)), None), (nn.Conv2d(1, 1, 1), lambda module, name: False)],
)
def test_nothing_to_quantise_is_refused(model: nn.Module, filter_fn: Any) -> None:
    with pytest.raises(ValueError, match="no layer to quantise"):
        prepare_(model, None, filter_fn)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quantiser": "sbn"}, "unknown quantiser 'sbn'; there are: sbm, sbm-authors, dorefa, wageubn"),
        ({"policy": "mnist"}, "unknown policy 'mnist'; there are: cifar, imagenet, none"),
        ({"bits": (17, 8)}, "forward bits = 17 is not a whole number in 0..16"),
        ({"bits": (8, -1)}, "backward bits = -1"),
        ({"gradient_bits": 17}, "gradient_bits = 17"),
        ({"gradient_bits": 8.0}, "gradient_bits = 8.0 is not a whole number"),
        ({"seed": -1}, "seed -1"),
        ({"seed": 1 << 64}, "not a whole number in 0..2"),
        ({"seed": 1.5}, "not a whole number in 0..2"),
        ({"bits": 8}, "give a pair"),
        ({"results": "int16"}, "training cannot store results 'int16'; there are: rounded, exact"),
        ({"results": True}, "results 'True'"),
    ],
)
def test_bad_configurations_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Config(**options)


def test_a_layer_parametrised_since_is_not_unprepared_halfway() -> None:
    model = prepare_(nn.Sequential(nn.Conv2d(2, 2, 1), nn.Conv2d(2, 2, 1)))
    nn.utils.parametrizations.weight_norm(model[1])
    with pytest.raises(ValueError, match="layer '1' was parametrised after prepare_"):
        unprepare(model)
    assert type(model[0]).__name__ == "QuantConv2d"


@pytest.mark.parametrize(
    ("layer", "shape", "message"),
    [
        (nn.Conv2d(3, 4, 3), (3, 8), r"'Conv2d': input \(3, 8\) is not"),
        (nn.Conv2d(3, 4, 3), (1, 2, 3, 8, 8), "is not"),
        (nn.Linear(4, 4), (), "input without dimensions"),
    ],
)
def test_inputs_of_another_rank_are_named(layer: nn.Module, shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        prepare_(layer)(torch.ones(shape))
