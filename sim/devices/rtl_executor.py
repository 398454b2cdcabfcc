"""The RTL core as an executor: Verilated into a shared library with a modelled DDR, called through ctypes.

WAVES=1 in the environment writes a waveform, `out/rtl/BUILD-waves/dump.vcd`.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sim.contract import ALL_FEATURES, NOTHING, Build, Counters, Memory, Outcome
from sim.devices.native import arguments, outcome, writable
from sim.devices.registers import COUNTERS
from sim.devices.rtl_library import with_vector_unit
from sim.devices.rtl_pins import Ddr, RtlPins, library_of

WATCHDOG = 2_000_000_000  # cycles


class RtlExecutor:
    """Executes command lists on the Verilated core; interchangeable with `sim.reference.Reference`.

    After `run`: `counters` of the list, `commands` with each command's own share, `bytes_read` and `bytes_written` on
    the bus, `simulated` cycles.
    """

    def __init__(self, build: Build, ddr: Ddr | None = None, watchdog: int = WATCHDOG) -> None:
        library_of(build)  # a core that cannot be built is refused here
        self.build = build
        self.features = ALL_FEATURES if with_vector_unit() else 0
        self.ddr = ddr or Ddr()
        self.watchdog = watchdog
        self._registers = [0]
        self.counters = NOTHING
        self.commands: list[Counters] = []
        self.bytes_read = self.bytes_written = self.simulated = 0

    def register(self, offset: int) -> int:
        """A register after the last list, by its byte offset."""
        return self._registers[offset // 4]

    def run(
        self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
    ) -> Outcome:
        """Runs a list, as `sim.contract.Executor` says, from power-on; an endless list raises TimeoutError."""
        with RtlPins(self.build, self.ddr) as pins:
            return self.run_on(pins, memory, list_offset, list_bytes, mem_base, mem_bytes)

    def run_on(
        self,
        pins: RtlPins,
        memory: Memory,
        list_offset: int,
        list_bytes: int,
        mem_base: int = 0,
        mem_bytes: int | None = None,
    ) -> Outcome:
        """The same on a core that has been in use, whatever happened to it before."""
        before = pins.report()
        size = memory.size if mem_bytes is None else mem_bytes
        with writable(memory) as region:
            pins.place(region, mem_base, self.ddr)
            pins.start(arguments(list_offset, list_bytes, mem_base, size))
            completions = pins.wait(self.watchdog)
            self._registers = pins.read_all()
            pins.acknowledge()
        report = pins.report()
        self.bytes_read = report.bytes_read - before.bytes_read
        self.bytes_written = report.bytes_written - before.bytes_written
        self.simulated = report.cycles - before.cycles
        self._keep_counters(completions)
        return outcome(self.register, self.counters.total)

    def _keep_counters(self, completions: np.ndarray) -> None:
        self.counters = Counters(*(self.register(offset) | self.register(offset + 4) << 32 for offset in COUNTERS))
        ends = [NOTHING, *(Counters(*(int(count) for count in row)) for row in completions)]
        self.commands = [later - earlier for earlier, later in pairwise(ends)]
