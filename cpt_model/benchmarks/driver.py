"""What the driver adds to a command list, on a simulated device whose executor does nothing.

Two clocks. The round trip is what a caller waits. The driver's own time is what is left of it when the device's is
taken off: from START to the interrupt, which here is the waking of the simulated device's thread, and on a board the
list's work. What the driver does meanwhile (it looks once and prepares its sleep) is hidden behind that and not
counted; its waking by the interrupt is. `taskset -c 0` shows the round trip without any waking of another core.
"""

from __future__ import annotations

import time
from statistics import median

from host.compiler.command_list import CommandList
from host.compiler.plan import Plan
from host.driver.devices import open_simulated
from sim.contract import COMMAND_BYTES, NO_COMMAND, Build, Error, Memory, Outcome

LISTS, BATCHES = 20, 50


class Nothing:
    """An executor that is done at once."""

    def __init__(self) -> None:
        self.build = Build.named("zc706")

    def run(
        self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
    ) -> Outcome:
        return Outcome(Error.OK, NO_COMMAND, list_bytes // COMMAND_BYTES, 0)


def measure(repeat: int) -> dict[str, float]:
    """Milliseconds for each started list, the driver's own and the round trip, and its register accesses."""
    own, round_trip = [], []
    with open_simulated(Nothing(), "nothing", log=lambda _: None) as accelerator:
        device, plan = accelerator.device, Plan()
        commands = CommandList((), plan.add("list", COMMAND_BYTES))
        with accelerator.allocate(plan) as region:
            accelerator.run(region, commands)
            accesses_before = device.accesses
            for _ in range(BATCHES * repeat):
                begin, of_device = time.perf_counter(), device.list_seconds
                for _ in range(LISTS):
                    accelerator.run(region, commands)
                round_trip.append((time.perf_counter() - begin) / LISTS)
                own.append(round_trip[-1] - (device.list_seconds - of_device) / LISTS)
            accesses = device.accesses - accesses_before
    return {
        "driver_milliseconds_least": min(own) * 1e3,
        "driver_milliseconds_median": median(own) * 1e3,
        "round_trip_milliseconds_least": min(round_trip) * 1e3,
        "round_trip_milliseconds_median": median(round_trip) * 1e3,
        "register_accesses_per_list": accesses / (LISTS * BATCHES * repeat),
    }
