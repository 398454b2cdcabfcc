"""One whole training step of a network on the RTL core, vector commands included: cycles by layer and kind of work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from host.compiler.bits import Bits
from host.compiler.step.initial import random_parameters
from host.compiler.step.network import Network
from host.compiler.step.networks import named
from host.driver.integer_step import IntegerStep
from host.measure.step_time import LayerWork, Work, iteration_time, work_of
from sim.common.files import write_atomically
from sim.common.table import as_table
from sim.contract import Build, Memory, Outcome
from sim.latency import Memory as LatencyMemory
from sim.latency.core import LIST_BEGINS

if TYPE_CHECKING:
    from sim.devices.rtl_executor import RtlExecutor


class _Cycles:
    """An executor that keeps the cycles of each list's commands, and of the list."""

    def __init__(self, executor: RtlExecutor) -> None:
        self.executor, self.build, self.features = executor, executor.build, executor.features
        self.commands: list[list[int]] = []
        self.lists: list[int] = []

    def run(
        self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
    ) -> Outcome:
        outcome = self.executor.run(memory, list_offset, list_bytes, mem_base, mem_bytes)
        self.commands.append([each.total for each in self.executor.commands])
        self.lists.append(outcome.cycles)
        return outcome


def simulated(executor: RtlExecutor, network: Network, batch: int, bits: Bits, seed: int = 0) -> dict[str, Any]:
    """The first iteration from random parameters, on random images: its results have the widths they start with."""
    cycles, draw = _Cycles(executor), np.random.default_rng(seed)
    step = IntegerStep(network, batch, cycles, random_parameters(network, seed=seed), seed=seed)
    lists = step.lists(bits)
    labels = draw.integers(0, network.head.classes, batch)
    step.train(draw.normal(size=(batch, *network.image)), labels, bits, lr=0.1)
    sums: dict[LayerWork, list[int]] = {}
    for backward, (commands, counted) in enumerate(zip((lists.forward, lists.backward), cycles.commands, strict=True)):
        for command, layer, each in zip(commands.commands, commands.layers, counted, strict=True):
            total = sums.setdefault(LayerWork(layer, work_of(command.opcode, bool(backward))), [0, 0])
            total[0] += 1
            total[1] += each
    return {"lists": cycles.lists, "work": [[layer, work.value, *total] for (layer, work), total in sums.items()]}


def write(path: Path, heading: dict[str, Any], found: dict[str, Any]) -> None:
    """A kind of work of a layer in each line."""
    lines = ",\n".join(map(json.dumps, found["work"]))
    head = json.dumps({**heading, "lists": found["lists"]})[:-1]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, f'{head}, "work": [\n{lines}\n]}}\n')


def summary(found: dict[str, Any], clock_mhz: float) -> str:
    """Cycles by kind of work, and of both lists."""
    rows = []
    for work in Work:
        chosen = [row for row in found["work"] if row[1] == work.value]
        rows.append((work.value, sum(row[2] for row in chosen), sum(row[3] for row in chosen)))
    rows.append(("both lists", sum(row[1] for row in rows), sum(found["lists"])))
    cells = [(name, number, f"{cycles:,}", f"{cycles / clock_mhz / 1e3:.2f}") for name, number, cycles in rows]
    return f"simulated, at {clock_mhz:g} MHz\n" + as_table(("work", "commands", "cycles", "ms"), cells)


def model_cycles(found: dict[str, Any]) -> dict[Work, float]:
    """By the latency model, of the iteration that a file is of; starts of its lists count as their first command's."""
    build, memory = Build("measured", **found["build"]), LatencyMemory(found["bytes_per_cycle"], found["latency"])
    bits = Bits(found["fw_bits"], found["bw_bits"])
    times = iteration_time(named(found["arch"]), found["batch"], bits, build, memory)
    cycles = {work: time.cycles for work, time in times.items()}
    for first in (Work.WEIGHTS, Work.NORMALISE_BACK):
        cycles[first] += LIST_BEGINS
    return cycles
