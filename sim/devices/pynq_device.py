"""A simulated board behind the real pynq API: `Overlay`, `DefaultIP`, `MMIO`, buffers and `Interrupt` are pynq's own.

The device holds an executor of the contract (the reference, the C-simulated kernel, the Verilated core) behind its
registers, contiguous memory with a cache in front, and one interrupt line. It refuses what fails on a board only
occasionally: a host that flushes or reads what the running list uses.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from sim.contract import OVERLAY_CELL, OVERLAY_CONTROL_BYTES, OVERLAY_NAME, OVERLAY_VLNV, Executor, Register
from sim.devices.pynq_api import Device, PynqBuffer
from sim.devices.pynq_memory import ContiguousPool
from sim.devices.pynq_registers import ConcurrentRegisters, Faults

CONTROL_ADDRESS = 0x43C0_0000
MEMORY_BYTES = 1 << 30
_NUMBERS = itertools.count()


class SimulatedDevice(Device):
    """A pynq device with one accelerator.

    Args:
        executor: what runs the lists.
        simulates: its name, so that no report calls a simulation a measurement.
        memory_bytes: size of the contiguous memory.
        tag: its name; two devices of one name stand for one board, which one process can open.
        vlnv: the type of the IP in its overlay.
        faults: what is broken; may be changed at any time.
    """

    def __init__(
        self,
        executor: Executor,
        simulates: str,
        memory_bytes: int = MEMORY_BYTES,
        tag: str | None = None,
        vlnv: str = OVERLAY_VLNV,
        faults: Faults | None = None,
    ) -> None:
        number = next(_NUMBERS)
        super().__init__(tag or f"simulated-{simulates}-{os.getpid()}-{number}")
        self.capabilities = {"MEMORY_MAPPED": True}  # as on a Zynq
        self.executor = executor
        self.simulates = simulates
        self.faults = faults or Faults()
        self.pool = ContiguousPool(memory_bytes)
        self.accesses = self.flushes = self.invalidates = 0
        self._line = InterruptLine(1000 + number)
        self._registers = ConcurrentRegisters(executor, self.pool, self.faults, self._line.rise)
        self._line.level = self._level
        self._vlnv = vlnv
        self._folder = tempfile.TemporaryDirectory(prefix="cpt-overlay-")
        self.bitfile = str(Path(self._folder.name) / f"{OVERLAY_NAME}.bit")
        Path(self.bitfile).touch()

    def _level(self) -> bool:
        return self._registers.interrupt and not self.faults.deaf

    @property
    def list_seconds(self) -> float:
        """What the device itself took for its lists so far, from START to the interrupt; the rest is the driver's."""
        return self._registers.list_seconds

    def release(self) -> None:
        """Ends the simulation; not called `close`, which pynq has deprecated."""
        self._registers.close()
        self._line.remove()
        self._folder.cleanup()

    def mmap(self, address: int, length: int) -> RegisterWindow:
        """What pynq's MMIO reads and writes: on the board, an array of words over /dev/mem."""
        if not CONTROL_ADDRESS <= address <= address + length <= CONTROL_ADDRESS + OVERLAY_CONTROL_BYTES:
            raise ValueError(f"nothing answers at {address:#x}, {length} bytes: the core is at {CONTROL_ADDRESS:#x}")
        return RegisterWindow(self, (address - CONTROL_ADDRESS) // 4)

    def read_word(self, index: int) -> int:
        self.accesses += 1
        return self._registers.read(4 * index)

    def write_word(self, index: int, value: int) -> None:
        self.accesses += 1
        self._registers.write(4 * index, value)

    def allocate(self, shape: Any, dtype: Any, **_: object) -> PynqBuffer:
        """A buffer in the host's cache; DRAM behind it has other contents until it is flushed."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        handle = self.pool.allocate(size)
        block = self.pool.blocks[handle]
        buffer = PynqBuffer(
            shape, dtype, buffer=block.cache.data, device=self, device_address=block.address, bo=handle, coherent=False
        )
        buffer.memory, buffer.pointer, buffer.return_to = self.pool, handle, self
        buffer.freed = True  # pynq must not unmap it, as it does on the board
        return buffer

    def return_pointer(self, handle: int) -> None:
        """What pynq calls when a buffer is freed."""
        self.pool.release(handle)

    def free_bytes(self) -> int:
        return self.pool.largest_hole()

    def flush(self, handle: int, offset: int, _pointer: int, size: int) -> None:
        self.flushes += 1
        block = self.pool.blocks[handle]
        self._registers.refuse_in_use(block.address + offset, size, written_only=False)
        block.dram[offset : offset + size] = block.cache[offset : offset + size]

    def invalidate(self, handle: int, offset: int, _pointer: int, size: int) -> None:
        self.invalidates += 1
        block = self.pool.blocks[handle]
        self._registers.refuse_in_use(block.address + offset, size, written_only=True)
        block.cache[offset : offset + size] = block.dram[offset : offset + size]

    def download(self, bitstream: Any, parser: Any = None) -> None:
        """Loading an overlay is power-on for what is in it."""
        self._registers.reset()
        self.post_download(bitstream, parser)

    def get_bitfile_metadata(self, _name: str, partial: bool = False) -> SimpleNamespace:
        """What pynq reads from a .hwh file."""
        pin = f"{OVERLAY_CELL}/interrupt"
        interrupt = {"controller": "", "index": 0, "raw_irq": self._line.number, "fullpath": pin}
        core = {
            "phys_addr": CONTROL_ADDRESS,
            "addr_range": OVERLAY_CONTROL_BYTES,
            "type": self._vlnv,
            "fullpath": OVERLAY_CELL,
            "state": None,
            "parameters": {},
            "registers": {
                each.name: {"address_offset": int(each), "size": 32, "access": "read-write"}
                | {"description": each.name, "fields": {}}
                for each in Register
            },
            "interrupts": {"interrupt": interrupt},
            "gpio": {},
        }
        return SimpleNamespace(
            ip_dict={OVERLAY_CELL: core},
            interrupt_pins={pin: interrupt},
            interrupt_controllers={},
            gpio_dict={},
            hierarchy_dict={},
            mem_dict={},
            clock_dict={},
            systemgraph=None,
        )


class RegisterWindow:
    """The control registers as an array of words, as far as pynq's MMIO and register map use it."""

    def __init__(self, device: SimulatedDevice, first: int = 0) -> None:
        self._device = device
        self._first = first

    def view(self, dtype: Any) -> RegisterWindow:
        return self

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return RegisterWindow(self._device, self._first + index.start)
        return self._device.read_word(self._first + index)

    def __setitem__(self, index: int, value: int) -> None:
        self._device.write_word(self._first + index, int(value))


class InterruptLine:
    """Takes the place of pynq's UIO file: sets the events that wait on it, in their own loop, when the line is high."""

    def __init__(self, number: int) -> None:
        from pynq.interrupt import _InterruptController

        self.number = number
        self.level = lambda: False
        self._lock = threading.Lock()
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._table: dict[int, Any] = _InterruptController._uio_devices
        self._table[number] = self

    def add_event(self, event: asyncio.Event, _number: int) -> None:
        with self._lock:
            if not self.level():
                self._waiting.append((asyncio.get_running_loop(), event))
                return
        event.set()

    def rise(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for loop, event in waiting:
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)

    def remove(self) -> None:
        self._table.pop(self.number, None)
