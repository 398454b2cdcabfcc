"""Cycles of every command of whole training steps on the RTL core, of small networks that are drawn at random.

Two draws: one that the latency model may be corrected on, and one that it is only examined on.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from host.compiler.bits import Bits
from host.compiler.step.initial import random_parameters
from host.compiler.step.network import Block, Head, Network
from host.compiler.step.networks import branch_unit, unit
from host.driver.integer_step import IntegerStep
from sim.common.files import write_atomically
from sim.contract import (
    CLASSES,
    COMMAND_BYTES,
    MAX_KERNEL,
    Build,
    Command,
    Encoded,
    Memory,
    Opcode,
    Outcome,
    ScalarFlag,
)

if TYPE_CHECKING:
    from sim.devices.rtl_executor import RtlExecutor

SEEDS = {"fitted on": (2040, 2041), "unseen": (2043,)}
NETWORKS = 6  # of a seed
PRODUCTS = (Opcode.CONV.name, Opcode.WGRAD.name)
PLACES = ("_addr", "tag", "seed")  # fields that make no difference


class Recording:
    """An executor that keeps each command with its cycles, and whether there was an iteration before."""

    def __init__(self, executor: RtlExecutor) -> None:
        self.executor, self.build, self.features = executor, executor.build, executor.features
        self.rows: list[tuple[Encoded, int, bool]] = []
        self.history = False

    def run(
        self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
    ) -> Outcome:
        commands = [
            CLASSES.get(memory[start], Command).decode(memory[start : start + COMMAND_BYTES].tobytes())
            for start in range(list_offset, list_offset + list_bytes, COMMAND_BYTES)
        ]
        outcome = self.executor.run(memory, list_offset, list_bytes, mem_base, mem_bytes)
        counted = (each.total for each in self.executor.commands)
        self.rows += [(command, cycles, self.history) for command, cycles in zip(commands, counted, strict=True)]
        return outcome


def drawn(seed: int, build: Build) -> Iterator[tuple[Network, int, Bits]]:
    """Residual networks of two blocks, a batch and widths for each; smaller ones for a build with few lanes."""
    draw, small = random.Random(seed), build.lanes <= 16
    for number in range(NETWORKS):
        extent, batch = draw.choice((6, 7, 8, 10, 12) if small else (7, 8, 14, 16, 20)), draw.choice((2, 3, 4, 8))
        first, second = (draw.choice((8, 16, 24, 32, 48)) for _ in range(2))
        stride, kernel = draw.choice((1, 2)), draw.choice((1, 3, 3))
        stride = 2 if extent > MAX_KERNEL else stride  # the head sums no larger map
        begin = unit("", 1, (draw.choice((1, 3, 16)), extent, extent), first, 3)
        inner = unit("a.", 1, begin.makes, draw.choice((16, 32)), kernel)
        stays = Block("a", (inner, unit("a.", 2, inner.makes, first, 3)), stream=True)
        last = unit("b.", 1, begin.makes, second, 3, stride)
        turns = Block("b", (last,), branch=branch_unit("b.shortcut", begin.makes, second, stride))
        network = Network(f"drawn-{seed}-{number}", (Block("conv1", (begin,)), stays, turns), Head("fc", 10))
        yield network, batch, Bits(draw.randint(3, 8), draw.choice((6, 8)))


def measured(
    executor: RtlExecutor, network: Network, batch: int, bits: Bits, seed: int = 0, iterations: int = 2
) -> list[tuple[Encoded, int, bool]]:
    """Every command of some iterations: the first stores results of full width, the others as wide as were seen."""
    recording, random_data = Recording(executor), np.random.default_rng(seed)
    step = IntegerStep(network, batch, recording, random_parameters(network, seed=seed), seed=seed)
    for _ in range(iterations):
        labels = random_data.integers(0, network.head.classes, batch)
        step.train(random_data.normal(size=(batch, *network.image)), labels, bits, lr=0.1)
        recording.history = True
    return recording.rows


def draw_rows(executor: RtlExecutor, which: str) -> Iterator[list[dict[str, Any]]]:
    """Rows for a file, network by network: draw, network, kind of command, its fields apart from places, whether it
    follows no product, for the SCALE of a node whether it has a history, cycles, and how often it was so.
    """
    for network, batch, bits in chain.from_iterable(drawn(seed, executor.build) for seed in SEEDS[which]):
        counted: Counter[str] = Counter()
        before: Encoded | None = None
        for command, cycles, history in measured(executor, network, batch, bits):
            values = asdict(command)  # type: ignore[call-overload]
            kept = {name: value for name, value in values.items() if value and not _is_place(name)}
            row: dict[str, Any] = {
                "draw": which,
                "network": network.name,
                "kind": Opcode(command.opcode).name,
                "command": kept,
            }
            row |= {"alone": not isinstance(before, Command)}
            if command.opcode == Opcode.SCALE and command.flag(ScalarFlag.NODE):
                row |= {"history": history}
            counted[json.dumps(row | {"cycles": cycles})] += 1
            before = command
        yield [json.loads(row) | {"times": times} for row, times in counted.items()]


def write_steps(path: Path, executor: RtlExecutor, rows: list[dict[str, Any]]) -> None:
    """A row a line."""
    ddr, lines = executor.ddr, ",\n".join(map(json.dumps, rows))
    head = {"build": executor.build.parameters(), "bytes_per_cycle": ddr.bytes_per_cycle, "latency": ddr.latency}
    write_atomically(path, json.dumps(head)[:-1] + f', "commands": [\n{lines}\n]}}\n')


def command_of(row: dict[str, Any]) -> Encoded:
    """The command of a row, at address 0."""
    fields = row["command"]
    kind = CLASSES[fields["opcode"]]
    return kind(**dict.fromkeys(kind.TABLE, 0) | fields)


def _is_place(name: str) -> bool:
    return name.endswith(PLACES[0]) or name.startswith(PLACES[1:])
