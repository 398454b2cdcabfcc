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
from scripts.cli import main
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
        (
            {"arch": "resnet18", "dataset": "imagenet"},
            "'resnet18' does not run as whole iterations; what does: DATA_resnet_N",
        ),
        ({"arch": "transformer_lm", "dataset": "text"}, "'transformer_lm' does not run as whole iterations"),
        ({"arch": "lstm_lm", "dataset": "text"}, "'lstm_lm' does not run as whole iterations"),
        ({"widths": "z5"}, "widths: no 'z5'; there are: usual, z4"),
        ({"widths": "z4", "step": "float"}, "widths = z4 with step float"),
    ],
)
def test_settings_that_cannot_be(changes, problem):
    with pytest.raises(SettingsError, match=problem):
        Settings(**({"step": "integer"} | changes))


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        ("--arch resnet18", "'resnet18' does not run as whole iterations"),
        ("--arch transformer_lm", "'transformer_lm' does not run as whole iterations"),
        ("--recipe digits --fw-bits 12", "forward bits = 12: whole iterations run at 2..9"),
        ("--recipe digits --quantiser dorefa", "quantiser = dorefa with step integer"),
    ],
)
def test_a_bad_command_gives_one_line_and_writes_nothing(flags, problem, tmp_path, capsys):
    assert main(["train", "--step", "integer", *flags.split(), "--out", str(tmp_path / "run")]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1
    assert problem in said[0]
    assert not (tmp_path / "run").exists()


def stack(stride: int = 1) -> torch.nn.Sequential:
    unit = (torch.nn.Conv2d(3, 4, 3, stride, 1, bias=False), torch.nn.BatchNorm2d(4), torch.nn.ReLU())
    return torch.nn.Sequential(*unit, torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(4, 2))


@pytest.mark.parametrize(
    ("model", "size", "batch", "options", "problem"),
    [
        (stack(2), 2, 1, {}, "'0': 1 result a channel with batch 1: batch normalisation needs at least 2"),
        (
            stack(),
            32,
            1025,
            {},
            "'0': 1,049,600 results a channel with batch 1025: at most 1,048,576 fit, of batch 1024",
        ),
        (stack(), 8, 4, {"limit": 10_000}, "bytes in one piece, 10,000 are available"),
        (torch.nn.Linear(3, 2), 8, 4, {}, "'Linear' does not run as whole iterations"),
    ],
    ids=["batch too small", "batch too large", "memory too small", "another module"],
)
def test_networks_that_cannot_be(model, size, batch, options, problem):
    with pytest.raises(ValueError, match=problem) as found:
        IntegerNetwork(model, (3, size, size), batch, **options)
    assert "\n" not in str(found.value)
