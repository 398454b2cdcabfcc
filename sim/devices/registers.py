"""The accelerator's registers over any executor: what a driver sees at each byte offset.

Vitis HLS conventions: AP_CTRL handshakes, ap_done and ap_ready cleared by reading, ISR toggled by writing.
"""

from __future__ import annotations

from sim.contract import (
    VERSION_MAGIC,
    VERSION_MAJOR,
    VERSION_MINOR,
    ApCtrl,
    Counters,
    Executor,
    Irq,
    Memory,
    Outcome,
    Register,
    features_of,
)

WRITABLE: dict[int, int] = {Register.GIER: 1, Register.IER: 1 << Irq.DONE | 1 << Irq.READY}  # and their bits
ARGUMENTS = (
    *range(Register.MEM_BASE, Register.MEM_BASE + 8, 4),
    Register.MEM_BYTES,
    Register.LIST_OFFSET,
    Register.LIST_BYTES,
)
COUNTERS = (Register.CYCLES_TOTAL, Register.CYCLES_BUSY, Register.CYCLES_LOAD_STALL, Register.CYCLES_STORE_STALL)


class RegisterFile:
    """An executor behind its AXI4-Lite registers. A list runs to its end inside the start write.

    `memory` is the whole of what the accelerator can address; MEM_BASE and MEM_BYTES choose the region in it.
    """

    def __init__(self, executor: Executor, memory: Memory) -> None:
        self.executor = executor
        self.memory = memory
        self._capabilities: dict[int, int] = {
            Register[name.upper()]: value for name, value in executor.build.parameters().items()
        }
        self._capabilities[Register.FEATURES] = features_of(executor)
        self.reset()

    def reset(self) -> None:
        """Power-on state; the capability registers are filled by the first list, as in a Vitis build."""
        self._words: dict[int, int] = {}
        self._busy = self._done = self._ready = False
        self._isr = 0

    @property
    def interrupt(self) -> bool:
        """The level of the interrupt line."""
        return bool(self._words.get(Register.GIER, 0) & 1) and self._isr != 0

    def read(self, offset: int) -> int:
        if offset == Register.AP_CTRL:
            return self._read_control()
        return self._isr if offset == Register.ISR else self._words.get(offset, 0)

    def write(self, offset: int, value: int) -> None:
        if offset == Register.AP_CTRL:
            self._write_control(value)
        elif offset == Register.ISR:
            self._isr ^= value & (1 << Irq.DONE | 1 << Irq.READY)
        elif offset in WRITABLE:
            self._words[offset] = value & WRITABLE[offset]
        elif offset in ARGUMENTS:
            self._words[offset] = value & 0xFFFFFFFF

    def _read_control(self) -> int:
        value = (not self._busy) << ApCtrl.IDLE | self._done << ApCtrl.DONE | self._ready << ApCtrl.READY
        value |= self.interrupt << ApCtrl.INTERRUPT
        self._done = self._ready = False
        return value

    def _write_control(self, value: int) -> None:
        if value >> ApCtrl.SW_RESET & 1:
            self.reset()
        elif value >> ApCtrl.START & 1:
            self._run_list()

    def _run_list(self) -> None:
        base, size, offset, length = self._arguments()
        self._finish(self.executor.run(self.memory[base : base + size], offset, length, base, size))

    def _arguments(self) -> tuple[int, int, int, int]:
        """The region's base and size, the list's offset and size."""
        base = self.read(Register.MEM_BASE) | self.read(Register.MEM_BASE + 4) << 32
        return base, self.read(Register.MEM_BYTES), self.read(Register.LIST_OFFSET), self.read(Register.LIST_BYTES)

    def _finish(self, outcome: Outcome) -> None:
        """Fills the result registers and raises done."""
        self._words[Register.STATUS] = outcome.error
        self._words[Register.ERROR_INDEX] = outcome.error_index
        self._words[Register.COMMANDS_DONE] = outcome.commands_done
        # Executors without a notion of time have one count, and no stalls.
        counted = getattr(self.executor, "counters", Counters(outcome.cycles, outcome.cycles, 0, 0))
        for register, cycles in zip(
            COUNTERS, (counted.total, counted.busy, counted.load_stall, counted.store_stall), strict=True
        ):
            self._words[register] = cycles & 0xFFFFFFFF
            self._words[register + 4] = cycles >> 32
        self._words[Register.MAGIC] = VERSION_MAGIC
        self._words[Register.VERSION] = VERSION_MAJOR << 16 | VERSION_MINOR
        self._words.update(self._capabilities)
        self._done = self._ready = True
        self._isr |= self._words.get(Register.IER, 0) & (1 << Irq.DONE | 1 << Irq.READY)
