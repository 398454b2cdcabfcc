"""What the driver adds to a command list: on a simulated device whose executor does nothing, only the driver is left.

The simulated device's own thread and registers are in the figure; a board has neither.
"""

from __future__ import annotations

import time

from host.command_list import CommandList
from host.devices import open_simulated
from host.plan import Plan
from sim.config import Config
from sim.contract import COMMAND_BYTES, NO_COMMAND, Error
from sim.reference import Outcome
from sim.tensors import Memory

LISTS, BATCHES = 20, 50


class Nothing:
    """An executor that is done at once."""

    def __init__(self) -> None:
        self.config = Config.named("zc706")

    def run(
        self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
    ) -> Outcome:
        return Outcome(Error.OK, NO_COMMAND, list_bytes // COMMAND_BYTES, 0)


def measure(repeat: int) -> dict[str, float]:
    """Milliseconds for each started list, best batch of 20, and its register accesses."""
    with open_simulated(Nothing(), "nothing", log=lambda _: None) as accelerator:
        plan = Plan()
        commands = CommandList((), plan.add("list", COMMAND_BYTES))
        with accelerator.allocate(plan) as region:
            accelerator.run(region, commands)
            seconds, before = [], accelerator.device.accesses
            for _ in range(BATCHES * repeat):
                start = time.perf_counter()
                for _ in range(LISTS):
                    accelerator.run(region, commands)
                seconds.append((time.perf_counter() - start) / LISTS)
            accesses = accelerator.device.accesses - before
    return {
        "milliseconds_per_list": min(seconds) * 1e3,
        "median_milliseconds_per_list": sorted(seconds)[len(seconds) // 2] * 1e3,
        "register_accesses_per_list": accesses / (LISTS * BATCHES * repeat),
    }
