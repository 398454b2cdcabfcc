"""Runs in whole integer steps: what they leave, that they go on bit for bit, what they refuse."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from cpt_model.models import CifarResNet
from cpt_model.step import IntegerNetwork
from cpt_model.training import Settings, load_run, read_metrics, train
from cpt_model.training.checkpoint import load_checkpoint
from cpt_model.training.settings import SettingsError
from tests.cpt_model.training.run_tools import assert_equal, tiny
from tests.cpt_model.training.test_train import stopped


def integer(folder: Path, **changes) -> Settings:
    return tiny(folder, step="integer", **changes)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    train(integer(folder), progress=False)
    return folder


def test_a_run_leaves_its_metrics(whole):
    lines = [line for line in read_metrics(whole) if "loss" in line]
    assert [line["fw_bits"] for line in lines] == [3, 3, 4, 6, 7, 8] * 2
    assert all(line["loss"] > 0 for line in lines)


def test_a_stopped_run_goes_on_bit_for_bit_on_other_threads(whole, tmp_path):
    stopped(integer(tmp_path), 5)
    train(integer(tmp_path, threads=2), resume=True, progress=False)
    one, two = (load_checkpoint(folder / "last.pt") for folder in (whole, tmp_path))
    assert_equal(one["model"], two["model"])
    assert one["window"] == two["window"]


def test_a_saved_run_is_evaluated_and_exported(whole):
    loaded = load_run(whole)
    tests = [line for line in read_metrics(whole) if "test_accuracy" in line]
    assert loaded.evaluate().score == tests[-1]["test_accuracy"]
    assert isinstance(loaded.model, IntegerNetwork)
    floats = CifarResNet(8, channels=1)
    loaded.model.export(floats)
    x, _ = next(iter(loaded.task.tests()))
    ours, theirs = loaded.model(x), floats.eval()(x)
    assert torch.nn.functional.cosine_similarity(ours.flatten(), theirs.double().flatten(), dim=0) > 0.99


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"step": "fixed"}, "step: no 'fixed'; there are: float, integer"),
        ({"quantiser": "dorefa"}, "quantiser = dorefa with step integer"),
        ({"optimiser": "adam"}, "optimiser = adam with step integer"),
        ({"fw_bits": (12,), "cycles": 32}, "forward bits = 12"),
        ({"fw_bits": (0,), "bw_bits": (8,)}, "forward bits = 0"),
        ({"eval_bits": 0}, "forward bits = 0"),
        ({"bw_bits": (1, 8)}, "backward bits = 1"),
        ({"widths": "z5"}, "widths: no 'z5'; there are: usual, z4"),
        ({"widths": "z4", "step": "float"}, "widths = z4 with step float"),
    ],
)
def test_settings_that_cannot_be(changes, problem):
    with pytest.raises(SettingsError, match=problem):
        Settings(**({"step": "integer"} | changes))
