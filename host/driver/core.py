"""The accelerator's registers and nothing else: start, bounded wait, soft reset. How they are reached, others know.

A started list takes 16 register accesses when it is done at the first poll, and one more when the driver slept for the
interrupt: 3 to start, 2 to see and acknowledge done, 11 to read the results. The list's size does not matter.
"""

from __future__ import annotations

import time
from typing import Protocol

from host.driver.errors import DeviceError, DeviceTimeoutError
from host.driver.outcome import ListOutcome
from sim.contract import ApCtrl, Counters, Error, Irq, Register

DONE = 1 << Irq.DONE
ERRORS = {int(error): error for error in Error}
HEARD_WITHIN = 1.0  # seconds of sleep after which the driver polls once
FIRST_PAUSE, LAST_PAUSE = 20e-6, 5e-3  # seconds between two polls without interrupts
RESET_SECONDS = 1.0
# Plain integers: members of an enumeration are slow to look up and to add to, and this happens between two lists.
AP_CTRL, ISR = int(Register.AP_CTRL), int(Register.ISR)
LIST_OFFSET, LIST_BYTES = int(Register.LIST_OFFSET), int(Register.LIST_BYTES)
STATUS, ERROR_INDEX, COMMANDS_DONE = int(Register.STATUS), int(Register.ERROR_INDEX), int(Register.COMMANDS_DONE)
TOTAL, BUSY = int(Register.CYCLES_TOTAL), int(Register.CYCLES_BUSY)
LOAD_STALL, STORE_STALL = int(Register.CYCLES_LOAD_STALL), int(Register.CYCLES_STORE_STALL)
START = 1 << ApCtrl.START


class Bus(Protocol):
    """The registers by their byte offsets."""

    def read(self, offset: int) -> int: ...
    def write(self, offset: int, value: int) -> object: ...


class Sleeper(Protocol):
    """Waits for the interrupt."""

    def usable(self) -> bool: ...
    def sleep(self, seconds: float) -> bool: ...


class Core:
    """One accelerator. Lists are started and waited for one at a time."""

    def __init__(self, bus: Bus, sleeper: Sleeper | None) -> None:
        self.read, self.write = bus.read, bus.write
        self._sleeper = sleeper
        self.running = False
        self._started = 0.0
        self._missed = 0  # interrupts missed in a row

    @property
    def by_interrupt(self) -> bool:
        """Whether done is announced; without interrupts, or where they do not arrive, the driver polls."""
        return self._sleeper is not None

    def reset(self) -> None:
        """Stops whatever runs and returns to power-on, with the done event enabled."""
        self.write(Register.AP_CTRL, 1 << ApCtrl.SW_RESET)
        end = time.monotonic() + RESET_SECONDS
        while not self.read(Register.AP_CTRL) >> ApCtrl.IDLE & 1:
            if time.monotonic() > end:
                raise DeviceError(f"no answer to a soft reset within {RESET_SECONDS} s: load the overlay again")
        self.running = False
        left = self.read(Register.ISR)
        if left:  # a done raised just before the reset must not end the next list
            self.write(Register.ISR, left)
        self.write(Register.IER, DONE)
        self.write(Register.GIER, 1 if self.by_interrupt else 0)

    def choose_region(self, address: int, size: int) -> None:
        """Sets the region of memory that the following lists, and all they refer to, lie in."""
        self.write(Register.MEM_BASE, address & 0xFFFFFFFF)
        self.write(Register.MEM_BASE + 4, address >> 32)
        self.write(Register.MEM_BYTES, size)

    def start(self, list_offset: int, list_bytes: int) -> None:
        if self.running:
            raise DeviceError("a list is running: wait for it before starting the next")
        self.write(LIST_OFFSET, list_offset)
        self.write(LIST_BYTES, list_bytes)
        self.running = True
        self._started = time.perf_counter()
        self.write(AP_CTRL, START)

    def wait(self, seconds: float) -> ListOutcome:
        """Waits for the running list, at most `seconds`, and returns its outcome."""
        if not self.running:
            raise DeviceError("no list is running: start one before waiting for it")
        end = time.monotonic() + seconds
        pause = FIRST_PAUSE
        while not self._take_done():
            left = end - time.monotonic()
            if left <= 0:
                raise DeviceTimeoutError(f"the list did not end within {seconds:g} s")
            if self._sleeper is None or not self._sleeper.usable():
                time.sleep(min(pause, left))
                pause = min(2 * pause, LAST_PAUSE)
            elif self._sleeper.sleep(min(left, HEARD_WITHIN)):
                self._missed = 0
            elif self._take_done():  # done without an interrupt; once may be a coincidence
                self._missed += 1
                if self._missed > 1:
                    self._sleeper = None
                break
        taken = time.perf_counter() - self._started
        self.running = False
        return self._outcome(taken)

    def _take_done(self) -> bool:
        if not self.read(ISR) & DONE:
            return False
        self.write(ISR, DONE)  # toggles it off
        return True

    def _outcome(self, seconds: float) -> ListOutcome:
        status = self.read(STATUS)
        error = ERRORS.get(status)
        if error is None:
            raise DeviceError(f"STATUS reads {status}, not an error code of this contract: load the overlay again")
        return ListOutcome(
            error,
            self.read(ERROR_INDEX),
            self.read(COMMANDS_DONE),
            Counters(
                self._wide(TOTAL),
                self._wide(BUSY),
                self._wide(LOAD_STALL),
                self._wide(STORE_STALL),
            ),
            seconds,
        )

    def _wide(self, offset: int) -> int:
        return self.read(offset) | self.read(offset + 4) << 32
