"""Products of prepared layers through executors of the accelerator, compared as they happen."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from cpt_model import Bits, Config, emulate, prepare_, set_precision
from cpt_model.emulation import EmulationError
from cpt_model.models import CifarResNet
from host.compiler.layer import Pass
from host.compiler.lower import lower
from host.compiler.program import Program
from sim.contract import Build, Command, Format, Memory, Outcome
from sim.reference import Reference
from tests.cpt_model.layer_tools import trained_step


class Language(nn.Module):
    """Recurrent and attention layers in one model."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(6, 4, bidirectional=True)
        self.attention = nn.MultiheadAttention(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        y, _ = self.lstm(x)
        return self.attention(y, y, y)[0]


@pytest.mark.parametrize("device", ["reference", "hls"])
@pytest.mark.parametrize("bits", [Bits(8, 8), Bits(3, 6)])
def test_a_training_step_of_a_resnet_runs_on_the_accelerator(device: str, bits: Bits) -> None:
    torch.manual_seed(0)
    model = prepare_(CifarResNet(8), Config(bits=bits, results="exact"))
    plain = prepare_(CifarResNet(8), Config(bits=bits, results="exact"))
    plain.load_state_dict(model.state_dict())
    images, labels = torch.randn(2, 3, 32, 32), torch.tensor([1, 2])
    with emulate(model, device) as report:
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
    passes = Counter(check.which for check in report.checks)
    assert passes == {Pass.FORWARD: 9, Pass.INPUT_ERROR: 8, Pass.WEIGHT_GRADIENT: 9}
    widths = {(check.a_bits, check.b_bits) for check in report.checks if check.which is Pass.INPUT_ERROR}
    assert widths == {(bits.backward, bits.forward)}
    nn.functional.cross_entropy(plain(images), labels).backward()
    for one, other in zip(model.parameters(), plain.parameters(), strict=True):
        assert one.grad is not None
        assert other.grad is not None
        assert torch.equal(one.grad, other.grad)
    assert "conv1" in str(report)


@pytest.mark.parametrize("device", ["reference", "hls"])
@pytest.mark.parametrize("width", [3, 8])
@pytest.mark.parametrize("build", ["tiny", "zc706"])
def test_rounded_results_are_the_commands_own(device: str, width: int, build: str) -> None:
    """On the tiny build rows of 32 pixels are words, as 11 planes of them do not fit; on the other they are planes."""
    torch.manual_seed(0)
    layers = (
        nn.Conv2d(3, 20, 3, 1, 1),
        nn.ReLU(),
        nn.Conv2d(20, 20, 3, 2, 1, groups=4),
        nn.Flatten(),
        nn.Linear(1600, 7),
    )
    config = Config(policy="none", bits=Bits(width, 8), results="rounded")
    alone = prepare_(nn.Sequential(*copy.deepcopy(layers)), config)
    model = prepare_(nn.Sequential(*layers), config)
    x = torch.randn(2, 3, 10, 32)
    commands: list[Command] = []

    def recorded(*arguments: Any, **how: Any) -> Program:
        program = lower(*arguments, **how)
        commands.extend(program.commands)
        return program

    with patch("host.driver.execute.lower", recorded), emulate(model, device, build=build) as report:
        y, error = trained_step(model, x)
    expected = trained_step(alone, x)
    assert torch.equal(y, expected[0])
    assert torch.equal(error, expected[1])
    assert {check.which for check in report.checks} == set(Pass)
    assert {each.out_bits for each in commands} == {3: {0, 11, 13, 14}, 8: {0, 16}}[width]
    assert any(each.out_format == Format.PLANES for each in commands) == (build == "zc706" and width == 3)


@pytest.mark.parametrize("results", ["exact", "rounded"])
def test_recurrent_and_attention_products_run_on_it_too(results: str) -> None:
    torch.manual_seed(1)
    model = prepare_(Language(), Config(policy="none", bits=Bits(4, 8), results=results))
    with emulate(model, "reference", build="tiny") as report:
        model(torch.randn(3, 2, 6)).square().mean().backward()
    assert {check.layer for check in report.checks} == {"lstm", "attention"}


def test_only_chosen_layers_and_only_inside_the_context() -> None:
    model = prepare_(nn.Sequential(nn.Conv2d(3, 4, 3), nn.Conv2d(4, 4, 3)))
    x = torch.randn(1, 3, 6, 6)
    with emulate(model, "reference", layers=["1"]) as report:
        model(x)
    model(x)
    assert [check.layer for check in report.checks] == ["1"]


class Wrong(Reference):
    """An accelerator that gets one result wrong."""

    def run(
        self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
    ) -> Outcome:
        before = memory.copy()
        outcome = super().run(memory, list_offset, list_bytes, mem_base, mem_bytes)
        memory[np.flatnonzero(memory != before)[:1]] ^= 1  # none after the empty list that opens the device
        return outcome


def test_a_difference_is_an_error_that_says_where() -> None:
    layer = prepare_(nn.Linear(16, 16))
    set_precision(layer, Bits(4, 4))
    with (
        pytest.raises(EmulationError, match=r"Linear, forward pass, 4x4 bits: \d+ of 32 .* first at \("),
        emulate(layer, Wrong(Build.named("tiny"))),
    ):
        layer(torch.rand(2, 16))
    layer(torch.rand(2, 16))  # no longer watched


def test_unknown_names_are_refused_with_what_there_is() -> None:
    layer = prepare_(nn.Sequential(nn.Conv2d(1, 1, 1)))
    with pytest.raises(ValueError, match="no prepared layer 'x'; there are: 0"), emulate(layer, "reference", ["x"]):
        pass
    with pytest.raises(ValueError, match="unknown device 'fpga'"), emulate(layer, "fpga"):
        pass
