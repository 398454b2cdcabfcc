"""A region and what runs lists on it: an executor on plain memory, or a device with its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

import numpy as np
import numpy.typing as npt

from host.compiler.command_list import CommandList
from host.compiler.plan import Plan
from host.driver.errors import ExecutionError
from sim.contract import Build, Executor, Memory, Tensor, pack_planes

if TYPE_CHECKING:  # pynq takes a second to import: those who bring an executor do not wait for it
    from host.driver.accelerator import Accelerator


class Machine(Protocol):
    """What a program needs to run lists. What the host wrote it must say, and what it is about to read."""

    build: Build

    @property
    def memory(self) -> Memory: ...
    def write_codes(self, place: Tensor, codes: npt.NDArray[np.integer], signed: bool) -> None: ...
    def wrote(self, start: int, end: int) -> None: ...
    def reads(self, start: int, end: int) -> None: ...
    def run(self, commands: CommandList, what: str) -> None: ...
    def close(self) -> None: ...


def _write_codes(machine: Machine, place: Tensor, codes: npt.NDArray[np.integer], signed: bool) -> None:
    """(n, c, h, w), as bit planes."""
    place.write(machine.memory, pack_planes(codes, place.tile[1], signed))
    machine.wrote(place.address, place.end)


class ExecutorMachine:
    """An executor of the contract; nothing is between it and the host's memory."""

    write_codes = _write_codes

    def __init__(self, executor: Executor, plan: Plan) -> None:
        self.build, self._executor = executor.build, executor
        self.memory: Memory = np.zeros(plan.bytes, dtype=np.uint8)

    def wrote(self, start: int, end: int) -> None:
        pass

    def reads(self, start: int, end: int) -> None:
        pass

    def run(self, commands: CommandList, what: str) -> None:
        outcome = self._executor.run(self.memory, commands.offset, commands.bytes)
        if outcome.error:
            command = commands.commands[outcome.error_index]
            raise ExecutionError(f"{what}: {outcome.error.name} at command {outcome.error_index}: {command}")

    def close(self) -> None:
        pass


class DeviceMachine:
    """An opened device: a region of its memory, with a cache in between."""

    write_codes = _write_codes

    def __init__(self, accelerator: Accelerator, plan: Plan) -> None:
        self.build, self._accelerator = accelerator.build, accelerator
        self._region = accelerator.allocate(plan)
        self.memory[:] = 0
        self.wrote(0, plan.bytes)

    @property
    def memory(self) -> Memory:
        return self._region.memory

    def wrote(self, start: int, end: int) -> None:
        self._region.flush(start, end - start)

    def reads(self, start: int, end: int) -> None:
        self._region.invalidate(start, end - start)

    def run(self, commands: CommandList, what: str) -> None:
        self._accelerator.run(self._region, commands, what)

    def close(self) -> None:
        self._region.free()


class MachineMaker(Protocol):
    """What brings a machine of its own."""

    build: Build

    def machine(self, plan: Plan) -> Machine: ...


def machine(device: Accelerator | Executor | MachineMaker, plan: Plan) -> Machine:
    """The planned region on a device, or on an executor."""
    if hasattr(device, "machine"):
        return device.machine(plan)
    if hasattr(device, "allocate"):
        return DeviceMachine(cast("Accelerator", device), plan)
    return ExecutorMachine(device, plan)
