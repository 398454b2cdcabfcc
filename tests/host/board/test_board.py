"""The driver on the board itself: `CPT_BITFILE=cpt.bit python -m pytest tests/host/board`, as root. Skipped elsewhere.

Nothing here needs PyTorch: what is expected comes from the NumPy reference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from host.compiler.bits import Bits
from host.compiler.command_list import CommandList
from host.compiler.jobs import Job, Step, drawn_operands, pass_precision, training_jobs
from host.compiler.layer import Conv, Pass
from host.compiler.lower import lower
from host.compiler.networks import cifar_resnet
from host.compiler.plan import Plan
from host.compiler.results import Results, stored_results
from host.driver.accelerator import Accelerator, board_device
from host.driver.devices import open_device
from host.driver.errors import DeviceBusyError, DeviceError, ExecutionError
from host.driver.execute import run_pass
from host.driver.stream import Done, Stream
from sim.contract import COMMAND_BYTES, Error
from sim.reference import Reference

BITFILE = os.environ.get("CPT_BITFILE", "")
SIMULATED = os.environ.get("CPT_BOARD_DEVICE", "pynq")  # another device shows that the tests themselves run
REASON = (
    "not on a board: set CPT_BITFILE to the overlay's .bit file and run 'python -m pytest tests/host/board' as root"
    " on the ZC706"
)
pytestmark = pytest.mark.skipif(not BITFILE and SIMULATED == "pynq", reason=REASON)

LAYER = Conv(4, 16, 32, 16, 16, (3, 3), (2, 2), (1, 1))


@pytest.fixture(scope="module")
def accelerator() -> Iterator[Accelerator]:
    if SIMULATED == "pynq":
        try:
            board_device()
        except (DeviceError, ImportError, OSError) as problem:
            pytest.skip(f"CPT_BITFILE is set, but there is no board here: {problem}")
    with open_device(SIMULATED, bitfile=str(Path(BITFILE).resolve())) as opened:
        yield opened


def expected(accelerator: Accelerator, job: Job, results: Results) -> np.ndarray:
    """The reference on memory of its own, without any driver."""
    plan = Plan()
    output = stored_results(job.layer, job.which, job.precision, results)
    program = lower(job.layer, job.which, job.precision, accelerator.build, output, plan=plan)
    commands = CommandList.place([program], plan)
    memory = np.zeros(plan.bytes, dtype=np.uint8)
    program.load(memory, *drawn_operands(job))
    commands.write(memory)
    assert Reference(accelerator.build).run(memory, commands.offset, commands.bytes).error == Error.OK
    return program.result(memory)


def test_it_is_hardware_of_a_known_build(accelerator: Accelerator) -> None:
    assert accelerator.simulates is None or SIMULATED != "pynq"
    assert accelerator.build.name in ("tiny", "zc706")


def test_done_comes_by_interrupt(accelerator: Accelerator) -> None:
    assert accelerator.core.by_interrupt, "wired to IRQ_F2P, and known to the kernel as a UIO device?"


@pytest.mark.parametrize("bits", [Bits(3, 8), Bits(8, 8), Bits(1, 16)])
@pytest.mark.parametrize("which", list(Pass))
def test_every_pass_is_exact(accelerator: Accelerator, which: Pass, bits: Bits) -> None:
    job = Job("layer", LAYER, which, Step(0, bits))
    done = run_pass(accelerator, LAYER, which, pass_precision(which, bits), *drawn_operands(job))
    assert np.array_equal(done.result, expected(accelerator, job, Results.EXACT))
    assert done.outcome.counters.total >= done.outcome.counters.busy > 0


def test_a_stream_at_changing_precision_is_exact(accelerator: Accelerator) -> None:
    layers = {name: layer for name, layer in cifar_resnet(8, batch=2).items() if name.startswith("layer3")}
    steps = [Step(0, Bits(3, 8)), Step(1, Bits(8, 8)), Step(2, Bits(3, 8))]
    wrong: list[str] = []

    def check(done: Done) -> None:
        if not np.array_equal(done.result, expected(accelerator, done.job, Results.ROUNDED)):
            wrong.append(str(done.job))

    with Stream(accelerator, layers, {step.bits for step in steps}) as stream:
        stream.run(training_jobs(layers, steps), drawn_operands, check)
    assert wrong == []


def test_the_same_list_again_gives_the_same(accelerator: Accelerator) -> None:
    """Caches, if flushes were missing, show up here."""
    job = Job("layer", LAYER, Pass.FORWARD, Step(0, Bits(4, 8)))
    with Stream(accelerator, {"layer": LAYER}, [Bits(4, 8)], Results.EXACT) as stream:
        for _ in range(20):
            for done in stream.repeat(job, drawn_operands(job), 3):
                assert np.array_equal(done.result, expected(accelerator, job, Results.EXACT))


def test_a_bad_command_is_named_and_the_next_list_runs(accelerator: Accelerator) -> None:
    job = Job("layer", LAYER, Pass.FORWARD, Step(0, Bits(4, 8)))
    with Stream(accelerator, {"layer": LAYER}, [Bits(4, 8)], Results.EXACT) as stream:
        commands = stream.compiled(job).commands
        stream._region.memory[commands.offset] = 0
        stream._region.flush(commands.offset, COMMAND_BYTES)
        with pytest.raises(ExecutionError, match="OPCODE at command 0"):
            next(stream.repeat(job, drawn_operands(job), 1))
        stream._region.upload_list(commands)
        done = next(stream.repeat(job, drawn_operands(job), 1))
        assert np.array_equal(done.result, expected(accelerator, job, Results.EXACT))


@pytest.mark.skipif(SIMULATED != "pynq", reason="each simulated device is another one")
def test_it_is_not_opened_twice(accelerator: Accelerator) -> None:
    with pytest.raises(DeviceBusyError):
        open_device(SIMULATED, bitfile=BITFILE)
