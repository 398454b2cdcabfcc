"""A device's settings next to those of `cpt train`: same names, same defaults, same refusals."""

from __future__ import annotations

import pytest
import yaml

from cpt_model.training import Settings as FullSettings
from host.training.recipe_names import FOLDER, read_plain, recipe_names
from host.training.settings import ELSEWHERE, ONE, Settings


def test_names_and_defaults_are_those_of_cpt_train() -> None:
    full = FullSettings.model_fields
    assert Settings.names() | ELSEWHERE | set(ONE) == set(full)
    for name in Settings.names():
        assert getattr(Settings(), name) == full[name].default, name
    for name, value in ONE.items():
        assert name == "step" or str(full[name].default) == str(value), name


@pytest.mark.parametrize("name", recipe_names())
def test_recipes_are_read_without_a_yaml_parser(name: str) -> None:
    assert read_plain(name) == yaml.safe_load((FOLDER / f"{name}.yaml").read_text())


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"optimiser": "adam"}, "optimiser = adam: on a device it is sgd"),
        ({"nonsense": 1}, "'nonsense' is unknown"),
        ({"batch": 0}, "batch = 0 is not a whole number of 1 or more"),
        ({"fw_bits": [8, 3]}, "fw_bits"),
        ({"fw_bits": [1]}, "whole iterations run at 2..9"),
        ({"dataset": "cifar100"}, "a network for cifar10"),
        ({"arch": "resnet18"}, "does not run as whole iterations"),
        ({"steps": 1, "epochs": 1}, "give one of them"),
        ({"schedule": "cpt"}, "a schedule goes between two precisions"),
        ({"lr_low": 1.0}, "above lr"),
        ({"lr": -1}, "lr = -1 is not a number of 0 or more"),
        ({"lr_schedule": "x"}, "no 'x'; there are"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(values: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said) as refused:
        Settings.from_dict(values)
    assert "\n" not in str(refused.value)
