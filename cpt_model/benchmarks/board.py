"""The host's share of an iteration on the board: ResNet-20, batch 128, at CPT's lowest bits, where lists are shortest.

Its work is measured here without any list, the least of many iterations, and taken SLOWER times for a Cortex-A9 at
667 MHz: CoreMark has that between 15 and 20 times below a core of today's servers, and it is taken high. What lists
take is the latency model's cycles of matrix passes at 200 MHz; vector commands count by the bytes they move. Work that
the loop does while lists run (images of the next iteration, the classifier's update, forward tallies) is hidden as far
as the lists last.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from host.compiler.bits import Bits
from host.compiler.command_list import CommandList
from host.compiler.plan import Plan
from host.compiler.step.initial import drawn_parameters
from host.compiler.step.networks import named
from host.compiler.step.traffic import traffic
from host.data.batches import TrainingBatches
from host.data.cifar import CIFAR10
from host.data.images import ImageData, Images
from host.driver.integer_step import IntegerStep
from host.driver.machine import Planes, Work
from host.measure.prediction import model_cycles
from host.training.pixels import PixelPacker
from sim.contract import BOARD_BYTES_PER_CYCLE, OVERLAY_CLOCK_MHZ, Build, Command

BATCH, BITS, SLOWER, ITERATIONS = 128, Bits(3, 8), 20, 30
BUILD = Build.named("zc706")


class NoLists(Planes):
    """A machine whose lists take no time: what is left is the host's."""

    def __init__(self, plan: Plan) -> None:
        self.build, self.memory = BUILD, np.zeros(plan.bytes, np.uint8)

    def wrote(self, start: int, end: int) -> None: ...
    def reads(self, start: int, end: int) -> None: ...
    def close(self) -> None: ...

    def run(self, commands: CommandList, what: str, meanwhile: Work | None = None) -> None:
        if meanwhile is not None:
            meanwhile()


class Device:
    """What makes one."""

    build = BUILD
    machine = staticmethod(NoLists)


def measure(repeat: int) -> dict[str, float]:
    """Milliseconds of an iteration, and the per cent of it in which the device waits for the host."""
    network = named("cifar10_resnet_20")
    step = IntegerStep(network, BATCH, Device(), drawn_parameters(network, 0))
    rng = np.random.default_rng(0)
    images = Images(rng.integers(0, 256, (1000, 32, 32, 3), dtype=np.uint8), rng.integers(0, 10, 1000))
    data = ImageData("drawn", 10, CIFAR10.mean, CIFAR10.std, images, images, padding=4, flip=True)
    batches = TrainingBatches(data, BATCH, seed=0)
    packer = PixelPacker(data, step.image_range)
    ahead = least(lambda number: packer.training(*batches.drawn(number)), ITERATIONS * repeat)
    ready, labels = step.prepared(batches[0][0]), batches[0][1]
    parts = [one_step(partial(step.train, ready, labels, BITS, 0.1), step) for _ in range(ITERATIONS * repeat + 1)]
    shown, hidden = (SLOWER * 1e3 * min(part[index] for part in parts[1:]) for index in (0, 1))
    lists = list_milliseconds(step)
    hidden += SLOWER * 1e3 * ahead
    over = max(0.0, hidden - lists)
    return {
        "lists_ms_by_model": lists,
        "host_ms_hidden_on_a9": hidden - over,
        "host_ms_not_hidden_on_a9": shown + over,
        "host_not_hidden_percent": 100 * (shown + over) / (lists + shown + over),
        "host_ms_between_lists_on_a9": shown,
        "slower_than_this_machine": SLOWER,
    }


def one_step(train: Work, step: IntegerStep) -> tuple[float, float]:
    """Seconds that nothing hides, and seconds behind lists."""
    before, began = step.hidden_seconds, time.perf_counter()
    train()
    hidden = step.hidden_seconds - before
    return time.perf_counter() - began - hidden, hidden


def least(work: Callable[[int], object], times: int) -> float:
    found = []
    for number in range(times):
        began = time.perf_counter()
        work(number)
        found.append(time.perf_counter() - began)
    return min(found)


def list_milliseconds(step: IntegerStep) -> float:
    lists = step.lists(BITS)
    both = (*lists.forward.commands, *lists.backward.commands)
    cycles = model_cycles((each for each in both if isinstance(each, Command)), BUILD)
    moved = traffic(lists)
    cycles += (moved.forward + moved.backward + moved.weights) / BOARD_BYTES_PER_CYCLE
    return float(cycles / OVERLAY_CLOCK_MHZ / 1e3)
