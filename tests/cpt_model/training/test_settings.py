"""Settings are checked when they are made, and survive JSON."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from cpt_model.models import NETWORKS
from cpt_model.training import Settings, SettingsError, precision_name
from cpt_model.training.precision_plan import folder_name, forward_schedule
from cpt_model.training.recipes import home_of, read_recipe, recipe_names
from host.compiler.results import Results


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"arch": "resnet_9"}, "no network 'resnet_9'"),
        ({"dataset": "svhn"}, "dataset: no 'svhn'"),
        ({"arch": "cifar10_resnet_8", "dataset": "cifar100"}, "for cifar10, not for cifar100"),
        ({"arch": "cifar100_resnet_20", "dataset": "cifar10"}, "for cifar100, not for cifar10"),
        ({"arch": "lstm_lm", "dataset": "cifar10"}, "takes text"),
        ({"dataset": "ptb"}, "takes images"),
        ({"steps": 10, "epochs": 1}, "give one of them"),
        ({"steps": 0}, "steps = 0"),
        ({"batch": 2.5}, "batch = 2.5"),
        ({"fw_bits": (8, 3)}, "the lower bound comes first"),
        ({"fw_bits": (3, 5, 8)}, "fw_bits = (3, 5, 8) has 3 values, not 2"),
        ({"fw_bits": (0, 8)}, "not a whole number in 1..16"),
        ({"fw_bits": (17,)}, "not a whole number in 0..16"),
        ({"fw_bits": (8,), "bw_bits": (0,)}, "only where all is"),
        ({"fw_bits": (8,), "schedule": "CR"}, "goes between two precisions"),
        ({"fw_bits": (3, 8), "schedule": "static"}, "static precision is one number"),
        ({"fw_bits": (3, 8), "schedule": "cosine"}, "schedule: no 'cosine'; there are: "),
        ({"fw_bits": (0,), "quantiser": "dorefa"}, "plain float32"),
        ({"fw_bits": (0,), "eval_bits": 8}, "plain float32"),
        ({"fw_bits": (0,), "bw_bits": (6,)}, "plain float32"),
        ({"quantiser": "sawb"}, "sawb"),
        ({"results": "narrow"}, "training cannot store results 'narrow'; there are: rounded, exact"),
        ({"quantiser": "wageubn", "fw_bits": (1, 8)}, "2 bits or more"),
        ({"policy": "all"}, "unknown policy"),
        ({"late_start": 1.0, "fw_bits": (3, 8)}, "late_start = 1.0 is not below 1"),
        ({"late_start": 0.5}, "no start"),
        ({"deficit": (0, 5)}, "is one number"),
        ({"deficit": (0, 5), "fw_bits": (3, 8), "schedule": "CR"}, "a schedule of its own"),
        ({"eval_bits": 20}, "eval_bits = 20"),
        ({"optimiser": "lamb"}, "optimiser: no 'lamb'; there are: sgd, adam"),
        ({"lr": 0.0}, "lr = 0.0"),
        ({"weight_decay": "1e-4"}, "weight_decay = '1e-4' is not a number"),
        ({"late_start": "half"}, "late_start = 'half' is not a number"),
        ({"momentum": None}, "momentum = None is not a number"),
        ({"lr": float("nan")}, "lr = nan"),
        ({"lr_schedule": "poly"}, "lr_schedule: no 'poly'"),
        ({"lr_milestones": (0.75, 0.5)}, "rising order"),
        ({"lr_low": 1.0}, "above lr"),
        ({"warm_up_lr": 0.01}, "without warm_up"),
        ({"swa_every": 5}, "without swa_start"),
        ({"latency": "vu9p"}, "no profile 'vu9p'"),
        ({"lr_milestones": 0.5}, "lr_milestones = 0.5 is not a list"),
        ({"lr_milestones": ["0.5"]}, "lr_milestones.0 = '0.5' is not a number"),
        ({"arch": ["x"]}, "arch = ['x'] is not a text"),
        ({"batch": None}, "batch = None is not a whole number"),
        ({"augment": "false"}, "augment = 'false' is neither true nor false"),
        ({"seed": True}, "seed = True is not a whole number"),
        ({"deficit": 3}, "deficit = 3 is not a list"),
        ({"schedule": {}}, "schedule = {} is not a text"),
        ({"latency": 3}, "latency = 3 is not a text"),
        ({"threads": 100_000}, "threads = 100000 is not 1,024 or less"),
        ({"weight_decay": 1e300}, "weight_decay = 1e+300 is not 1,000,000 or less"),
        ({"steps": 10**20}, "steps = 100000000000000000000 is not 1,000,000,000 or less"),
        ({"folder": ""}, "folder = '' is empty"),
    ],
)
def test_what_cannot_be_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Settings(**values)


def test_settings_survive_json() -> None:
    run = Settings(fw_bits=(3, 8), deficit=(5, 7), lr_milestones=(0.3,), swa_start=4, threads=2)
    assert Settings.from_dict(json.loads(json.dumps(run.to_dict()))) == run


def test_settings_saved_before_there_was_a_choice_of_results_are_exact_ones() -> None:
    old = {name: value for name, value in Settings().to_dict().items() if name != "results"}
    assert Settings.saved(old, "") == Settings(results=Results.EXACT)
    assert Settings.saved(Settings().to_dict(), "") == Settings()


def test_float32_is_the_same_run_whatever_its_results() -> None:
    runs = [Settings(fw_bits=(0,), results=each) for each in (Results.ROUNDED, Results.EXACT)]
    assert runs[0] == runs[1]
    assert folder_name(runs[0]) == "cifar10_resnet_20_float32_seed0"


def test_an_unknown_setting_is_named() -> None:
    with pytest.raises(SettingsError, match="'bits'"):
        Settings.from_dict({"bits": 8})


def test_equal_bounds_are_static() -> None:
    run = Settings(fw_bits=(8, 8), bw_bits=(8, 8))
    assert precision_name(run) == "8/8"
    assert set(forward_schedule(run).bits(range(100), 100).tolist()) == {8}


def test_late_start_begins_low_and_a_deficit_dips() -> None:
    late = forward_schedule(Settings(fw_bits=(3, 8), cycles=2, late_start=0.5))
    assert late.bits(range(100), 100).tolist()[:50] == [3] * 50
    assert late.bits(99, 100) == 8
    dip = forward_schedule(Settings(fw_bits=(3, 8), deficit=(10, 5)))
    assert [int(dip.bits(step, 100)) for step in (9, 10, 14, 15)] == [8, 3, 3, 8]


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_is_a_run(name: str) -> None:
    run = Settings.from_dict(read_recipe(name))
    forward_schedule(run).bits(0, run.steps or 64_000)


def test_every_network_has_a_home() -> None:
    for name in NETWORKS:
        dataset, recipe = home_of(name)
        Settings.from_dict(read_recipe(recipe) | {"arch": name, "dataset": dataset})


def test_bits_of_layers_are_kept_as_they_were_given() -> None:
    run = Settings(fw_bits=(3, 8), layer_bits={"conv1": [8, 8]})
    assert Settings.from_dict(json.loads(json.dumps(run.to_dict()))) == run
    assert run.differences(Settings(fw_bits=(3, 8))) == ["layer_bits"]
    with pytest.raises(ValueError, match="layer_bits of 'conv1' = 8: give a pair"):
        Settings(layer_bits={"conv1": 8})
    with pytest.raises(SettingsError, match=r"layer_bits .* with fw_bits 0"):
        Settings(fw_bits=(0,), layer_bits={"conv1": [8, 8]})
