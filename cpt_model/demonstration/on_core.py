"""A whole training iteration of a run's network on the Verilated core and in PyTorch: equal or not, cycles by command.

python -m cpt_model.demonstration.on_core     a question as JSON on standard input, the answer on standard output
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch.nn.functional import avg_pool2d

from cpt_model.drawing.chart import Series, chart, colour_of
from cpt_model.models import build as built
from cpt_model.step import IntegerNetwork
from cpt_model.step.describe import floats_of
from cpt_model.training.load import load_run
from host.compiler.bits import Bits
from host.driver.integer_step import IntegerStep
from host.measure.step_time import ALIKE, Work
from sim.contract import Build, Memory, Opcode, Outcome
from sim.devices.rtl_executor import RtlExecutor

BUILD = "tiny"
WIDEST = 16  # pixels of a row that the tiny core's memories hold at 8 bits
RATE = 0.05


@dataclass(frozen=True)
class Iteration:
    """One iteration, done twice.

    Args:
        bits: of the iteration.
        image: channels, height and width.
        batch: images.
        equal: whether every integer of the state, and every logit, is PyTorch's.
        integers: number of the state's integers.
        cycles: of the core, by layer and kind of work.
        seconds: of the simulation.
    """

    bits: Bits
    image: tuple[int, int, int]
    batch: int
    equal: bool
    integers: int
    cycles: list[tuple[str, str, int]]
    seconds: float

    @property
    def total(self) -> int:
        return sum(cycles for _, _, cycles in self.cycles)

    def by(self, place: int) -> dict[str, int]:
        """Cycles of each layer (0) or kind of work (1), in the order of their first command."""
        found: dict[str, int] = {}
        for row in self.cycles:
            found[str(row[place])] = found.get(str(row[place]), 0) + row[2]
        return found


class Counting:
    """An executor that keeps the cycles of each command of each list."""

    def __init__(self, executor: Any) -> None:
        self.executor, self.build, self.features = executor, executor.build, executor.features
        self.lists: list[list[int]] = []

    def run(
        self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
    ) -> Outcome:
        outcome: Outcome = self.executor.run(memory, list_offset, list_bytes, mem_base, mem_bytes)
        self.lists.append([each.total for each in self.executor.commands])
        return outcome


def iteration(folder: str, bits: Bits, batch: int, datadir: str | None = None, executor: Any = None) -> Iteration:
    """From the weights, velocities and ranges that a run of whole integer steps ended with; by default on the RTL."""
    loaded = load_run(folder, datadir=datadir)
    assert isinstance(loaded.model, IntegerNetwork)
    state = loaded.model.integers.state()
    images, labels = (each[:batch] for each in loaded.task.batches[0])
    if images.shape[-1] > WIDEST:
        images = avg_pool2d(images, 2)
    image = (int(images.shape[1]), int(images.shape[2]), int(images.shape[3]))
    model = built(loaded.settings.arch)
    desk = IntegerNetwork(model, image, batch)
    counting = Counting(executor or RtlExecutor(Build.named(BUILD)))
    core = IntegerStep(desk.description, batch, counting, floats_of(model))
    for step in (desk.integers, core):
        step.load(state)
    lists = core.lists(bits)
    desk.learn(images, labels, bits, RATE)
    began = time.perf_counter()
    core.train(images.numpy(), labels.numpy(), bits, RATE)
    seconds = time.perf_counter() - began
    assert core.last is not None
    assert desk.integers.last is not None
    theirs, ours = desk.integers.state(), core.state()
    equal = all(np.array_equal(ours[name], value) for name, value in theirs.items())
    equal &= np.array_equal(core.last.logits, desk.integers.last.logits)
    cycles = []
    for listed, counted, kinds in zip(
        (lists.forward, lists.backward),
        counting.lists,
        ((Work.FORWARD, Work.NORMALISE), (Work.INPUT_ERROR, Work.NORMALISE_BACK)),
        strict=True,
    ):
        for command, layer, count in zip(listed.commands, listed.layers, counted, strict=True):
            opcode = Opcode(command.opcode)
            work = ALIKE.get(opcode, kinds[0] if opcode is Opcode.CONV else kinds[1])
            cycles.append((layer, work.value, count))
    integers = sum(value.size for value in theirs.values())
    return Iteration(bits, image, batch, bool(equal), integers, cycles, seconds)


def cells(found: Sequence[Iteration], place: int, what: str) -> tuple[list[str], list[list[str]]]:
    """Cycles by layer or by kind of work, the iterations side by side, and the total."""
    high, low = found
    most, least = high.by(place), low.by(place)
    rows = [(name, most[name], least.get(name, 0)) for name in most] + [("total", high.total, low.total)]
    head = [what, f"cycles at {high.bits}", f"at {low.bits}", "saved"]
    return head, [[name, f"{a:,}", f"{b:,}", f"{100 * (1 - b / a):.1f} %"] for name, a, b in rows]


def about(found: Sequence[Iteration]) -> str:
    first = found[0]
    pixels = f"{first.image[1]}×{first.image[2]}"
    verdict = "equal" if all(each.equal for each in found) else "DIFFERENT"
    return (
        f"One whole training iteration from the weights of the cyclic run, {first.batch} images of {pixels} pixels, on "
        f"the RTL of the tiny core, simulated by Verilator: all {first.integers:,} integers that the next iteration "
        f"begins with are {verdict} to PyTorch's, at {' and at '.join(str(each.bits) for each in found)} bits."
    )


def picture(found: Sequence[Iteration]) -> str:
    series = [
        Series(
            f"{each.bits} bits",
            colour_of([each.bits]),
            [(name, count, f"{count:,} cycles") for name, count in each.by(1).items()],
        )
        for each in found
    ]
    return chart("Cycles of the iteration by kind of work, simulated RTL", "bars", "cycles", series=series)


def read(text: str) -> Iteration:
    """An answer."""
    values = json.loads(text)
    values["bits"], values["image"] = Bits(**values["bits"]), tuple(values["image"])
    return Iteration(**values | {"cycles": [tuple(row) for row in values["cycles"]]})


def main() -> int:
    asked = json.loads(sys.stdin.readline())
    torch.set_num_threads(1)
    answer = iteration(**asked | {"bits": Bits(*asked["bits"])})
    print(json.dumps(asdict(answer)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
