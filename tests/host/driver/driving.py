"""What the tests of the driver share: devices to open, operands, and a pass run step by step."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from host.compiler.command_list import CommandList
from host.compiler.layer import Conv, Pass
from host.compiler.lower import lower
from host.compiler.plan import Plan
from host.compiler.precision import Precision
from host.compiler.program import Program
from host.driver.accelerator import Accelerator
from host.driver.devices import open_device
from sim.contract import Memory, Outcome
from sim.reference import Reference
from tests.tools import TINY, Codes, operands

DEVICES = ("reference", "hls", "rtl")
LAYER = Conv(2, 16, 32, 5, 6, (3, 3), (2, 2), (1, 1))
BITS = Precision(3, 4, b_signed=True)


def silent(_line: str) -> None:
    """For devices whose log does not matter."""


def opened(name: str) -> Accelerator:
    return open_device(name, TINY, log=silent)


@contextmanager
def driven(executor: Any = None, seconds: float = 30.0, **options: Any) -> Iterator[Accelerator]:
    """The driver on a simulated device with options of its own, around the reference by default."""
    from sim.devices.pynq_device import SimulatedDevice

    device = SimulatedDevice(executor or Reference(TINY), "reference", **options)
    try:
        with Accelerator.open(device.bitfile, device, None, seconds, silent) as accelerator:
            yield accelerator
    finally:
        device.release()


def compiled(*passes: tuple[Conv, Pass]) -> tuple[list[Program], CommandList, Plan]:
    """Passes and a list of all their commands, in one plan."""
    plan = Plan()
    programs = [
        lower(layer, which, BITS, TINY, plan=plan, name=str(number)) for number, (layer, which) in enumerate(passes)
    ]
    return programs, CommandList.place(programs, plan), plan


def expected(layer: Conv, which: Pass, a: Codes, b: Codes) -> Codes:
    from cpt_model.arithmetic.integer import integer_pass

    return np.asarray(integer_pass(layer, which, a, b))


def runs(accelerator: Accelerator) -> bool:
    """Whether a pass through the device gives the right result."""
    from host.driver.execute import run_pass

    a, b = operands(LAYER, Pass.FORWARD, BITS)
    done = run_pass(accelerator, LAYER, Pass.FORWARD, BITS, a, b)
    return np.array_equal(done.result, expected(LAYER, Pass.FORWARD, a, b))


class Slow(Reference):
    """Takes its time over lists that are not empty."""

    delay = 0.3

    def run(
        self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
    ) -> Outcome:
        if list_bytes:
            time.sleep(self.delay)
        return super().run(memory, list_offset, list_bytes, mem_base, mem_bytes)
