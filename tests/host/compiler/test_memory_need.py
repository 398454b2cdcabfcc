"""The need of a network's passes, against sizes added up by hand, and the command that prints it."""

from __future__ import annotations

import pytest

from host.compiler.bits import Bits
from host.compiler.layer import Pass
from host.compiler.memory_need import MIB, boot_option, largest_pass, main, pass_need
from host.compiler.networks import cifar_resnet
from host.compiler.results import Results
from tests.tools import ZC706

BATCH = 8
PIXELS = BATCH * 32 * 32
LAYERS = cifar_resnet(8, BATCH)
COMMAND = 128
WEIGHTS = 16 * 3 * 64  # 16 output channels of 3 · 3 words a plane, 8 planes: 144 bytes, on 64


def need(which: Pass, results: Results = Results.ROUNDED) -> int:
    return pass_need("layer1.0.conv1", LAYERS["layer1.0.conv1"], which, Bits(8, 6), ZC706, results).bytes


def test_a_pass_needs_its_operands_results_sums_and_command() -> None:
    assert need(Pass.FORWARD) == PIXELS * 16 + WEIGHTS + PIXELS * 16 * 2 + PIXELS * 4 + COMMAND
    assert need(Pass.FORWARD, Results.EXACT) == PIXELS * 16 + WEIGHTS + PIXELS * 16 * 4 + COMMAND
    assert need(Pass.INPUT_ERROR) == PIXELS * 12 + WEIGHTS + PIXELS * 16 * 2 + PIXELS * 4 + COMMAND
    gradient = 16 * 16 * 9 * 4
    assert need(Pass.WEIGHT_GRADIENT) == PIXELS * 16 + PIXELS * 12 + gradient + COMMAND


def test_the_largest_pass_is_the_largest() -> None:
    asked = Bits(8, 8), ZC706, Results.ROUNDED
    needs = [pass_need(name, layer, which, *asked) for name, layer in LAYERS.items() for which in Pass]
    assert largest_pass(LAYERS, *asked).bytes == max(need.bytes for need in needs)


@pytest.mark.parametrize(("need", "wanted"), [(0, 64), (16 * MIB, 96), (16 * MIB + 1, 128), (100 * MIB, 288)])
def test_the_pool_holds_two_regions_and_a_reserve(need: int, wanted: int) -> None:
    assert boot_option(need) == wanted * MIB


def test_the_command_prints_the_boot_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--arch", "cifar10_resnet_8", "--batch", "8"]) == 0
    printed = capsys.readouterr().out
    assert "429,184 bytes in one piece" in printed
    assert "cma=96M" in printed
    assert "smaller batch" not in printed


def test_more_than_the_kernel_can_give_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--arch", "cifar10_resnet_8", "--batch", "4096", "--exact"]) == 0
    assert "use a smaller batch" in capsys.readouterr().out


def test_a_network_that_does_not_exist_is_refused_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--arch", "cifar10_resnet_9"]) == 2
    assert capsys.readouterr().err == "memory_need: a CIFAR ResNet is 6n + 2 layers deep (8, 14, 20, ...), not 9\n"


def test_a_depth_is_the_old_spelling_of_a_network(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--depth", "20"], ["--arch", "cifar10_resnet_20"]):
        assert main([*arguments, "--batch", "8"]) == 0
    first, second = capsys.readouterr().out.split("largest")[1:]
    assert first == second
