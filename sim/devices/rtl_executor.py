"""The RTL core as an executor: Verilated into a shared library with a modelled DDR, called through ctypes.

WAVES=1 in the environment writes a waveform, `out/rtl/BUILD-waves/dump.vcd`.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sim.contract import NOTHING, Build, Counters, Error, Memory, Outcome, Register
from sim.devices.rtl_pins import Ddr, RtlPins, library_of

WATCHDOG = 2_000_000_000  # cycles
COUNTERS = (Register.CYCLES_TOTAL, Register.CYCLES_BUSY, Register.CYCLES_LOAD_STALL, Register.CYCLES_STORE_STALL)


class RtlExecutor:
    """Executes command lists on the Verilated core; interchangeable with `sim.reference.Reference`.

    After `run`: `counters` of the list, `commands` with each command's own share, `bytes_read` and `bytes_written` on
    the bus, `simulated` cycles.
    """

    def __init__(self, build: Build, ddr: Ddr | None = None, watchdog: int = WATCHDOG) -> None:
        library_of(build)  # a core that cannot be built is refused here
        self.build = build
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
        self,
        memory: Memory,
        list_offset: int,
        list_bytes: int,
        mem_base: int = 0,
        mem_bytes: int | None = None,
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
        usable = memory.flags.c_contiguous and memory.flags.writeable and memory.dtype == np.uint8
        region = memory if usable else np.ascontiguousarray(memory, dtype=np.uint8).copy()
        before = pins.report()
        pins.place(region, mem_base, self.ddr)
        size = memory.size if mem_bytes is None else mem_bytes
        pins.start(arguments(list_offset, list_bytes, mem_base, size), list_bytes)
        completions = pins.wait(self.watchdog)
        self._registers = pins.read_all()
        pins.acknowledge()
        if region is not memory:
            memory[...] = region
        report = pins.report()
        self.bytes_read = report.bytes_read - before.bytes_read
        self.bytes_written = report.bytes_written - before.bytes_written
        self.simulated = report.cycles - before.cycles
        self._keep_counters(completions)
        return Outcome(
            Error(self.register(Register.STATUS)),
            self.register(Register.ERROR_INDEX),
            self.register(Register.COMMANDS_DONE),
            self.counters.total,
        )

    def _keep_counters(self, completions: np.ndarray) -> None:
        self.counters = Counters(*(self.register(offset) | self.register(offset + 4) << 32 for offset in COUNTERS))
        ends = [NOTHING, *(Counters(*(int(count) for count in row)) for row in completions)]
        self.commands = [later - earlier for earlier, later in pairwise(ends)]


def arguments(list_offset: int, list_bytes: int, mem_base: int, mem_bytes: int) -> tuple[tuple[int, int], ...]:
    """A list's registers and their values."""
    return (
        (Register.MEM_BASE, mem_base & 0xFFFFFFFF),
        (Register.MEM_BASE + 4, mem_base >> 32),
        (Register.MEM_BYTES, mem_bytes),
        (Register.LIST_OFFSET, list_offset),
        (Register.LIST_BYTES, list_bytes),
    )
