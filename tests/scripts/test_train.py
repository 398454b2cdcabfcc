"""`cpt train` as a user runs it: the authors' command lines, the short forms, and what is refused."""

from __future__ import annotations

import json
import os
import pickle
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from cpt_model.training import read_metrics
from scripts.cli import main
from tests.tools import refusal

DIGITS = [
    *("train", "--recipe", "digits", "--steps", "4", "--batch", "8", "--limit", "80"),
    *("--test-limit", "20", "--cycles", "1", "--no-tensorboard"),
]


@contextmanager
def ended_after(step: int, within: Path, seconds: float = 180) -> Iterator[None]:
    """Sends this process SIGTERM, as `kill` does, once a run below the folder has logged that step."""
    done = threading.Event()

    def look() -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and not done.wait(0.02):
            if any(
                line["step"] >= step for file in within.rglob("metrics.jsonl") for line in read_metrics(file.parent)
            ):
                os.kill(os.getpid(), signal.SIGTERM)
                return

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join(seconds)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """As all tests of cpt_model have it: threads that wait for each other spin."""
    torch.set_num_threads(1)


def cifar100(folder: Path) -> None:
    """Eight training and four test images in the authors' archive's form."""
    generator = np.random.default_rng(0)
    (folder / "cifar-100-python").mkdir(parents=True)
    for name, count in (("train", 8), ("test", 4)):
        pixels = generator.integers(0, 256, (count, 3072), dtype=np.uint8)
        content = {b"data": pixels, b"fine_labels": list(range(count))}
        (folder / "cifar-100-python" / name).write_bytes(pickle.dumps(content))


def imagenet(folder: Path) -> None:
    """Two classes of one small picture each."""
    generator = np.random.default_rng(0)
    for part in ("train", "val"):
        for name in ("n01440764", "n01443537"):
            (folder / part / name).mkdir(parents=True)
            pixels = generator.integers(0, 256, (40, 50, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(folder / part / name / "picture.JPEG")


def test_the_authors_cifar_line_runs_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    cifar100(tmp_path / "path-to-cifar100")
    line = (
        "--save_folder ./logs --arch cifar100_resnet_74 --workers 4 --dataset cifar100 --datadir path-to-cifar100 "
        "--is_cyclic_precision --cyclic_num_bits_schedule 3 8 --cyclic_num_grad_bits_schedule 8 8 "
        "--num_cyclic_period 32"
    )
    with ended_after(1, tmp_path):
        assert main(["train", *line.split()]) == 143
    assert "stopped after step" in capsys.readouterr().err
    (folder,) = (tmp_path / "logs").iterdir()
    settings = json.loads((folder / "settings.json").read_text())
    assert settings["fw_bits"] == [3, 8]
    assert settings["bw_bits"] == [8]
    assert (settings["cycles"], settings["steps"], settings["lr"], settings["batch"]) == (32, 64_000, 0.1, 128)
    assert torch.load(folder / "last.pt", weights_only=True)["batch"] == 8  # all there is


@pytest.mark.slow
def test_the_authors_imagenet_line_runs_as_printed_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    imagenet(tmp_path / "PATH_TO_IMAGENET")
    line = (
        "--save_folder ./logs --arch resnet34 --warm_up --datadir PATH_TO_IMAGENET --is_cyclic_precision "
        "--cyclic_num_bits_schedule 3 8 --cyclic_num_grad_bits_schedule 8 8 --num_cyclic_period 32 --automatic_resume"
    )
    steps = []
    for step in (1, 2):
        with ended_after(step, tmp_path):
            assert main(["train", *line.split()]) == 143
        (folder,) = (tmp_path / "logs").iterdir()
        saved = torch.load(folder / "last.pt", weights_only=True)
        steps.append(saved["step"])
    assert steps[0] < steps[1] < saved["total"] == 120
    assert saved["optimizer"]["param_groups"][0]["lr"] == 0.1  # their ImageNet code has no warm-up


def test_the_short_forms_train_and_print_a_summary(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run = [*DIGITS, "--out", str(tmp_path), "--fw-bits", "3", "6", "--bw-bits", "6", "--schedule", "RR", "--seed", "2"]
    assert main(run) == 0
    printed = capsys.readouterr().out
    assert "digits_resnet_8 on digits, 3-6/6 RR x1, seed 2, 4 steps of 8" in printed
    assert "at 3/6 bits" not in printed
    assert "GBitOPs" in printed
    assert " ms on the board 'paper'" in printed or " s on the board 'paper'" in printed
    assert main(["train", "--cmd", "test", "--resume", str(tmp_path / "best.pt"), "--eval-bits", "4"]) == 0
    assert "4/6 bits: test accuracy" in capsys.readouterr().out


def dry(capsys: pytest.CaptureFixture[str], *flags: str) -> dict:
    assert main(["train", *flags, "--dry-run"]) == 0
    found: dict = json.loads(capsys.readouterr().out)
    return found


def test_flags_override_the_recipe(capsys: pytest.CaptureFixture[str]) -> None:
    found = dry(capsys, "--recipe", "better-schedules-cifar10", "--fw-bits", "8", "--epochs", "3", "--lr", "0.2")
    assert (found["fw_bits"], found["schedule"], found["steps"], found["epochs"]) == ([8], None, None, 3)
    assert (found["lr"], found["batch"]) == (0.2, 128)
    assert dry(capsys, "--fw-bits", "0")["folder"].endswith("cifar10_resnet_74_float32_seed0")


def test_the_network_chooses_the_recipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert dry(capsys, "--arch", "cifar100_mobilenet_v2")["lr"] == 0.03
    assert dry(capsys, "--dataset", "cifar100")["arch"] == "cifar100_resnet_74"
    assert dry(capsys, "--dataset", "text")["arch"] == "transformer_lm_small"
    found = dry(capsys, "--arch", "resnet50")
    assert (found["dataset"], found["epochs"], found["batch"]) == ("imagenet", 120, 256)


def test_the_authors_static_flags(capsys: pytest.CaptureFixture[str]) -> None:
    found = dry(
        capsys,
        *["--num_bits", "6", "--num_grad_bits", "8", "--iters", "100", "--batch_size", "64", "--swa_start", "50.0"],
    )
    assert (found["fw_bits"], found["bw_bits"], found["steps"], found["batch"]) == ([6], [8], 100, 64)
    assert found["swa_start"] == 50


def test_a_recipe_of_ones_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("arch: digits_resnet_8\ndataset: digits\nsteps: 7\nfw_bits: 4\nfolder: there\n")
    own = ["--recipe", str(tmp_path / "mine.yaml")]
    found = dry(capsys, *own)
    assert (found["steps"], found["fw_bits"], found["folder"]) == (7, [4], "there")
    assert dry(capsys, *own, "--out", "here")["folder"] == "here"
    assert dry(capsys, *own, "--save_folder", "logs")["folder"].startswith("logs/")


def test_recipes_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--recipes"]) == 0
    assert "cpt-imagenet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--fw-bits 3 8 --cyclic_num_bits_schedule 3 8 --is_cyclic_precision", "they mean the same"),
        ("--cyclic_num_bits_schedule 3 8", "without --is_cyclic_precision"),
        ("--is_cyclic_precision", "needs its bounds"),
        ("--is_cyclic_precision --cyclic_num_bits_schedule 3", "takes two bounds"),
        ("--is_cyclic_precision --num_bits 8 --num_grad_bits 8", "either cyclic or static"),
        ("--num_bits 8", "give the gradients' width too"),
        ("--fw-bits 8 --cycles 4", "one precision has no cycles"),
        ("--fw-bits 8 --schedule CR", "goes between two precisions"),
        ("--fw-bits 0 --quantiser dorefa", "plain float32"),
        ("--results int16", "training cannot store results 'int16'; there are: rounded, exact"),
        ("--fw-bits 0 --bw-bits 4", "plain float32"),
        ("--steps 5 --epochs 5", "--steps and --epochs are both given"),
        ("--warm_up --warm-up-steps 5", "--warm_up and --warm-up-steps"),
        ("--out a --save_folder b", "--out and --save_folder"),
        ("--overwrite --automatic_resume", "--overwrite and --automatic_resume"),
        ("--resume x --automatic_resume", "--resume and --automatic_resume"),
        ("--resume missing.pt --recipe digits", "missing.pt: there is no such checkpoint"),
        ("--start_iter 500", "a checkpoint has its step"),
        ("--pretrained", "no pretrained weights"),
        ("--cmd test", "--resume FILE"),
        ("--recipe nothing", "no recipe 'nothing'"),
        ("--arch cifar10_resnet_9", "no network 'cifar10_resnet_9'"),
        ("--recipe digits --dataset cifar10", "a network for digits"),
        ("--recipe digits --datadir x --cycles 0", "--cycles/--num_cyclic_period: must be 1 or more, not 0"),
        ("--recipe digits --batch 5000", "has only"),
    ],
)
def test_a_contradiction_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in refusal(capsys, "train", *flags.split())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["steps: [", "just words", "stpes: 5\n"])
def test_a_recipe_with_mistakes_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.yaml").write_text(text)
    assert "bad.yaml" in refusal(capsys, "train", "--recipe", str(tmp_path / "bad.yaml"))


def test_a_folder_that_cannot_be_made_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert str(tmp_path / "file" / "run") in refusal(capsys, *DIGITS, "--out", str(tmp_path / "file" / "run"))


def test_layers_may_have_bits_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From the command line and from YAML; the cost follows."""
    own = ["--layer-bits", "conv1=8/8", "layer1.*=2/8"]
    found = dry(capsys, "--recipe", "digits", *own)
    assert found["layer_bits"] == {"conv1": [8, 8], "layer1.*": [2, 8]}
    recipe = tmp_path / "own.yaml"
    recipe.write_text("arch: digits_resnet_8\ndataset: digits\nfw_bits: [3, 8]\nlayer_bits: {conv1: [8, 8]}\n")
    assert dry(capsys, "--recipe", str(recipe))["layer_bits"] == {"conv1": [8, 8]}
    costs = []
    for number, more in enumerate(([], own)):
        assert main([*DIGITS, "--out", str(tmp_path / str(number)), *more]) == 0
        costs.append(json.loads((tmp_path / str(number) / "summary.json").read_text())["gbitops"])
    assert costs[1] < costs[0]
    assert refusal(capsys, "train", "--recipe", "digits", "--layer-bits", "conv1=8") == (
        "cpt: --layer-bits 'conv1=8' is not PATTERN=FW/BW, as in 'layer3.*=4/8'"
    )
