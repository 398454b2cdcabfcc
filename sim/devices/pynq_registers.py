"""The registers with time: a list runs in its own thread, in parallel to the host, and ends with an interrupt."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue

from sim.contract import (
    CLASSES,
    COMMAND_BYTES,
    Executor,
    Memory,
    Outcome,
    Place,
    Register,
    operands,
)
from sim.devices.pynq_memory import ContiguousPool
from sim.devices.registers import RegisterFile

# The C-simulated kernel keeps its on-chip memories in static variables: one list at a time, whoever starts it.
ONE_AT_A_TIME = threading.Lock()


@dataclass
class Faults:
    """What a test breaks."""

    hang: bool = False  # lists that are started never end
    deaf: bool = False  # the interrupt line is not connected
    magic: int | None = None
    version: int | None = None


def _used_by(data: bytes, written_only: bool) -> list[Place]:
    """The tensors and blocks that a command touches."""
    places = operands(CLASSES[data[0]].decode(data))
    return list((places.results if written_only else places.all).values())


class ConcurrentRegisters(RegisterFile):
    """Registers of an executor that runs while the host continues.

    What goes wrong inside the executor (a simulation that does not end, say) is raised at the next register access.
    """

    def __init__(self, executor: Executor, pool: ContiguousPool, faults: Faults, raised: Callable[[], None]) -> None:
        self._lock = threading.RLock()
        self._pool = pool
        self._faults = faults
        self._raised = raised
        self._lists: SimpleQueue[tuple[int, Memory, tuple[int, int, int, int]] | None] = SimpleQueue()
        self._number = 0  # of the current list; a reset makes a new one
        self._failure: Exception | None = None
        self._running: tuple[Memory, tuple[int, int, int, int]] | None = None
        self._start_seen = 0.0
        # From START to the interrupt, over all lists that ended: the device's time, not the driver's.
        self.list_seconds = 0.0
        super().__init__(executor, pool.dram(0, 0))
        self._thread = threading.Thread(target=self._work, name="simulated accelerator", daemon=True)
        self._thread.start()

    def read(self, offset: int) -> int:
        with self._lock:
            if self._failure is not None:
                failure, self._failure = self._failure, None
                raise failure
            return super().read(offset)

    def write(self, offset: int, value: int) -> None:
        with self._lock:
            super().write(offset, value)

    def reset(self) -> None:
        with self._lock:
            if getattr(self, "_busy", False):
                self._pool.orphan()
            self._number += 1
            self._failure = self._running = None
            super().reset()

    def refuse_in_use(self, address: int, size: int, written_only: bool) -> None:
        """Raises if the running list may touch these bytes: on a board that would be a race."""
        with self._lock:
            if not self._busy or self._running is None:
                return
            region, (offset, length, base, _) = self._running
            for number, start in enumerate(range(offset, offset + length, COMMAND_BYTES)):
                data = region[start : start + COMMAND_BYTES].tobytes()
                try:
                    places = _used_by(data, written_only)
                except (
                    LookupError,
                    ValueError,
                ):  # no command, half of one, or fields without sense
                    return  # the list ends here, with an error
                for place in places:
                    if place.address < address - base + size and address - base < place.end:
                        raise RuntimeError(
                            f"the host touches bytes {address - base}..{address - base + size - 1} of the region, which"
                            f" command {number} of the running list uses"
                        )

    def close(self) -> None:
        """Ends the thread, once its list is done."""
        self._lists.put(None)

    def _run_list(self) -> None:
        self._start_seen = time.perf_counter()
        base, size, offset, length = self._arguments()
        self._busy = True
        self._number += 1
        self._running = self._pool.dram(base, size), (offset, length, base, size)
        self._lists.put((self._number, *self._running))

    def _work(self) -> None:
        for number, region, arguments in iter(self._lists.get, None):
            if self._faults.hang:
                continue
            outcome: Outcome | Exception
            try:
                with ONE_AT_A_TIME:
                    outcome = self.executor.run(region, *arguments)
            except Exception as problem:
                outcome = problem
            del region
            self._end(number, outcome)

    def _end(self, number: int, outcome: Outcome | Exception) -> None:
        with self._lock:
            if number != self._number:  # it was reset meanwhile
                return
            self._busy, self._running = False, None
            if isinstance(outcome, Exception):
                self._failure = outcome
            else:
                self._finish(outcome)
            tell = not self._faults.deaf and (self.interrupt or self._failure is not None)
            self.list_seconds += time.perf_counter() - self._start_seen
        if tell:
            self._raised()

    def _finish(self, outcome: Outcome) -> None:
        super()._finish(outcome)
        for register, value in ((Register.MAGIC, self._faults.magic), (Register.VERSION, self._faults.version)):
            if value is not None:
                self._words[register] = value
