"""The CPT authors' flags mean what theirs mean, or a line says what differs."""

from __future__ import annotations

import json

import pytest

from scripts.cli import main

CYCLIC = "--is_cyclic_precision --cyclic_num_bits_schedule 3 8 --cyclic_num_grad_bits_schedule 8 8"
FULL = f"{CYCLIC} --num_cyclic_period 32"
NORMALISED = "pixels are normalised by"
LINES = [
    (f"--arch cifar10_resnet_20 {FULL}", [NORMALISED]),
    (f"--arch cifar10_resnet_20 {CYCLIC}", ["--num_cyclic_period is not given: in the authors' code it is 1, here 32",
                                            NORMALISED]),
    ("--arch cifar10_resnet_20 --save_folder logs", ["no flag of the precision is given: ", NORMALISED]),
    (f"--arch cifar100_resnet_74 {FULL} --iters 1000", ["the rate drops after 50 %, 75 % of the run, in the authors' "
                                                      "code at steps 32,000 and 48,000", NORMALISED]),
    (f"--arch cifar100_resnet_74 {FULL} --iters 1000 --lr_schedule linear", [NORMALISED]),
    (f"--arch resnet34 {FULL}", []),
    (f"--arch resnet34 {FULL} --warm_up --epoch 90", ["--warm_up has no effect on ImageNet",
                                                      "the rate drops after 25 %, 50 %, 75 % of the run, in the "
                                                      "authors' code every 30 epochs"]),
    ("--arch cifar10_resnet_20 --fw-bits 3 8 --steps 1000", []),  # not a line of theirs
]  # fmt: skip


@pytest.mark.parametrize(("line", "notes"), LINES, ids=[line for line, _ in LINES])
def test_differences_are_lines(line: str, notes: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", *line.split(), "--dry-run"]) == 0
    printed = capsys.readouterr().err.splitlines()
    assert len(printed) == len(notes)
    for note, expected in zip(printed, notes, strict=True):
        assert note.startswith(f"cpt: {expected}")


@pytest.mark.parametrize(("arch", "steps"), [("cifar10_resnet_110", 400), ("resnet18", 0)])
def test_their_warm_up_is_for_cifar_alone(arch: str, steps: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--arch", arch, *FULL.split(), "--warm_up", "--dry-run"]) == 0
    assert json.loads(capsys.readouterr().out)["warm_up"] == steps
