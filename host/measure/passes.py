"""Passes of a run on an opened device, every result checked: each alone and repeated, or streamed as in training."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch

from host.compiler.jobs import Job, drawn_operands, training_jobs
from host.compiler.layer import Conv
from host.driver.accelerator import Accelerator
from host.driver.stream import Done, Stream
from host.measure.golden import Golden, job_key
from host.measure.prediction import bound_cycles, model_cycles
from host.measure.report import Gathered, Row
from host.measure.source import Source

Progress = Callable[[Sequence[Job]], Iterable[Job]]


@dataclass(frozen=True)
class Streamed:
    """What streaming took: a row for each pass, the number of passes and of compiled lists, seconds of the host."""

    rows: list[Row]
    passes: int
    lists: int
    seconds: float


def chosen_layers(network: Mapping[str, Conv], pattern: str) -> dict[str, Conv]:
    """The layers whose name matches a shell pattern."""
    layers = {name: layer for name, layer in network.items() if fnmatch(name, pattern)}
    if not layers:
        raise ValueError(f"'{pattern}' matches no layer; there are: {', '.join(network)}")
    return layers


def distinct(layers: Mapping[str, Conv]) -> tuple[dict[str, Conv], dict[str, int]]:
    """The first layer of each shape, and how many have it."""
    first = {layer: name for name, layer in reversed(list(layers.items()))}
    kept = {name: layer for name, layer in layers.items() if first[layer] == name}
    return kept, {name: list(layers.values()).count(layer) for name, layer in kept.items()}


def measured_passes(
    accelerator: Accelerator,
    golden: Golden,
    source: Source,
    counts: Mapping[str, int],
    repeat: int,
    bytes_per_cycle: float,
    progress: Progress = iter,
) -> list[Row]:
    """Each layer's pass at each precision, `repeat` times; `counts` says how many layers one stands for."""
    jobs = list({_name(job): job for job in training_jobs(golden.layers, golden.steps)}.values())
    rows = []
    with _opened(accelerator, golden) as passes:
        for job in progress(jobs):
            gathered = _gathered(passes, job, accelerator, golden, bytes_per_cycle)
            gathered.layers = counts.get(job.name, 1)
            for done in passes.repeat(job, drawn_operands(job), repeat):
                _keep(gathered, golden, done)
            rows.append(gathered.row(source, golden.network))
    return rows


def streamed_passes(
    accelerator: Accelerator, golden: Golden, source: Source, bytes_per_cycle: float, progress: Progress = iter
) -> Streamed:
    """All passes in training's order, each upload hidden behind the pass before it."""
    found: dict[tuple[str, str], Gathered] = {}
    jobs = list(training_jobs(golden.layers, golden.steps))
    with _opened(accelerator, golden) as passes:

        def keep(done: Done) -> None:
            name = _name(done.job)
            if name not in found:
                found[name] = _gathered(passes, done.job, accelerator, golden, bytes_per_cycle)
            _keep(found[name], golden, done)

        start = time.perf_counter()
        passes.run(progress(jobs), drawn_operands, keep)
        seconds = time.perf_counter() - start
    return Streamed([each.row(source, golden.network) for each in found.values()], len(jobs), passes.lists, seconds)


def _opened(accelerator: Accelerator, golden: Golden) -> Stream:
    return Stream(accelerator, golden.layers, [step.bits for step in golden.steps], golden.results)


def _name(job: Job) -> tuple[str, str]:
    return job.name, job_key(job)


def _gathered(passes: Stream, job: Job, accelerator: Accelerator, golden: Golden, bandwidth: float) -> Gathered:
    """No run of a pass yet, and the cycles it should take: the bound, and the latency model's."""
    commands, build = passes.compiled(job).commands.commands, accelerator.build
    bound, model = bound_cycles(commands, build, bandwidth), model_cycles(commands, build, bandwidth)
    return Gathered(job, [], bound, model, golden.results, golden="equal")


def _keep(gathered: Gathered, golden: Golden, done: Done) -> None:
    golden.check(done.job, done.result, done.row_sums)
    gathered.outcomes.append(done.outcome)
    gathered.upload_seconds, gathered.read_seconds = done.upload_seconds, done.read_seconds
