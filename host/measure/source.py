"""Where a number comes from. A simulation is never called a measurement, nor a count a time."""

from __future__ import annotations

from dataclasses import dataclass

from host.driver.accelerator import Accelerator
from host.driver.outcome import ListOutcome

MEASURED, SIMULATED, COUNTED = "measured", "simulated", "counted"
# What the cycles of a simulated device are worth: the core's own clock, or no time at all.
SIMULATIONS = {"rtl": (SIMULATED, "the RTL's cycles, with a modelled DDR, at an assumed clock")}
COUNTS = (COUNTED, "steps of the array, not time: neither loads nor stores take any")


@dataclass(frozen=True)
class Source:
    """How latencies are obtained on a device.

    Attributes:
        kind: "measured" on a board, "simulated" from cycles of the RTL, "counted" from executors without time.
        device: "board", or the executor's name.
        meaning: the same as a sentence.
        clock_mhz: turns cycles into time, where the host's clock does not count.
        build: name of the core's build.
    """

    kind: str
    device: str
    meaning: str
    clock_mhz: float
    build: str

    @classmethod
    def of(cls, accelerator: Accelerator, clock_mhz: float) -> Source:
        build = accelerator.build.name
        if accelerator.simulates is None:
            return cls(MEASURED, "board", "on hardware, by the host's clock from start to done", clock_mhz, build)
        kind, meaning = SIMULATIONS.get(accelerator.simulates, COUNTS)
        return cls(kind, accelerator.simulates, meaning, clock_mhz, build)

    def microseconds(self, outcome: ListOutcome) -> float:
        """A list's latency: the host's clock on a board, cycles at the assumed clock elsewhere."""
        return outcome.seconds * 1e6 if self.kind == MEASURED else outcome.cycles / self.clock_mhz

    def __str__(self) -> str:
        return f"{self.kind} on {self.device}: {self.meaning}"
