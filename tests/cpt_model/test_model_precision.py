"""Setting, reading, scheduling and saving a model's precision."""

from __future__ import annotations

import io
from typing import Any

import pytest
import torch
from torch import nn

from cpt_model import (
    CPT,
    Bits,
    Config,
    get_precision,
    load_quantisation_state,
    precision,
    prepare_,
    quantisation_state,
    scheduler,
    set_precision,
)
from cpt_model.model_precision import layer_states
from tests.cpt_model.layer_tools import trained_step


def made(results: str = "rounded") -> nn.Module:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.ReLU(), nn.Conv2d(3, 2, 1))
    return prepare_(model, Config(bits=Bits(8, 6), results=results))


def test_every_layer_gets_the_bits() -> None:
    model = made()
    set_precision(model, Bits(3, 5))
    assert [state.bits for state in layer_states(model).values()] == [Bits(3, 5), Bits(3, 5)]
    assert get_precision(model) == Bits(3, 5)


def test_a_number_sets_the_forward_width_and_keeps_the_gradients() -> None:
    model = made()
    set_precision(model, 4)
    assert get_precision(model) == Bits(4, 6)


def test_a_plain_pair_will_do() -> None:
    model = made()
    set_precision(model, (4, 5))
    assert get_precision(model) == Bits(4, 5)


@pytest.mark.parametrize(
    ("bits", "message"),
    [
        (17, "forward bits = 17"),
        (-1, "forward bits = -1"),
        ((8, 17), "backward bits = 17"),
        (2.5, "whole number"),
        (8.0, "forward bits = 8.0 is not a whole number"),
        (True, "forward bits = True is not a whole number"),
    ],
)
def test_bits_out_of_range_are_refused_and_change_nothing(bits: tuple[int, int] | int, message: str) -> None:
    model = made()
    for attempt in (lambda: set_precision(model, bits), lambda: precision(model, bits).__enter__()):
        with pytest.raises(ValueError, match=message):
            attempt()
        assert get_precision(model) == Bits(8, 6)


def test_another_precision_for_a_while_even_if_it_ends_badly() -> None:
    model = made()
    with precision(model, 3) as same:
        assert same is model
        assert get_precision(model) == Bits(3, 6)
        with precision(model, Bits(2, 2)):
            assert get_precision(model) == Bits(2, 2)
        assert get_precision(model) == Bits(3, 6)
    with pytest.raises(KeyError), precision(model, 3):
        raise KeyError
    assert get_precision(model) == Bits(8, 6)


def test_layers_of_different_precisions_get_their_own_back() -> None:
    model = made()
    set_precision(model[0], 2)  # type: ignore[index]
    with precision(model, 5):
        pass
    assert [state.bits for state in layer_states(model).values()] == [Bits(2, 6), Bits(8, 6)]


def test_the_bits_of_the_forward_pass_hold_in_its_backward_pass() -> None:
    x = torch.randn(2, 2, 5, 5)
    gradients = []
    for changed in (False, True):
        model = made()
        y = model(x)
        if changed:
            set_precision(model, Bits(2, 2))
        y.sum().backward()
        gradients.append(model[0].weight.grad)  # type: ignore[index]
    assert torch.equal(*gradients)


def test_a_scheduler_sets_the_models_bits_at_every_step() -> None:
    model, schedule = made(), CPT(3, 8, cycles=2)
    bits = scheduler(model, schedule, backward=7, total_steps=20)
    seen = [get_precision(model)]
    for _ in range(19):
        bits.step()
        seen.append(get_precision(model))
    assert [each.forward for each in seen] == schedule.bits(range(20), 20).tolist()
    assert {each.backward for each in seen} == {7}
    assert bits.get_last_bits() == get_precision(model)


@pytest.mark.parametrize("bits", [Bits(3, 8), Bits(8, 8)])
def test_other_bits_give_other_results(bits: Bits) -> None:
    model = made()
    x = torch.randn(2, 2, 5, 5)
    with precision(model, bits):
        one = model(x)
    with precision(model, Bits(bits.forward - 1, 8)):
        assert not torch.equal(model(x), one)


@pytest.mark.parametrize("function", [get_precision, quantisation_state, lambda model: set_precision(model, 3)])
def test_a_model_that_is_not_prepared_is_refused(function: object) -> None:
    with pytest.raises(ValueError, match="call prepare_"):
        function(nn.Conv2d(1, 1, 1))  # type: ignore[operator]


def test_the_quantisation_state_goes_round() -> None:
    model, other = made(), made()
    trained_step(model, torch.randn(2, 2, 5, 5))
    saved = quantisation_state(model)
    load_quantisation_state(other, saved)
    assert quantisation_state(other) == saved
    trained_step(other, torch.randn(2, 2, 5, 5))
    assert quantisation_state(model) == saved


def test_the_quantisation_state_is_loaded_from_a_file_of_weights_only() -> None:
    model = made()
    trained_step(model, torch.randn(2, 2, 5, 5))
    file = io.BytesIO()
    torch.save(quantisation_state(model), file)
    file.seek(0)
    assert torch.load(file, weights_only=True) == quantisation_state(model)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (Config("wageubn"), "layer '0' was saved with quantiser sbm, here it is wageubn"),
        (Config(seed=1), r"layer '0' was saved with seed \d+, here it is \d+"),
        (Config(gradient_bits=8), "layer '0' was saved with gradient_bits 0, here it is 8"),
        (Config(results="exact"), "layer '0' was saved with results rounded, here it is exact"),
    ],
)
def test_a_state_saved_with_other_settings_is_refused_and_changes_nothing(config: Config, message: str) -> None:
    model = made()
    trained_step(model, torch.randn(2, 2, 5, 5))
    other = prepare_(nn.Sequential(nn.Conv2d(2, 3, 3), nn.ReLU(), nn.Conv2d(3, 2, 1)), config)
    before = quantisation_state(other)
    with pytest.raises(ValueError, match=message):
        load_quantisation_state(other, quantisation_state(model))
    assert quantisation_state(other) == before


def test_a_state_from_before_there_was_a_choice_of_results_is_an_exact_one() -> None:
    model, exact = made(), made("exact")
    saved: Any = quantisation_state(exact)
    for layer in saved.values():
        del layer["results"]
    load_quantisation_state(exact, saved)
    with pytest.raises(ValueError, match="saved with results exact, here it is rounded"):
        load_quantisation_state(model, saved)


def test_the_last_layers_settings_are_compared_before_the_first_layer_changes() -> None:
    model = made()
    saved = quantisation_state(model)
    saved["0"]["draws"], saved["2"]["seed"] = 5, -1  # type: ignore[index]
    with pytest.raises(ValueError, match="layer '2' was saved with seed -1"):
        load_quantisation_state(model, saved)
    assert layer_states(model)["0"].draws == 0


def test_a_state_of_other_layers_is_refused() -> None:
    model = made()
    with pytest.raises(ValueError, match=r"other layers than the model: 2"):
        load_quantisation_state(model, {"0": {"draws": 5}})
    assert layer_states(model)["0"].draws == 0


def test_layers_named_by_a_pattern_keep_their_bits() -> None:
    """The first pattern that fits holds; schedules, evaluation and `set_precision` leave these layers alone."""
    layers = nn.Sequential(nn.Conv2d(2, 3, 1), nn.Sequential(nn.Conv2d(3, 3, 1), nn.Conv2d(3, 3, 1)))
    prepare_(layers, Config(bits=Bits(6, 7), layer_bits={"1.1": (4, 5), "1.*1": (2, 2)}))
    bits = scheduler(layers, CPT(3, 8, cycles=1), 8, total_steps=4)
    assert get_precision(layers, by_layer=True) == {"0": Bits(3, 8), "1.0": Bits(3, 8), "1.1": Bits(4, 5)}
    bits.step()
    with precision(layers, 8):
        assert get_precision(layers) == Bits(8, 8)
        assert layer_states(layers)["1.1"].bits == Bits(4, 5)
    set_precision(layers, Bits(5, 5), layers="1.*")
    assert list(get_precision(layers, by_layer=True).values())[1:] == [Bits(5, 5), Bits(5, 5)]
    set_precision(layers, Bits(2, 2), layers="0")
    with pytest.raises(ValueError, match="layers have different bits"):
        get_precision(layers)


def test_a_model_whose_layers_all_have_bits_of_their_own() -> None:
    layers = nn.Sequential(nn.Conv2d(2, 3, 1), nn.Conv2d(3, 3, 1))
    prepare_(layers, Config(bits=Bits(6, 7), layer_bits={"*": [4, 5]}))
    assert get_precision(layers) == Bits(4, 5)


def test_patterns_that_name_nothing_and_bits_that_are_no_pair_are_refused() -> None:
    layer = nn.Sequential(nn.Conv2d(2, 3, 1))
    with pytest.raises(ValueError, match="no quantised layer is called 'fc'; there are: 0"):
        prepare_(layer, Config(layer_bits={"fc": (8, 8)}))
    with pytest.raises(ValueError, match="layer_bits of '0' = 8: give a pair"):
        Config(layer_bits={"0": 8})
    with pytest.raises(ValueError, match="forward bits = 17"):
        Config(layer_bits={"0": (17, 8)})
    with pytest.raises(ValueError, match="give patterns of names"):
        Config(layer_bits=[8, 8])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no quantised layer is called '7'"):
        set_precision(prepare_(layer), 4, layers="7")
