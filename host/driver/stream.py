"""Streams passes through the accelerator: every list compiled once, two banks of memory, one list per precision.

    upload(i + 1)          while list i runs
    start(i + 1), read(i)  when it is done

A bank holds one pass: operands, result, row sums. Pass i lives in bank i mod 2, so each list exists for both. All lists
stay in the region; changing the precision is choosing another one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType

import numpy as np
import numpy.typing as npt

from host.compiler.bits import Bits
from host.compiler.command_list import CommandList
from host.compiler.jobs import Job, pass_precision
from host.compiler.layer import Conv, Pass
from host.compiler.lower import lower
from host.compiler.plan import Plan
from host.compiler.precision import Output, Precision
from host.compiler.program import Program
from host.compiler.results import Results, stored_results
from host.driver.accelerator import Accelerator
from host.driver.outcome import ListOutcome
from sim.contract import COMMAND_BYTES

Codes = npt.NDArray[np.integer]
Key = tuple[Conv, Pass, Precision]
BANKS = 2


@dataclass(frozen=True)
class Compiled:
    """A pass in one bank."""

    program: Program
    commands: CommandList
    output: Output


@dataclass(frozen=True)
class Done:
    """A pass that went through: its result and row sums, and what it took on the host's clock."""

    job: Job
    result: Codes
    row_sums: Codes | None
    outcome: ListOutcome
    upload_seconds: float
    read_seconds: float


Source = Callable[[Job], tuple[Codes, Codes]]


class Stream:
    """The layers of a network on a device, at a set of precisions. A context manager: its region is freed at the end.

    Args:
        accelerator: an opened device.
        layers: the network; layers of one shape share their lists.
        precisions: widths of steps that may come; others are refused.
        results: what passes store.
    """

    def __init__(
        self,
        accelerator: Accelerator,
        layers: Mapping[str, Conv],
        precisions: Iterable[Bits],
        results: Results = Results.ROUNDED,
    ) -> None:
        self._accelerator = accelerator
        self.precisions = sorted(set(precisions))
        keys = list(
            dict.fromkeys(
                (layer, which, pass_precision(which, bits))
                for bits in self.precisions
                for layer in layers.values()
                for which in Pass
            )
        )
        if not keys:
            raise ValueError("a stream needs at least one layer and one precision")
        sized = {key: self._lower(key, results, 0) for key in keys}
        bank = max(size for _, _, size in sized.values())
        plan = Plan()
        starts = [plan.add(f"bank {number}", bank) for number in range(BANKS)]
        self._lists: dict[tuple[Key, int], Compiled] = {}
        for key in keys:
            for number, start in enumerate(starts):
                program, output, _ = self._lower(key, results, start)
                place = plan.add(f"list {len(self._lists)}", COMMAND_BYTES * len(program.commands))
                compiled = Compiled(program, CommandList(tuple(program.commands), place), output)
                self._lists[key, number] = compiled
        self.region_bytes = plan.bytes
        self._region = accelerator.allocate(plan)
        try:
            for compiled in self._lists.values():
                self._region.upload_list(compiled.commands)
        except BaseException:
            self._region.free()
            raise

    def _lower(self, key: Key, results: Results, start: int) -> tuple[Program, Output, int]:
        """A pass placed from `start` on, and the bytes it takes."""
        layer, which, precision = key
        output = stored_results(layer, which, precision, results)
        plan = Plan(bytes=start)
        program = lower(layer, which, precision, self._accelerator.build, output, plan=plan)
        return program, output, plan.bytes - start

    @property
    def lists(self) -> int:
        """How many lists are kept."""
        return len(self._lists)

    def compiled(self, job: Job, bank: int = 0) -> Compiled:
        """The list of a job; one that was not prepared is refused."""
        found = self._lists.get(((job.layer, job.which, job.precision), bank))
        if found is None:
            ready = ", ".join(map(str, self.precisions))
            raise ValueError(f"{job}: no list was compiled for this layer and precision; there are: {ready}")
        return found

    def run(self, jobs: Iterable[Job], operands: Source, results: Callable[[Done], object]) -> None:
        """Runs the jobs in order, hiding the next upload and the previous read behind each list's run time.

        `operands` is asked for a job's codes while the job before it runs, so it cannot wait for that one's result;
        `results` gets each finished job, while the next runs.
        """
        running: tuple[Job, Compiled, float] | None = None
        for number, job in enumerate(jobs):
            compiled = self.compiled(job, number % BANKS)
            upload = self._upload(compiled, *operands(job))
            finished = self._finish(running)
            self._accelerator.start(self._region, compiled.commands)
            if running is not None and finished is not None:
                results(self._read(running, finished))
            running = job, compiled, upload
        finished = self._finish(running)
        if running is not None and finished is not None:
            results(self._read(running, finished))

    def repeat(self, job: Job, operands: tuple[Codes, Codes], times: int) -> Iterator[Done]:
        """One job, repeated, with nothing else running: for measuring."""
        compiled = self.compiled(job)
        upload = self._upload(compiled, *operands)
        for _ in range(times):
            outcome = self._accelerator.run(self._region, compiled.commands, str(job))
            yield self._read((job, compiled, upload), outcome)

    def _upload(self, compiled: Compiled, a: Codes, b: Codes) -> float:
        start = time.perf_counter()
        self._region.upload(compiled.program, a, b)
        return time.perf_counter() - start

    def _finish(self, running: tuple[Job, Compiled, float] | None) -> ListOutcome | None:
        return None if running is None else self._accelerator.finish(str(running[0]))

    def _read(self, running: tuple[Job, Compiled, float], outcome: ListOutcome) -> Done:
        job, compiled, upload = running
        start = time.perf_counter()
        result = self._region.result(compiled.program)
        sums = self._region.row_sums(compiled.program) if compiled.output.row_sums else None
        return Done(job, result, sums, outcome, upload, time.perf_counter() - start)

    def close(self) -> None:
        self._region.free()

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
