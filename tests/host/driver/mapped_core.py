"""A core behind memory-mapped files: the folders of a Linux with UIO and u-dma-buf, and what stands in for the fabric.

A file has no side effects, a register has: an access goes through a mailbox in the file's second page, and the core
answers it. Memory is one file that both map; the interrupt is one end of a pair of sockets.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from host.driver.uio_registers import MappedRegisters
from sim.contract import OVERLAY_CELL, OVERLAY_CONTROL_BYTES, Executor, Memory
from sim.devices.pynq_registers import ConcurrentRegisters, Faults

ADDRESS, MEMORY_ADDRESS = 0x43C0_0000, 0x1800_0000
READ, WRITE = 1, 2
KIND, OFFSET, VALUE = (OVERLAY_CONTROL_BYTES // 4 + index for index in range(3))


class FileMemory:
    """What the bus reaches of a mapped file."""

    def __init__(self, contents: Memory) -> None:
        self.contents = contents

    def dram(self, address: int, size: int) -> Memory:
        offset = address - MEMORY_ADDRESS
        return self.contents[offset : offset + size] if 0 <= offset < self.contents.size else self.contents[:0]

    def orphan(self) -> None:
        """A list that is given up has not begun: `Faults.hang` lists never do."""


class MappedCore:
    """The fabric's side: answers the mailbox until it is stopped."""

    def __init__(self, root: Path, executor: Executor, size: int, faults: Faults) -> None:
        self.device = root / "dev/uio0"
        self.words = np.memmap(self.device, np.uint32, "r+")
        self.memory = np.memmap(root / "dev/udmabuf0", np.uint8, "r+", shape=(size,))
        self.host, self._line = socket.socketpair()
        self._line.setblocking(False)
        pool: Any = FileMemory(self.memory)
        self._registers = ConcurrentRegisters(executor, pool, faults, self._rise)
        self._stop = False
        self._thread = threading.Thread(target=self._answer, daemon=True)
        self._thread.start()

    def _rise(self) -> None:
        self._line.send(b"\1\0\0\0")

    def _answer(self) -> None:
        while not self._stop:
            kind = int(self.words[KIND])
            if kind == READ:
                self.words[VALUE] = self._registers.read(int(self.words[OFFSET]))
            elif kind == WRITE:
                self._registers.write(int(self.words[OFFSET]), int(self.words[VALUE]))
            else:
                time.sleep(20e-6)
                continue
            with suppress(BlockingIOError):
                self._line.recv(4096)  # "let the next interrupt through": this line is never held back
            self.words[KIND] = 0

    def stop(self) -> None:
        self._stop = True
        self._thread.join(10)
        self._registers.close()
        self.host.close()
        self._line.close()


@contextmanager
def linux(root: Path, executor: Executor, size: int = 1 << 22, faults: Faults | None = None) -> Iterator[Any]:
    """A root folder with one core; what is yielded maps its registers for the driver."""
    files = {
        f"sys/class/uio/uio{number}/{name}": text
        for number, device in enumerate((OVERLAY_CELL, "fabric"))
        for name, text in {"name": device, "maps/map0/addr": hex(ADDRESS), "maps/map0/size": "0x1000"}.items()
    }
    files |= {f"sys/class/u-dma-buf/udmabuf0/{name}": "" for name in ("sync_for_cpu", "sync_for_device")}
    files["sys/class/u-dma-buf/udmabuf0/size"] = str(size)
    files["sys/class/u-dma-buf/udmabuf0/phys_addr"] = hex(MEMORY_ADDRESS)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")
    (root / "dev").mkdir(parents=True)
    (root / "dev/uio0").write_bytes(bytes(2 * OVERLAY_CONTROL_BYTES))
    (root / "dev/udmabuf0").write_bytes(bytes(size))
    core = MappedCore(root, executor, size, faults or Faults())

    class Mailbox(MappedRegisters):
        """The host's side."""

        def __init__(self, file: Path, offset: int, size: int, interrupts: bool) -> None:
            assert (file, size) == (core.device, OVERLAY_CONTROL_BYTES)
            super().__init__(file, 0, 2 * size, interrupts)
            self.events = core.host.fileno() if interrupts else None

        def read(self, offset: int) -> int:
            return self._ask(READ, offset, 0)

        def write(self, offset: int, value: int) -> None:
            self._ask(WRITE, offset, value)

        def _ask(self, kind: int, offset: int, value: int) -> int:
            self.words[OFFSET], self.words[VALUE] = offset, value
            self.words[KIND] = kind
            end = time.monotonic() + 10
            while self.words[KIND]:
                time.sleep(0)
                assert time.monotonic() < end
            return int(self.words[VALUE])

    try:
        yield Mailbox
    finally:
        core.stop()
