"""Passes streamed through a device: exact at every precision, compiled once, uploads behind execution."""

from __future__ import annotations

import numpy as np
import pytest

from cpt_model.arithmetic.integer import integer_pass
from host.compiler.bits import Bits
from host.compiler.jobs import Job, Step, drawn_operands, training_jobs
from host.compiler.layer import Conv, Pass
from host.compiler.lower import lower
from host.compiler.networks import cifar_resnet
from host.compiler.plan import Plan
from host.compiler.precision import Precision
from host.compiler.results import Results, stored_results
from host.driver.errors import ExecutionError
from host.driver.stream import Done, Stream
from host.measure.golden import Golden
from sim.contract import COMMAND_BYTES, Build, Format
from tests.host.driver.driving import DEVICES, Slow, driven, opened
from tests.tools import TINY, ZC706

SMALL = {
    "conv1": Conv(2, 3, 16, 6, 6, (3, 3), padding=(1, 1)),
    "strided": Conv(2, 16, 20, 6, 6, (3, 3), (2, 2), (1, 1)),
    "again": Conv(2, 16, 20, 6, 6, (3, 3), (2, 2), (1, 1)),
    "depthwise": Conv(2, 20, 20, 3, 3, (3, 3), padding=(1, 1), groups=20),
}
STEPS = (Step(0, Bits(3, 8)), Step(1, Bits(8, 8)), Step(2, Bits(3, 8)), Step(3, Bits(5, 6)))


def bits(steps: tuple[Step, ...]) -> list[Bits]:
    return [step.bits for step in steps]


@pytest.mark.parametrize("name", DEVICES)
@pytest.mark.parametrize("results", [Results.ROUNDED, Results.INT16, Results.EXACT])
def test_every_pass_of_a_schedule_is_exact(name: str, results: Results) -> None:
    jobs = list(training_jobs(SMALL, STEPS))
    golden = Golden.made("small", SMALL, STEPS, jobs, results, integer_pass)
    seen: list[Job] = []

    def check(done: Done) -> None:
        golden.check(done.job, done.result, done.row_sums)
        seen.append(done.job)

    with opened(name) as accelerator, Stream(accelerator, SMALL, bits(STEPS), results) as stream:
        stream.run(jobs, drawn_operands, check)
    assert seen == jobs


def test_a_list_is_compiled_once_for_a_shape_pass_and_precision() -> None:
    with driven() as accelerator, Stream(accelerator, SMALL, bits(STEPS)) as stream:
        shapes, precisions, banks = 3, 3, 2
        assert stream.lists == shapes * len(Pass) * precisions * banks
        first, again = (
            stream.compiled(Job(name, SMALL[name], Pass.FORWARD, STEPS[0])) for name in ("strided", "again")
        )
        assert first is again


def test_nothing_is_allocated_or_planned_when_the_precision_changes() -> None:
    with driven() as accelerator, Stream(accelerator, SMALL, bits(STEPS)) as stream:
        blocks = dict(accelerator.device.pool.blocks)
        kept = {id(stream.compiled(job)) for job in training_jobs(SMALL, STEPS)}
        stream.run(training_jobs(SMALL, STEPS), drawn_operands, lambda _: None)
        assert accelerator.device.pool.blocks == blocks
        assert {id(stream.compiled(job)) for job in training_jobs(SMALL, STEPS)} == kept


def test_the_next_upload_and_the_last_result_lie_behind_execution() -> None:
    busy: dict[str, list[bool]] = {"upload": [], "result": []}
    with driven(Slow(TINY)) as accelerator, Stream(accelerator, SMALL, [Bits(3, 8)]) as stream:
        jobs = list(training_jobs({"conv1": SMALL["conv1"]}, [Step(0, Bits(3, 8))] * 2))

        def operands(job: Job) -> tuple[np.ndarray, np.ndarray]:
            busy["upload"].append(accelerator.device._registers._busy)
            return drawn_operands(job)

        def result(_: Done) -> None:
            busy["result"].append(accelerator.device._registers._busy)

        stream.run(jobs, operands, result)
    assert busy["upload"] == [False, True, True, True], "the first has nothing to hide behind"
    assert busy["result"] == [True, True, True, False], "nor has the last"


def test_with_one_bank_the_simulated_device_would_see_the_race(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("host.driver.stream.BANKS", 1)
    with driven(Slow(TINY)) as accelerator, Stream(accelerator, SMALL, [Bits(3, 8)]) as stream:
        jobs = list(training_jobs(SMALL, [Step(0, Bits(3, 8))]))
        with pytest.raises(RuntimeError, match="of the running list uses"):
            stream.run(jobs, drawn_operands, lambda _: None)


def test_unprepared_precisions_and_layers_are_refused() -> None:
    with driven() as accelerator, Stream(accelerator, SMALL, [Bits(3, 8), Bits(8, 8)]) as stream:
        with pytest.raises(ValueError, match=r"iteration 7, conv1, forward pass at 4/8 bits.*there are: 3/8, 8/8"):
            stream.compiled(Job("conv1", SMALL["conv1"], Pass.FORWARD, Step(7, Bits(4, 8))))
        with pytest.raises(ValueError, match="no list was compiled for this layer"):
            stream.compiled(Job("other", Conv.linear(1, 3, 3), Pass.FORWARD, Step(0, Bits(3, 8))))


def test_a_broken_list_names_iteration_layer_and_pass_and_the_stream_goes_on() -> None:
    with driven() as accelerator, Stream(accelerator, SMALL, bits(STEPS)) as stream:
        jobs = list(training_jobs(SMALL, STEPS[:2]))
        commands = stream.compiled(jobs[1], bank=1).commands
        stream._region.memory[commands.offset] = 0
        stream._region.flush(commands.offset, COMMAND_BYTES)
        with pytest.raises(
            ExecutionError, match=r"iteration 0, strided, forward pass at 3/8 bits: OPCODE at command 0"
        ):
            stream.run(jobs, drawn_operands, lambda _: None)
        stream.run(jobs[:1], drawn_operands, lambda _: None)


def test_an_empty_stream_is_refused() -> None:
    with driven() as accelerator, pytest.raises(ValueError, match="at least one layer"):
        Stream(accelerator, {}, [Bits(3, 8)])


def test_training_skips_the_images_error() -> None:
    passes = [(job.name, job.which) for job in training_jobs(SMALL, STEPS[:1])]
    assert len(passes) == 3 * len(SMALL) - 1
    assert ("conv1", Pass.INPUT_ERROR) not in passes
    assert passes[: len(SMALL)] == [(name, Pass.FORWARD) for name in SMALL]


@pytest.mark.parametrize("which", [Pass.FORWARD, Pass.INPUT_ERROR])
def test_sixteen_bits_never_saturate_and_use_their_range(which: Pass) -> None:
    job = Job("x", SMALL["strided"], which, Step(0, Bits(8, 8)))
    output = stored_results(job.layer, which, job.precision, Results.INT16)
    terms = 9 * (16 if which is Pass.FORWARD else 20)
    largest = terms * (255 if which is Pass.FORWARD else 128) * 128
    assert largest / 2**output.shift <= 2**15 - 1 < largest / 2 ** (output.shift - 1)


@pytest.mark.parametrize(("build", "width", "planes"), [(ZC706, 32, True), (TINY, 32, False), (ZC706, 128, False)])
def test_narrow_results_are_planes_where_a_row_of_them_fits(build: Build, width: int, planes: bool) -> None:
    layer, precision = Conv(1, 16, 16, 4, width, (3, 3), padding=(1, 1)), Precision(3, 3, b_signed=True)
    stored = stored_results(layer, Pass.FORWARD, precision, Results.ROUNDED)
    (command,) = lower(layer, Pass.FORWARD, precision, build, stored, plan=Plan()).commands
    assert (command.out_format == Format.PLANES) == planes
    assert command.out_bits == 11


@pytest.mark.slow
@pytest.mark.parametrize("device", ["hls", "rtl"])
def test_an_iteration_of_resnet_8_is_exact_at_3_8_and_8_8(device: str) -> None:
    """Batch 8 and whole on the kernel in C++; on the Verilated core cut to the layers of one block."""
    layers = cifar_resnet(8, batch=8 if device == "hls" else 1)
    if device == "rtl":
        layers = {name: layers[name] for name in ("layer3.0.conv1", "layer3.0.shortcut", "layer3.0.conv2")}
    steps = (Step(0, Bits(3, 8)), Step(1999, Bits(8, 8)))
    jobs = list(training_jobs(layers, steps))
    golden = Golden.made("resnet8", layers, steps, jobs, Results.EXACT, integer_pass)
    from host.driver.devices import open_device

    with (
        open_device(device, ZC706 if device == "hls" else TINY) as accelerator,
        Stream(accelerator, layers, bits(steps), Results.EXACT) as stream,
    ):
        stream.run(jobs, drawn_operands, lambda done: golden.check(done.job, done.result, done.row_sums))
