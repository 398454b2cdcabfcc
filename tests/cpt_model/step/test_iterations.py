"""Whole iterations, precision cycling 3-8: as command lists on the reference and on PyTorch's tensors, compared after
every command: each stored tensor, block and word.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from cpt_model.step.machine import BIND, TensorDevice, TensorMachine, planes_of
from host.compiler.bits import Bits
from host.compiler.command_list import CommandList
from host.compiler.plan import Plan
from host.compiler.step.networks import named, plain
from host.compiler.step.widths import ABLATIONS
from host.driver.integer_step import IntegerStep, random_parameters
from sim.contract import CLASSES, Build, Encoded, Error, Opcode, Tensor, operands
from sim.contract.tensors import PLANE_WORD
from sim.reference import Reference
from tests.cpt_model.step.digest import BATCH, batches, digest, trained
from tests.cpt_model.step.tools import native, pack, planes_written

NETWORK, ITERATIONS = "cifar10_resnet_8", 10


def contents(command: Encoded, memory: np.ndarray) -> bytes:
    """All that a command wrote."""
    return b"".join(
        place.read(memory).tobytes() if isinstance(place, Tensor) else memory[place.address : place.end].tobytes()
        for place in operands(command).results.values()
    )


class Recorder(Reference):
    """Keeps what every command wrote."""

    def __init__(self) -> None:
        super().__init__(Build.named("zc706"))
        self.kept: list[bytes] = []

    def step(self, data: bytes, memory, mem_bytes: int, list_range: tuple[int, int]) -> Error:
        error = super().step(data, memory, mem_bytes, list_range)
        self.kept.append(contents(CLASSES[data[0]].decode(data), memory))
        return error


class Compared(TensorMachine):
    """Compares what every command writes with what was kept, as soon as it has; may flip a bit before that."""

    def __init__(self, build: Build, size: int, wanted: list[bytes], flipped: int | None) -> None:
        super().__init__(build, size)
        self.wanted, self.flipped, self.number = wanted, flipped, 0

    def run(self, commands: CommandList, what: str = "", meanwhile: Callable[[], object] | None = None) -> None:
        if meanwhile is not None:
            meanwhile()
        self.take_inputs(self.hold_inputs())
        self._tensors.expect(place for command in commands.commands for place in planes_of(command))
        for command in commands.commands:
            BIND[Opcode(command.opcode)](command, self._tensors)()
            if self.number == self.flipped:
                flip(self, command)
            for place, signed in planes_written(command):
                pack(self, self.memory, place, signed)
            if contents(command, self.memory) != self.wanted[self.number]:
                name = Opcode(command.opcode).name
                raise AssertionError(f"command {self.number} ({name}) of the {what} differs: {command}")
            self.number += 1


def flip(machine: TensorMachine, command: Encoded) -> None:
    """The lowest bit of the first element that the command stored."""
    place = next(iter(operands(command).results.values()))
    if isinstance(place, Tensor) and place.dtype == PLANE_WORD:
        place, signed = planes_written(command)[0]
        machine.codes(place, bool(signed)).view(-1)[0] ^= 1
    else:
        machine.memory[place.address + (0 if isinstance(place, Tensor) else 64)] ^= 1


class ComparedDevice(TensorDevice):
    def __init__(self, wanted: list[bytes], flipped: int | None = None) -> None:
        super().__init__()
        self.wanted, self.flipped = wanted, flipped

    def machine(self, plan: Plan) -> Compared:
        return Compared(self.build, plan.bytes, self.wanted, self.flipped)


@pytest.fixture(scope="module")
def reference() -> tuple:
    """What every command wrote, and what the run ended with."""
    recorder = Recorder()
    return recorder.kept, trained(recorder, ITERATIONS, NETWORK)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command_by_command", "on", "threads"),
    [(True, True, 2), (True, False, 1), (False, True, 1), (False, True, 2), (False, False, 2)],
)
def test_all_is_as_on_the_reference(reference, command_by_command, on, threads):
    kept, (losses, state, logits) = reference
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with native(on):
            found = trained(ComparedDevice(kept) if command_by_command else TensorDevice(), ITERATIONS, NETWORK)
    finally:
        torch.set_num_threads(before)
    assert found[0] == losses
    assert found[1].keys() == state.keys()
    assert [name for name in state if not np.array_equal(found[1][name], state[name])] == []
    assert np.array_equal(found[2], logits)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "digits_resnet_11_bottleneck", "digits_mobilenet_v2"])
def test_other_networks(name):
    """Channels that do not fill blocks, bottlenecks, groups."""
    network = plain(name, (3, 9, 9), (24, 40), (1, 2), 10) if name == "plain" else named(name)
    states = []
    for device in (Reference(Build.named("zc706")), TensorDevice()):
        step = IntegerStep(network, BATCH, device, random_parameters(network, seed=0))
        for images, labels, bits in batches(network.image, 2):
            step.train(images, labels, bits, lr=0.1)
        states.append(step.state())
    assert [each for each in states[0] if not np.array_equal(states[0][each], states[1][each])] == []


@pytest.mark.slow
@pytest.mark.parametrize("widths", [name for name in ABLATIONS if name != "usual"])
def test_other_widths(widths):
    """As on the reference, and not as with the usual ones."""
    network, states = named("digits_resnet_8"), []
    devices: list[Reference | TensorDevice] = [Reference(Build.named("zc706")), TensorDevice(), TensorDevice()]
    for device, name in zip(devices, (widths, widths, "usual"), strict=True):
        step = IntegerStep(network, BATCH, device, random_parameters(network, seed=0), widths=ABLATIONS[name])
        for images, labels, bits in batches(network.image, 2):
            step.train(images, labels, bits, lr=0.1)
        states.append(step.state())
    assert [each for each in states[0] if not np.array_equal(states[0][each], states[1][each])] == []
    assert not np.array_equal(states[1]["conv1.weight"], states[2]["conv1.weight"])


@pytest.mark.slow
@pytest.mark.parametrize("opcode", Opcode)
def test_one_bit_is_noticed(reference, opcode):
    network = named(NETWORK)
    step = IntegerStep(network, BATCH, TensorDevice(), random_parameters(network, seed=0))
    lists = step.lists(Bits(3, 8))
    commands = [*lists.forward.commands, *lists.backward.commands]
    number = next(number for number, command in enumerate(commands) if command.opcode == opcode)
    with pytest.raises(AssertionError, match=rf"command {number} \({opcode.name}\)"):
        trained(ComparedDevice(reference[0], flipped=number), 1, NETWORK)


@pytest.mark.slow
@pytest.mark.parametrize("native_kernels", ["0", "1"])
def test_other_vector_instructions_of_pytorch(native_kernels):
    program = Path(__file__).with_name("digest.py")
    environment = os.environ | {"ATEN_CPU_CAPABILITY": "avx2", "CPT_NATIVE": native_kernels}
    found = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == digest()
